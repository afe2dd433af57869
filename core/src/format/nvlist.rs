//! Name-value lists: how labels, the pool configuration and history keep settings.
//!
//! ```text
//!  header     encoding (0 native, 1 XDR)  writer's order (1 little, 0 big)  0  0
//!  XDR        version, flags (u32 BE), pairs, 8 zero bytes
//!  pair       bytes of the pair, bytes decoded, name, type, count, value    (all 4-aligned)
//!  native     version, flags, pairs, i32 0
//!  pair       i32 size, i16 name size, i16 0, i32 count, i32 type, name, value  (each 8-aligned)
//! ```
//!
//! Source: `module/nvpair/nvpair.c`.

mod native;
mod xdr;

use crate::base::{Endian, FormatError};
use core::fmt;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Lists in lists deeper than this are refused.
const MAX_DEPTH: u32 = 32;
/// Longer names are refused: they are printed with each element of their array. OpenZFS's own names
/// are those of features, properties, data sets and extended attributes, all below 300 bytes.
const NAME_MAX: usize = 512;

/// One value.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub enum NvValue {
    /// Present without a value.
    Flag,
    Bool(bool),
    /// Any integer: the type number, and the value sign-extended to 64 bits.
    Int(u32, u64),
    Text(String),
    Bytes(Vec<u8>),
    /// An array of integers: the type number, and the values.
    Ints(u32, Vec<u64>),
    Texts(Vec<String>),
    List(Nvlist),
    Lists(Vec<Nvlist>),
}

/// A list of named values, in the order of the bytes.
#[doc(alias = "nvlist_t")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nvlist {
    pairs: Vec<(String, NvValue)>,
}

impl Nvlist {
    /// Decodes a packed list with its four-byte header.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let Some(header) = bytes.first_chunk::<4>() else {
            return Err(FormatError::short("name-value list", 0, 4, bytes.len()));
        };
        let body = bytes.get(4..).unwrap_or(&[]);
        match header {
            [1, _, _, _] => xdr::parse(body),
            [0, 1, _, _] => native::parse(body, Endian::Little),
            [0, 0, _, _] => native::parse(body, Endian::Big),
            [encoding, order, _, _] => Err(FormatError::new(
                "name-value list",
                0,
                "encoding 0 or 1 and order 0 or 1",
                format_args!("{encoding} and {order}"),
            )),
        }
    }

    /// The list packed as XDR, header included.
    pub fn to_xdr(&self) -> Vec<u8> {
        xdr::emit(self)
    }

    /// The list packed in the native form of byte order `endian`, header included. OpenZFS keeps
    /// history records so.
    pub fn to_native(&self, endian: Endian) -> Vec<u8> {
        native::emit(self, endian)
    }

    /// A list of `pairs`.
    pub fn from_pairs(pairs: Vec<(String, NvValue)>) -> Self {
        Self { pairs }
    }

    /// All pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &NvValue)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The first value called `name`.
    pub fn get(&self, name: &str) -> Option<&NvValue> {
        self.iter().find(|(n, _)| *n == name).map(|(_, v)| v)
    }

    /// Integer `name`.
    pub fn u64(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Some(NvValue::Int(_, n)) => Some(*n),
            _ => None,
        }
    }

    /// String `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(NvValue::Text(s)) => Some(s),
            _ => None,
        }
    }

    /// Nested list `name`.
    pub fn list(&self, name: &str) -> Option<&Self> {
        match self.get(name) {
            Some(NvValue::List(l)) => Some(l),
            _ => None,
        }
    }

    /// Array of lists `name`; empty when there is none.
    pub fn lists(&self, name: &str) -> &[Self] {
        match self.get(name) {
            Some(NvValue::Lists(l)) => l,
            _ => &[],
        }
    }

    /// Array of integers `name`.
    pub fn ints(&self, name: &str) -> Option<&[u64]> {
        match self.get(name) {
            Some(NvValue::Ints(_, n)) => Some(n),
            _ => None,
        }
    }

    /// Whether flag `name` is there.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Integer `name`, or an error that names it.
    pub fn require_u64(&self, name: &str) -> Result<u64, FormatError> {
        self.u64(name).ok_or_else(|| missing(name))
    }

    /// String `name`, or an error that names it.
    pub fn require_text(&self, name: &str) -> Result<&str, FormatError> {
        self.text(name).ok_or_else(|| missing(name))
    }

    /// List `name`, or an error that names it.
    pub fn require_list(&self, name: &str) -> Result<&Self, FormatError> {
        self.list(name).ok_or_else(|| missing(name))
    }

    /// The same text as [`fmt::Display`], the outermost pairs `indent` blanks in.
    pub fn indented(&self, indent: usize) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| self.write(f, indent))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, indent: usize) -> fmt::Result {
        for (name, value) in self.iter() {
            match value {
                NvValue::Flag => writeln!(f, "{:indent$}{name}", "")?,
                NvValue::Bool(b) => writeln!(f, "{:indent$}{name}: {b}", "")?,
                NvValue::Int(kind, n) => {
                    write!(f, "{:indent$}{name}: ", "")?;
                    write_int(f, is_signed(*kind), *n)?;
                }
                NvValue::Text(s) => writeln!(f, "{:indent$}{name}: '{s}'", "")?,
                NvValue::Bytes(all) => {
                    for (i, n) in all.iter().enumerate() {
                        writeln!(f, "{:indent$}{name}[{i}]: {n}", "")?;
                    }
                }
                NvValue::Ints(kind, all) => {
                    let signed = array_element(*kind).is_some_and(is_signed);
                    for (i, &n) in all.iter().enumerate() {
                        write!(f, "{:indent$}{name}[{i}]: ", "")?;
                        write_int(f, signed, n)?;
                    }
                }
                NvValue::Texts(all) => {
                    for (i, s) in all.iter().enumerate() {
                        writeln!(f, "{:indent$}{name}[{i}]: '{s}'", "")?;
                    }
                }
                NvValue::List(list) => {
                    writeln!(f, "{:indent$}{name}:", "")?;
                    list.write(f, indent + 4)?;
                }
                NvValue::Lists(all) => {
                    for (i, list) in all.iter().enumerate() {
                        writeln!(f, "{:indent$}{name}[{i}]:", "")?;
                        list.write(f, indent + 4)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn write_int(f: &mut fmt::Formatter<'_>, signed: bool, n: u64) -> fmt::Result {
    match signed {
        true => writeln!(f, "{}", n.cast_signed()),
        false => writeln!(f, "{n}"),
    }
}

fn missing(name: &str) -> FormatError {
    FormatError::new("name-value list", 0, "a pair of that type", format_args!("no {name}"))
}

impl fmt::Display for Nvlist {
    /// One pair a line, nested lists four blanks deeper, as `zdb -l` prints them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 4)
    }
}

/// Bytes of an integer type; `None` when the type is no integer.
fn int_size(kind: u32) -> Option<usize> {
    Some(match kind {
        2 | 22 | 23 => 1,
        3 | 4 => 2,
        5 | 6 => 4,
        7 | 8 | 18 | 27 => 8,
        _ => return None,
    })
}

/// Element type of an integer array type; `None` when the type is no integer array.
fn array_element(kind: u32) -> Option<u32> {
    Some(match kind {
        11 => 3,
        12 => 4,
        13 | 24 => 5,
        14 => 6,
        15 => 7,
        16 => 8,
        25 => 22,
        26 => 23,
        _ => return None,
    })
}

/// Whether values of an integer type have a sign.
fn is_signed(kind: u32) -> bool {
    matches!(kind, 3 | 5 | 7 | 18 | 22)
}

/// Widens the low `size` bytes of `raw` as type `kind` says.
fn widen(kind: u32, size: usize, raw: u64) -> u64 {
    let unused = 64 - 8 * size as u32;
    match is_signed(kind) {
        true => ((raw << unused).cast_signed() >> unused).cast_unsigned(),
        false => (raw << unused) >> unused,
    }
}

#[cfg(test)]
mod tests;
