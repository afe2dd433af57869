//! `cargo verify`: every check, in order, with its time; what failed and what was skipped and why.

use crate::debian;
use crate::install::{Installer, first_line};
use crate::project::Project;
use crate::run;
use crate::wasm;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Limit of a step that compiles or tests.
const LONG: Duration = Duration::from_secs(2400);

/// What became of a step: a few words, or why it was skipped.
enum Outcome {
    Passed(String),
    Skipped(String),
    Failed(String),
}

type Step = (&'static str, fn(&Project) -> Outcome);

const STEPS: [Step; 11] = [
    ("tools", tools),
    ("format", format),
    ("lints", lints),
    ("tests", tests),
    ("docs", docs),
    ("core-wasm", core_wasm),
    ("web-lints", web_lints),
    ("web-build", web_build),
    ("release", release),
    ("browser", browser),
    ("examples", examples),
];

/// Runs the steps named in `only`, or all.
pub(crate) fn run(project: &Project, only: &[String]) -> Result<(), String> {
    let names = STEPS.map(|(name, _)| name);
    if let Some(unknown) = only.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(format!("no step {unknown}: there are {}", names.join(", ")));
    }
    let (mut passed, mut failed, mut skips) = (0, Vec::new(), Vec::new());
    for (name, step) in STEPS {
        if !only.is_empty() && !only.iter().any(|o| o == name) {
            continue;
        }
        print!("{name:<10} ");
        let _ = std::io::stdout().flush();
        let started = Instant::now();
        let outcome = step(project);
        let seconds = started.elapsed().as_secs_f64();
        match outcome {
            Outcome::Passed(words) => {
                passed += 1;
                println!("ok      {seconds:>7.1} s  {words}");
                skips.extend(read_skips(project, name));
            }
            Outcome::Skipped(why) => {
                println!("skipped {seconds:>7.1} s  {}", first_line(&why));
                skips.push(format!("{name}: {}", first_line(&why)));
            }
            Outcome::Failed(why) => {
                println!("FAILED  {seconds:>7.1} s\n{why}\n");
                failed.push(name);
                skips.extend(read_skips(project, name));
            }
        }
    }
    skips.sort();
    skips.dedup();
    skips.iter().for_each(|line| println!("skipped: {line}"));
    failed.iter().for_each(|name| println!("failed: {name}"));
    let whole = skips.iter().filter(|line| names.iter().any(|n| line.starts_with(n)));
    println!("{passed} passed, {} failed, {} skipped", failed.len(), whole.count());
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("logs are in {}", project.target.join("verify").display())),
    }
}

/// Lines of a step's log by which a test says that it could not run.
fn read_skips(project: &Project, name: &str) -> Vec<String> {
    let log = std::fs::read(project.log(name)).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines = log.lines().filter_map(|l| l.trim().strip_prefix("skipped: "));
    lines.map(|why| format!("in {name}: {why}")).collect()
}

fn judge(done: Result<String, String>, words: &str) -> Outcome {
    match done {
        Ok(_) => Outcome::Passed(words.to_owned()),
        Err(why) => Outcome::Failed(why),
    }
}

fn cargo(project: &Project, name: &str, args: &[&str]) -> Result<String, String> {
    run::logged(&mut project.cargo(args), LONG, &project.log(name))
}

/// Installs what later steps need. What cannot be had is told here and skipped there.
fn tools(project: &Project) -> Outcome {
    println!();
    let installer = installer(project);
    let wanted = [
        ("wasm tools", installer.wasm_tools()),
        ("wasm-opt", installer.wasm_opt()),
        ("OpenZFS's tools", debian::openzfs(project)),
        ("Chromium", debian::chromium(project)),
    ];
    let mut missing = Vec::new();
    for (name, got) in wanted {
        if let Err(why) = got {
            missing.push(format!("{name}: {}", first_line(&why)));
        }
    }
    match missing.is_empty() {
        true => Outcome::Passed("all there".into()),
        false => Outcome::Skipped(missing.join("; ")),
    }
}

fn format(project: &Project) -> Outcome {
    judge(cargo(project, "format", &["fmt", "--all", "--check"]), "")
}

fn lints(project: &Project) -> Outcome {
    // Tests, benches and examples print; the packages themselves are held by the tidy test.
    let allowed = "clippy::print_stdout";
    let args = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings", "-A"];
    let args = [&args[..], &[allowed]].concat();
    judge(cargo(project, "lints", &args), "all packages, no warning")
}

fn tests(project: &Project) -> Outcome {
    let args = ["test", "--workspace", "--no-fail-fast", "--", "--show-output"];
    let done = cargo(project, "tests", &args);
    let log = std::fs::read(project.log("tests")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let (mut passed, mut failed) = (0u64, 0u64);
    for line in log.lines().filter(|l| l.starts_with("test result:")) {
        passed += count(line, "passed");
        failed += count(line, "failed");
    }
    match done {
        Ok(_) if passed == 0 => Outcome::Failed("no test ran".into()),
        Ok(_) => Outcome::Passed(format!("{passed} tests")),
        Err(why) => {
            let blame = failures(&log);
            Outcome::Failed(format!("{passed} passed, {failed} did not\n{blame}\n{why}"))
        }
    }
}

/// The number before `word` in a summary line of the test runner.
fn count(line: &str, word: &str) -> u64 {
    let mut before = 0;
    for part in line.split([' ', ';']).filter(|p| !p.is_empty()) {
        if part == word {
            return before;
        }
        before = part.parse().unwrap_or(0);
    }
    0
}

/// What failed tests printed.
fn failures(log: &str) -> String {
    let mut shown = String::new();
    let mut inside = false;
    for line in log.lines() {
        inside = match line {
            "failures:" => true,
            "successes:" => false,
            _ => inside && !line.starts_with("test result:"),
        };
        if inside && shown.len() < 20_000 {
            shown.push_str(line);
            shown.push('\n');
        }
    }
    shown
}

fn docs(project: &Project) -> Outcome {
    let mut doc = project.cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    let done = run::logged(&mut doc, LONG, &project.log("docs"));
    judge(done, "no warning")
}

fn installer(project: &Project) -> Installer<'_> {
    Installer { project, shown: false }
}

fn core_wasm(project: &Project) -> Outcome {
    if let Err(why) = installer(project).wasm_target() {
        return Outcome::Skipped(why);
    }
    match wasm::check(project) {
        Ok(words) => Outcome::Passed(words),
        Err(why) => Outcome::Failed(why),
    }
}

fn web_lints(project: &Project) -> Outcome {
    if let Err(why) = installer(project).wasm_target() {
        return Outcome::Skipped(why);
    }
    let args = [
        "clippy",
        "-p",
        "tidepool-web",
        "--target",
        "wasm32-unknown-unknown",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ];
    judge(cargo(project, "web-lints", &args), "as built for the browser")
}

fn web_build(project: &Project) -> Outcome {
    let installer = installer(project);
    if let Err(why) = installer.wasm_tools() {
        return Outcome::Skipped(why);
    }
    match installer.build_web() {
        Ok(words) => Outcome::Passed(words),
        Err(why) => Outcome::Failed(why),
    }
}

fn release(project: &Project) -> Outcome {
    let args = ["build", "--release", "--quiet", "-p", "tidepool-cli"];
    judge(cargo(project, "release", &args), "the tidepool command")
}

fn browser(project: &Project) -> Outcome {
    if !project.has("web/e2e/run.mjs") {
        return Outcome::Skipped("web/e2e/run.mjs is not there".into());
    }
    if !project.has("web/static/pkg") {
        return Outcome::Skipped("the playground was not built".into());
    }
    for program in ["node", "npm", "chromium"] {
        if project.which(program).is_none() {
            return Outcome::Skipped(format!("there is no {program}"));
        }
    }
    let mut npm = project.command("npm");
    npm.args(["install", "--no-audit", "--no-fund"]).current_dir(project.root.join("web/e2e"));
    let installed = run::logged(&mut npm, Duration::from_secs(300), &project.log("npm"));
    if let Err(why) = installed {
        let why = first_line(&why).to_owned();
        return Outcome::Skipped(format!("the browser driver cannot be installed: {why}"));
    }
    let (mut server, _out, address) = match serve(project) {
        Ok(started) => started,
        Err(why) => return Outcome::Failed(why),
    };
    let mut node = project.command("node");
    node.arg("run.mjs").arg(&address).current_dir(project.root.join("web/e2e"));
    let done = run::logged(&mut node, Duration::from_secs(900), &project.log("browser"));
    run::end(&mut server, false);
    match done {
        Ok(text) => Outcome::Passed(text.lines().last().unwrap_or("").to_owned()),
        Err(why) => Outcome::Failed(why),
    }
}

/// Starts `tidepool play` on a free port; the process, its output, and the address it prints.
fn serve(project: &Project) -> Result<(Child, Option<impl BufRead>, String), String> {
    let program = project.target.join("release/tidepool");
    let mut play = project.command(&program.display().to_string());
    play.args(["play", "--port", "0"]);
    let images = project.root.join("../shared/images");
    if images.is_dir() {
        play.arg(images);
    }
    play.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = play.spawn().map_err(|e| format!("cannot start tidepool play: {e}"))?;
    let mut line = String::new();
    let mut out = server.stdout.take().map(BufReader::new);
    if let Some(out) = &mut out {
        // It prints the address at once or ends.
        let _ = out.read_line(&mut line);
    }
    match line.split_whitespace().find(|word| word.starts_with("http://")) {
        Some(address) => Ok((server, out, address.to_owned())),
        None => {
            run::end(&mut server, false);
            Err("tidepool play printed no address".into())
        }
    }
}

fn examples(project: &Project) -> Outcome {
    let mut names = Vec::new();
    let folder = project.root.join("examples");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".rs").filter(|name| *name != "lib") {
            names.push(name.to_owned());
        }
    }
    names.sort();
    let mut said = String::new();
    for name in &names {
        let args = ["run", "--release", "--quiet", "-p", "tidepool-examples", "--example", name];
        match cargo(project, "example", &args) {
            Ok(text) => said.push_str(&text),
            Err(why) => return Outcome::Failed(format!("{name}: {why}")),
        }
    }
    // Kept whole, so that what an example skipped is listed at the end.
    let _ = std::fs::write(project.log("examples"), said);
    Outcome::Passed(names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_runners_summary_is_read() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured";
        assert_eq!((count(line, "passed"), count(line, "failed")), (12, 3));
        assert_eq!(count("test result: ok.", "passed"), 0);
    }

    #[test]
    fn only_failures_are_shown_of_a_long_log() {
        let log = "running 2 tests\nsuccesses:\nchatter\nfailures:\n---- a stdout ----\n\
                   why\n\ntest result: FAILED. 1 passed\nmore chatter\n";
        assert_eq!(failures(log), "failures:\n---- a stdout ----\nwhy\n\n");
    }
}
