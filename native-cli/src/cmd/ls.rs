//! `tidepool ls`: directories of a data set, or the data sets of a pool.

use crate::args::{DevicesArgs, Target};
use crate::out::{Outcome, Output};
use crate::render;
use clap::Args;

/// List a directory of a data set, or the data sets when none is named
#[derive(Args)]
pub(crate) struct Ls {
    /// What to list; a data set without a path stands for its root directory
    #[arg(value_name = "DATASET[@SNAP]:PATH")]
    target: Option<String>,

    #[command(flatten)]
    devices: DevicesArgs,

    /// Names only, one a line
    #[arg(short = '1', long)]
    names: bool,
}

impl Ls {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        let Some(target) = &self.target else {
            return self.datasets(out);
        };
        let target = Target::parse(target)?;
        let opened = self.devices.open(Some(&target.dataset))?;
        let (dataset, path) = (&target.dataset, target.path_or_root());
        let mut files = vec![opened.ask(opened.pool.stat(dataset, path))?];
        if files.iter().all(|f| f.kind == "dir") {
            files = opened.ask(opened.pool.list(dataset, path))?;
        }
        if out.is_json() {
            out.json(&files)?;
        } else if self.names {
            for file in &files {
                out.line(&file.name)?;
            }
        } else {
            render::files::print(out, &files)?;
        }
        Ok(0)
    }

    fn datasets(&self, out: &mut Output) -> Outcome {
        let opened = self.devices.open(None)?;
        let datasets = opened.ask(opened.pool.datasets())?;
        if out.is_json() {
            out.json(&datasets)?;
        } else if self.names {
            for dataset in &datasets {
                out.line(&dataset.name)?;
            }
        } else {
            render::datasets::print(out, &datasets)?;
        }
        Ok(0)
    }
}
