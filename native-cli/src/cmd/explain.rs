//! `tidepool explain`: reads what an OpenZFS tool printed.

use crate::out::{Outcome, Output, usage};
use crate::render;
use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};
use tidepool::base::{PoolError, PoolErrorKind};
use tidepool::report;

/// More than any tool prints; a bigger input is refused rather than read into memory.
const LARGEST: u64 = 256 << 20;

/// Read a pasted output (zdb -m, zpool iostat, txgs, ...), draw it and give one verdict
#[derive(Args)]
pub(crate) struct Explain {
    /// The text; `-`, or nothing, reads standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Explain {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        let path = self.file.as_deref().filter(|p| *p != Path::new("-"));
        let mut bytes = Vec::new();
        let read = match path {
            None => std::io::stdin().take(LARGEST).read_to_end(&mut bytes),
            Some(path) => std::fs::File::open(path)
                .and_then(|file| file.take(LARGEST).read_to_end(&mut bytes)),
        };
        read.map_err(|e| {
            let place = path.map_or("standard input".into(), |p| p.display().to_string());
            PoolError::new(PoolErrorKind::Io, format!("cannot read it: {e}")).at(place)
        })?;
        if bytes.len() as u64 == LARGEST {
            return Err(usage("the text is larger than 256M: cut out the part in question"));
        }
        let view = report::explain(&String::from_utf8_lossy(&bytes));
        match out.is_json() {
            true => out.json(&view)?,
            false => out.text(&report::print(&view, render::width() as usize))?,
        }
        Ok(0)
    }
}
