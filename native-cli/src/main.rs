//! The `tidepool` command: looks into OpenZFS pools without writing a byte to them.

mod args;
mod cmd;
mod http;
mod out;
mod render;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// See inside any OpenZFS pool. Nothing is ever written to its devices.
#[derive(Parser)]
#[command(name = "tidepool", version, propagate_version = true)]
#[command(after_help = "Exit codes: 0 done, 1 damage found or failed, 2 usage, \
    3 not a pool, unsupported or refused.")]
pub(crate) struct Cli {
    /// Answer in JSON, for programs
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Play(cmd::play::Play),
    Scan(cmd::scan::Scan),
    Show(cmd::show::Show),
    Map(cmd::map::Map),
    Check(cmd::check::Check),
    Ls(cmd::ls::Ls),
    Cat(cmd::cat::Cat),
    Get(cmd::get::Get),
    Explain(cmd::explain::Explain),
    #[command(hide = true)]
    Completions(cmd::generate::Completions),
    #[command(hide = true)]
    Man(cmd::generate::Man),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = out::Output::new(cli.json);
    let outcome = match &cli.command {
        Command::Play(c) => c.run(&mut out),
        Command::Scan(c) => c.run(&mut out),
        Command::Show(c) => c.run(&mut out),
        Command::Map(c) => c.run(&mut out),
        Command::Check(c) => c.run(&mut out),
        Command::Ls(c) => c.run(&mut out),
        Command::Cat(c) => c.run(&mut out),
        Command::Get(c) => c.run(&mut out),
        Command::Explain(c) => c.run(&mut out),
        Command::Completions(c) => c.run(&mut out),
        Command::Man(c) => c.run(&mut out),
    };
    let outcome = outcome.and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    ExitCode::from(outcome.unwrap_or_else(|failure| out::report(&failure, cli.json)))
}
