//! The read pipeline.

use crate::base::{Endian, PoolError, PoolErrorKind, Result};
use crate::codec::{ChecksumKind, Compression, checksum, decompress};
use crate::format::{Blkptr, Dva, EmbeddedKind, ZilChain};
use crate::rt::Rt;
use crate::vdev::{CopyReport, TopVdev};
use core::cell::Cell;
use std_alloc::format;
use std_alloc::rc::Rc;
use std_alloc::string::{String, ToString};
use std_alloc::vec;
use std_alloc::vec::Vec;

/// The contents of a block and the byte order of its writer. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Block {
    /// Logical bytes.
    pub data: Rc<Vec<u8>>,
    /// Byte order of the contents.
    pub endian: Endian,
}

/// Reads blocks of one pool. Cheap to clone.
#[derive(Clone)]
pub struct Zio(Rc<Inner>);

struct Inner {
    rt: Rt,
    tops: Vec<TopVdev>,
    salt: Cell<Option<[u8; 32]>>,
    bytes_read: Cell<u64>,
}

impl Zio {
    /// A reader over top-level vdevs in the order of their ids.
    pub fn new(rt: &Rt, tops: Vec<TopVdev>) -> Self {
        let (salt, bytes_read) = (Cell::new(None), Cell::new(0));
        Self(Rc::new(Inner {
            rt: rt.clone(),
            tops,
            salt,
            bytes_read,
        }))
    }

    /// The executor.
    pub fn rt(&self) -> &Rt {
        &self.0.rt
    }

    /// The top-level vdevs.
    pub fn tops(&self) -> &[TopVdev] {
        &self.0.tops
    }

    /// Sets the pool's salt, once it is known.
    pub fn set_salt(&self, salt: Option<[u8; 32]>) {
        self.0.salt.set(salt);
    }

    /// Physical bytes verified so far.
    pub fn bytes_read(&self) -> u64 {
        self.0.bytes_read.get()
    }

    /// The logical contents of `bp`.
    pub async fn read(&self, bp: &Blkptr) -> Result<Block> {
        let endian = bp.endian();
        if bp.is_hole() {
            let data = Rc::new(vec![0; bp.lsize() as usize]);
            return Ok(Block { data, endian });
        }
        let place = || format!("block {bp}");
        bp.validate().map_err(|e| PoolError::from(e).at(place()))?;
        if bp.is_encrypted() {
            let message = "the data are encrypted and no key is loaded";
            return Err(PoolError::new(PoolErrorKind::Encrypted, message));
        }
        if bp.embedded_kind() == Some(EmbeddedKind::Redacted) {
            let message = "the block was redacted; its data are not in this pool";
            return Err(PoolError::damaged(place(), message));
        }
        let raw = match bp.embedded_payload() {
            Some(payload) => payload,
            None => self.read_raw(bp).await?,
        };
        let kind = bp.compression().unwrap_or(Compression::Off);
        if kind == Compression::Off && raw.len() as u64 == bp.lsize() {
            return Ok(Block {
                data: Rc::new(raw),
                endian,
            });
        }
        let data = decompress(kind, &raw, bp.lsize() as usize);
        let data = data.map_err(|e| PoolError::damaged(place(), e))?;
        Ok(Block {
            data: Rc::new(data),
            endian,
        })
    }

    /// The stored bytes of `bp`, verified and not decompressed: [`Blkptr::psize`] bytes.
    pub async fn read_raw(&self, bp: &Blkptr) -> Result<Vec<u8>> {
        bp.validate()
            .map_err(|e| PoolError::from(e).at(format!("block {bp}")))?;
        self.require_checksum(bp)?;
        let mut failures = Vec::new();
        for dva in bp.dvas() {
            match self.read_copy(bp, dva).await {
                Ok(bytes) => {
                    self.0
                        .bytes_read
                        .set(self.0.bytes_read.get() + bytes.len() as u64);
                    return Ok(bytes);
                }
                Err(mut more) => failures.append(&mut more),
            }
        }
        failures.dedup();
        Err(PoolError::damaged(
            format!("block {bp}"),
            failures.join("; "),
        ))
    }

    async fn read_copy(&self, bp: &Blkptr, dva: Dva) -> core::result::Result<Vec<u8>, Vec<String>> {
        let top = self.top(dva).map_err(|e| vec![e])?;
        let verify = |bytes: &[u8]| self.passes(bp, bytes);
        if dva.gang {
            let bytes = self
                .read_gang(bp, dva)
                .await
                .map_err(|e| vec![e.to_string()])?;
            return match verify(&bytes) {
                true => Ok(bytes),
                false => Err(vec![format!("gang block at {dva}: checksum mismatch")]),
            };
        }
        top.read(&self.0.rt, dva.offset, bp.psize(), &verify)
            .await
            .map_err(|f| f.0)
    }

    /// The vdev of `dva`, when the range lies on it.
    pub(super) fn top(&self, dva: Dva) -> core::result::Result<&TopVdev, String> {
        let Some(top) = self.0.tops.get(dva.vdev as usize) else {
            let count = self.0.tops.len();
            return Err(format!("copy {dva}: the pool has {count} top-level vdevs"));
        };
        match dva
            .offset
            .checked_add(dva.asize)
            .is_some_and(|end| end <= top.asize)
        {
            true => Ok(top),
            false => Err(format!(
                "copy {dva}: beyond the {:#x} bytes of the vdev",
                top.asize
            )),
        }
    }

    /// The bytes of log block `bp`, not verified: the block carries its checksum itself.
    pub async fn read_log_block(&self, bp: &Blkptr) -> Result<Vec<u8>> {
        let place = || format!("log block {bp}");
        bp.validate().map_err(|e| PoolError::from(e).at(place()))?;
        let mut failures = Vec::new();
        for dva in bp.dvas() {
            let verify = |bytes: &[u8]| ZilChain::parse(bytes, bp).is_ok();
            match self.top(dva) {
                Ok(top) => match top.read(&self.0.rt, dva.offset, bp.psize(), &verify).await {
                    Ok(bytes) => return Ok(bytes),
                    Err(mut f) => failures.append(&mut f.0),
                },
                Err(e) => failures.push(e),
            }
        }
        Err(PoolError::damaged(place(), failures.join("; ")))
    }

    /// Every copy of `bp`, and of each what every replica gives. Gangs count as one replica.
    pub async fn read_all_copies(&self, bp: &Blkptr) -> Vec<CopyReport> {
        let mut reports = Vec::new();
        for dva in bp.dvas() {
            let verify = |bytes: &[u8]| self.passes(bp, bytes);
            let found = match self.top(dva) {
                Ok(top) if !dva.gang => {
                    top.read_all(&self.0.rt, dva.offset, bp.psize(), &verify)
                        .await
                }
                _ => {
                    let problem = self.read_copy(bp, dva).await.err().map(|e| e.join("; "));
                    vec![CopyReport {
                        name: "gang block".to_string(),
                        problem,
                    }]
                }
            };
            let named = found.into_iter().map(|r| CopyReport {
                name: format!("{dva} on {}", r.name),
                ..r
            });
            reports.extend(named);
        }
        reports
    }

    fn require_checksum(&self, bp: &Blkptr) -> Result<()> {
        let kind = bp.checksum_kind().unwrap_or(ChecksumKind::Off);
        checksum(kind, bp.endian(), self.0.salt.get().as_ref(), &[])
            .map(drop)
            .map_err(|e| PoolError::new(PoolErrorKind::Unsupported, e).at(format!("block {bp}")))
    }

    /// Whether stored bytes have the checksum of `bp`.
    fn passes(&self, bp: &Blkptr, bytes: &[u8]) -> bool {
        let kind = bp.checksum_kind().unwrap_or(ChecksumKind::Off);
        let salt = self.0.salt.get();
        let Ok(found) = checksum(kind, bp.endian(), salt.as_ref(), bytes) else {
            return false;
        };
        let stored = bp.checksum();
        if kind == ChecksumKind::Off {
            return true;
        }
        if !bp.is_protected() {
            return found == stored;
        }
        // Words 2 and 3 hold a MAC, so the checksum has to do with two words.
        let short = match kind.is_fletcher() {
            true => [found[0] ^ found[2], found[1] ^ found[3]],
            false => [found[0], found[1]],
        };
        short == [stored[0], stored[1]]
    }
}
