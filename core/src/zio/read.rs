//! The read pipeline.

use super::verify::Verifier;
use crate::base::{Endian, PoolError, PoolErrorKind, Result};
use crate::codec::{Compression, decompress};
use crate::format::{Blkptr, Dva, EmbeddedKind, GANG_HEADER_SIZE, ObjectType, ZilChain};
use crate::rt::Rt;
use crate::vdev::{FailedTry, ReadFailure, TopVdev, Verify, Why};
use core::cell::Cell;
use std_alloc::format;
use std_alloc::rc::Rc;
use std_alloc::string::String;
use std_alloc::vec;
use std_alloc::vec::Vec;

/// The contents of a block and the byte order of its writer. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Logical bytes.
    pub data: Rc<Vec<u8>>,
    /// Byte order of the contents.
    pub endian: Endian,
}

impl Block {
    /// A block of these bytes.
    pub fn new(data: Vec<u8>, endian: Endian) -> Self {
        let data = Rc::new(data);
        Self { data, endian }
    }
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
        Self(Rc::new(Inner { rt: rt.clone(), tops, salt, bytes_read }))
    }

    /// The executor.
    pub fn rt(&self) -> &Rt {
        &self.0.rt
    }

    /// The top-level vdevs.
    pub fn tops(&self) -> &[TopVdev] {
        &self.0.tops
    }

    /// Sets the pool's salt, once it is known. The MOS does not need it.
    pub fn set_salt(&self, salt: Option<[u8; 32]>) {
        self.0.salt.set(salt);
    }

    /// Physical bytes verified so far.
    pub fn bytes_read(&self) -> u64 {
        self.0.bytes_read.get()
    }

    /// The logical contents of `bp`: [`Blkptr::lsize`] bytes, zeros for a hole.
    ///
    /// # Errors
    /// `Encrypted` for contents that need a key; `Unsupported` for checksums and vdevs that are not
    /// read here; `Damaged`, `Io` or `Missing` when no copy served, with every try in the message.
    pub async fn read(&self, bp: &Blkptr) -> Result<Block> {
        let endian = bp.endian();
        if bp.is_hole() {
            return Ok(Block::new(vec![0; bp.lsize() as usize], endian));
        }
        // Dnode blocks of encrypted data sets hold their heads in the clear and are not packed.
        if bp.is_encrypted() && bp.object_type() != ObjectType::DNODE {
            let message = "the data are encrypted and no key is loaded";
            return Err(PoolError::new(PoolErrorKind::Encrypted, message));
        }
        let raw = self.read_raw(bp).await?;
        let kind = bp.compression().unwrap_or(Compression::Off);
        if kind == Compression::Off && raw.len() as u64 == bp.lsize() {
            return Ok(Block::new(raw, endian));
        }
        let data = decompress(kind, &raw, bp.lsize() as usize);
        let data = data.map_err(|e| PoolError::damaged(format!("block {bp}"), e))?;
        Ok(Block::new(data, endian))
    }

    /// The stored bytes of `bp`, verified and not decompressed: [`Blkptr::psize`] bytes, also of
    /// encrypted blocks; the payload of an embedded one; nothing for a hole.
    ///
    /// # Errors
    /// As [`Zio::read`], but for `Encrypted`.
    pub async fn read_raw(&self, bp: &Blkptr) -> Result<Vec<u8>> {
        if bp.is_hole() {
            return Ok(Vec::new());
        }
        let place = || format!("block {bp}");
        bp.validate().map_err(|e| PoolError::from(e).at(place()))?;
        match (bp.embedded_kind(), bp.embedded_payload()) {
            (Some(EmbeddedKind::Data), Some(payload)) => return Ok(payload),
            (Some(_), _) => {
                let message = "the block was redacted; its data are not in this pool";
                return Err(PoolError::damaged(place(), message));
            }
            (None, _) => {}
        }
        let verifier = self.verifier(bp).map_err(|e| e.at(place()))?;
        let verify = |bytes: &[u8]| verifier.passes(bytes);
        let bytes = self.read_any_copy(bp, &verify).await?;
        self.0.bytes_read.set(self.0.bytes_read.get() + bytes.len() as u64);
        Ok(bytes)
    }

    /// The bytes of log block `bp`: it carries its checksum itself.
    ///
    /// # Errors
    /// `Damaged`, `Io` or `Missing` when no copy is a whole log block: the log ends before it.
    pub async fn read_log_block(&self, bp: &Blkptr) -> Result<Vec<u8>> {
        let place = |e| PoolError::from(e).at(format!("log block {bp}"));
        bp.validate().map_err(place)?;
        let verify = |bytes: &[u8]| ZilChain::parse(bytes, bp).is_ok();
        self.read_any_copy(bp, &verify).await
    }

    /// Stored bytes that pass `verify` from the first copy that has them.
    async fn read_any_copy(&self, bp: &Blkptr, verify: &Verify<'_>) -> Result<Vec<u8>> {
        let mut failure = ReadFailure::default();
        for dva in bp.dvas() {
            match self.read_copy(bp, dva, verify).await {
                Ok(bytes) => return Ok(bytes),
                Err(more) => failure.tries.extend(more.tries),
            }
        }
        failure.tries.dedup();
        Err(PoolError::new(failure.kind(), &failure).at(format!("block {bp}")))
    }

    pub(super) async fn read_copy(
        &self,
        bp: &Blkptr,
        dva: Dva,
        verify: &Verify<'_>,
    ) -> core::result::Result<Vec<u8>, ReadFailure> {
        if dva.gang {
            return self.read_gang(bp, dva, verify).await;
        }
        let top = self.top(dva, bp.psize())?;
        top.read(self.rt(), dva.offset, bp.psize(), verify).await
    }

    pub(super) fn verifier(&self, bp: &Blkptr) -> Result<Verifier> {
        Verifier::new(bp, self.0.salt.get())
    }

    /// The vdev of `dva`, when `psize` bytes of a block, or a gang header, fit there.
    pub(super) fn top(&self, dva: Dva, psize: u64) -> core::result::Result<&TopVdev, ReadFailure> {
        let bad = |why: String| {
            Err(ReadFailure::one(FailedTry {
                device: format!("copy {dva}"),
                offset: dva.offset,
                size: psize,
                why: Why::Pointer(why),
            }))
        };
        let Some(top) = self.0.tops.get(dva.vdev as usize) else {
            return bad(format!("the pool has {} top-level vdevs", self.0.tops.len()));
        };
        // The size of a gang copy counts members, which lie elsewhere.
        let least = match dva.gang {
            true => GANG_HEADER_SIZE as u64,
            false => dva.asize.max(psize),
        };
        let end = dva.offset.checked_add(least);
        if end.is_none_or(|end| end > top.asize) {
            return bad(format!("beyond the {:#x} bytes of the vdev", top.asize));
        }
        if dva.offset & (top.sector() - 1) != 0 {
            let sector = top.sector();
            return bad(format!("no multiple of the sector of {sector} bytes"));
        }
        Ok(top)
    }
}
