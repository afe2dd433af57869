//! `tidepool cat`: the bytes of a file or a volume.

use crate::args::{DevicesArgs, Opened, Target};
use crate::out::{Failure, Outcome, Output};
use clap::Args;
use serde::Serialize;
use std::io::Write;

/// Bytes asked of the pool at a time.
pub(crate) const CHUNK: u32 = 1 << 20;

/// Write the bytes of a file, or of a whole volume, to standard output
#[derive(Args)]
pub(crate) struct Cat {
    /// The file; a volume is named without a path
    #[arg(value_name = "DATASET[@SNAP]:PATH")]
    target: String,

    #[command(flatten)]
    devices: DevicesArgs,

    /// First byte
    #[arg(long, value_name = "BYTE", default_value_t = 0)]
    offset: u64,

    /// At most so many bytes
    #[arg(long, value_name = "BYTES", default_value_t = u64::MAX, hide_default_value = true)]
    length: u64,
}

#[derive(Serialize)]
struct Bytes {
    offset: u64,
    length: u64,
    hex: String,
}

impl Cat {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        let target = Target::parse(&self.target)?;
        let opened = self.devices.open(Some(&target.dataset))?;
        let end = self.offset.saturating_add(self.length);
        if out.is_json() {
            let mut hex = String::new();
            let mut take = |bytes: &[u8]| {
                bytes.iter().for_each(|b| hex.push_str(&format!("{b:02x}")));
                Ok(())
            };
            let length = copy(&opened, &target, self.offset..end, &mut take)?;
            let offset = self.offset;
            out.json(&Bytes { offset, length, hex })?;
            return Ok(0);
        }
        // Bytes of a file pass no gate for text.
        let mut stdout = std::io::stdout();
        copy(&opened, &target, self.offset..end, &mut |bytes| stdout.write_all(bytes))?;
        stdout.flush()?;
        Ok(0)
    }
}

/// Hands the bytes `range` of `target` to `take`, piece by piece; how many there were.
pub(crate) fn copy(
    opened: &Opened,
    target: &Target,
    range: std::ops::Range<u64>,
    take: &mut dyn FnMut(&[u8]) -> std::io::Result<()>,
) -> Result<u64, Failure> {
    let path = target.path.as_deref().unwrap_or("");
    let mut at = range.start;
    while at < range.end {
        let want = u32::try_from(range.end - at).unwrap_or(CHUNK).min(CHUNK);
        let read = opened.pool.read(&target.dataset, path, at, want);
        let bytes = opened.ask(read)?;
        if bytes.is_empty() {
            break;
        }
        take(&bytes)?;
        at += bytes.len() as u64;
    }
    Ok(at - range.start)
}
