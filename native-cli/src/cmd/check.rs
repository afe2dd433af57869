//! `tidepool check`: walks every block.

use crate::args::PoolArgs;
use crate::out::{Outcome, Output};
use crate::render;
use crate::render::progress::ProgressLine;
use clap::Args;
use tidepool::pool::CheckOptions;

/// Walk every block: checksums, leaks, double allocations, space maps, accounting
#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pool: PoolArgs,

    /// Count blocks by size, and what each special_small_blocks value would move
    #[arg(long)]
    sizes: bool,

    /// Read every copy: each ditto block, each side of a mirror, each parity column
    #[arg(long)]
    all_copies: bool,

    /// Verify metadata only; file data are counted but not read
    #[arg(long)]
    metadata_only: bool,
}

impl Check {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        let opened = self.pool.open()?;
        let options = CheckOptions {
            metadata_only: self.metadata_only,
            all_copies: self.all_copies,
            sizes: self.sizes,
        };
        let mut line = ProgressLine::on_terminal();
        let mut progress = |p| {
            line.update(p);
            true
        };
        let walked = opened.ask(opened.pool.check(&options, &mut progress));
        line.clear();
        let view = walked?;
        match out.is_json() {
            true => out.json(&view)?,
            false => render::check::print(out, &view)?,
        }
        Ok(u8::from(!view.clean))
    }
}
