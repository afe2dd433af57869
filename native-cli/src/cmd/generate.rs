//! Shell completion and manual pages, made from the same definitions as `--help`.

use crate::Cli;
use crate::out::{Failure, Outcome, Output, usage};
use clap::{Args, CommandFactory};
use std::path::PathBuf;

/// Print the completion script of a shell
#[derive(Args)]
pub(crate) struct Completions {
    /// Which shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tidepool", &mut script);
        out.text(&String::from_utf8_lossy(&script))?;
        Ok(0)
    }
}

/// Write the manual pages of all commands into a folder
#[derive(Args)]
pub(crate) struct Man {
    /// Folder that exists
    folder: PathBuf,
}

impl Man {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        if !self.folder.is_dir() {
            let folder = self.folder.display();
            return Err(usage(format!("{folder} is not a folder: make it first")));
        }
        clap_mangen::generate_to(Cli::command(), &self.folder).map_err(Failure::Io)?;
        out.line(&format!("manual pages written to {}", self.folder.display()))?;
        Ok(0)
    }
}
