//! Gang blocks: a block whose pieces are listed by a header, which may list headers again.

use super::read::Zio;
use crate::base::{PoolError, Result};
use crate::format::{Blkptr, Dva, GANG_HEADER_SIZE, parse_gang_header};
use std_alloc::boxed::Box;
use std_alloc::format;
use std_alloc::vec::Vec;

/// Headers in headers deeper than this are damage: a 16 MiB block of 512-byte pieces needs 10.
const MAX_DEPTH: u32 = 16;

impl Zio {
    /// The pieces of gang copy `dva` of `bp`, joined; the caller holds them against the checksum.
    pub(super) async fn read_gang(&self, bp: &Blkptr, dva: Dva) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.gang_pieces(bp, dva, bp.psize(), 0, &mut out).await?;
        Ok(out)
    }

    /// The members of gang copy `dva` of `bp`.
    pub async fn gang_members(&self, bp: &Blkptr, dva: Dva) -> Result<Vec<Blkptr>> {
        let place = || format!("gang header at {dva}");
        let top = self.top(dva).map_err(|e| PoolError::damaged(place(), e))?;
        let (first, birth) = (bp.dva(0), bp.physical_birth());
        let verify = |bytes: &[u8]| parse_gang_header(bytes, first, birth).is_ok();
        let header = top
            .read(self.rt(), dva.offset, GANG_HEADER_SIZE as u64, &verify)
            .await;
        let header = header.map_err(|f| PoolError::damaged(place(), f.0.join("; ")))?;
        Ok(parse_gang_header(&header, first, birth)?)
    }

    async fn gang_pieces(
        &self,
        bp: &Blkptr,
        dva: Dva,
        limit: u64,
        depth: u32,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let damaged = |message: &str| PoolError::damaged(format!("gang header at {dva}"), message);
        if depth > MAX_DEPTH {
            return Err(damaged("headers inside headers without end"));
        }
        for member in self.gang_members(bp, dva).await? {
            if out.len() as u64 + member.psize() > limit {
                return Err(damaged("the pieces are longer than the block"));
            }
            match member.dvas().find(|d| d.gang) {
                Some(nested) => {
                    Box::pin(self.gang_pieces(&member, nested, limit, depth + 1, out)).await?;
                }
                None => out.append(&mut Box::pin(self.read_raw(&member)).await?),
            }
        }
        Ok(())
    }
}
