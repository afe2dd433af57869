//! `cargo play` and `cargo verify`: the two commands of the project.
//!
//! This package depends on the standard library alone, so that both start within seconds on a
//! fresh machine. `play` builds the playground and serves it. `verify` runs every check; it goes on
//! after a failure, so that one run shows all of them.
#![allow(clippy::print_stdout, reason = "printing is what these commands are for")]

mod debian;
mod install;
mod play;
mod project;
mod run;
mod verify;
mod wasm;

use project::Project;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo play [ARGUMENTS OF tidepool play]\n       cargo verify [STEP...]";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let project = Project::find();
    let done = match command.as_str() {
        "play" => play::run(&project, &rest),
        "verify" => verify::run(&project, &rest),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
