//! Pool history and intent logs.

use super::{DIM, HEAD, date, nice_bytes};
use crate::out::Output;
use std::io::Result;
use tidepool::view::{HistoryView, ZilView};

/// One record a line, oldest first.
pub(crate) fn print_history(out: &mut Output, records: &[HistoryView]) -> Result<()> {
    for record in records {
        out.styled(DIM, &date(record.time))?;
        out.line(&format!("  {}", record.text))?;
    }
    Ok(())
}

/// Each log with its blocks and their records.
pub(crate) fn print(out: &mut Output, logs: &[ZilView]) -> Result<()> {
    if logs.is_empty() {
        return out.line("no intent log holds anything");
    }
    for log in logs {
        out.styled(HEAD, &log.dataset)?;
        let (claim, replay) = (log.claim_txg, log.replay_seq);
        out.line(&format!("  claim txg {claim}, replayed up to sequence {replay}"))?;
        for block in &log.blocks {
            let (used, size) = (nice_bytes(block.used), nice_bytes(block.size));
            let (seq, pointer) = (block.seq, &block.pointer);
            out.line(&format!("  block {seq}: {used} of {size} in use, {pointer}"))?;
            for record in &block.records {
                out.line(&format!("    {record}"))?;
            }
        }
        out.line(&format!("  ends: {}", log.end))?;
    }
    Ok(())
}
