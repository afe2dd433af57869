//! Runs a command with a time limit, its output into a log or to the terminal.

use std::fs::File;
use std::io::IsTerminal;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Lines of a log that are shown after a failure.
const TAIL: usize = 80;

/// Between two looks at a running command.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs `command` with its output on the terminal and without a limit.
pub(crate) fn shown(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| cannot_start(command, &e))?;
    judge(command, status)
}

/// Runs `command` for at most `limit`, output into the file `log`; gives back what it printed. A
/// failure carries the end of the log.
pub(crate) fn logged(command: &mut Command, limit: Duration, log: &Path) -> Result<String, String> {
    let file = File::create(log).map_err(|e| format!("cannot write {}: {e}", log.display()))?;
    let both = file.try_clone().map_err(|e| e.to_string())?;
    command.stdin(Stdio::null()).stdout(file).stderr(both);
    let done = limited(command, limit);
    let text = std::fs::read(log).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&text).into_owned();
    match done {
        Ok(()) => Ok(text),
        Err(message) => {
            let mut lines = text.lines().rev();
            let error = lines.find(|l| l.starts_with("error") || l.starts_with("E:"));
            let error = error.map_or(String::new(), |line| format!(": {line}"));
            Err(format!("{message}{error}\n{}", tail(&text)))
        }
    }
}

/// Runs `command` for at most `limit` and takes what it prints on standard output.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let done = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    done.status.success().then_some(text)
}

fn limited(command: &mut Command, limit: Duration) -> Result<(), String> {
    // A group of its own lets us end all that it started. At a terminal it stays in ours, so that
    // Ctrl-C reaches it.
    let grouped = !std::io::stdin().is_terminal();
    if grouped {
        command.process_group(0);
    }
    let mut child = command.spawn().map_err(|e| cannot_start(command, &e))?;
    let started = Instant::now();
    loop {
        let ended = child.try_wait().map_err(|e| e.to_string())?;
        if let Some(status) = ended {
            return judge(command, status);
        }
        if started.elapsed() > limit {
            end(&mut child, grouped);
            let name = name(command);
            return Err(format!("{name} was stopped after {} s", limit.as_secs()));
        }
        std::thread::sleep(PAUSE);
    }
}

/// Ends a child that we started, with its group when it has one of its own.
pub(crate) fn end(child: &mut Child, grouped: bool) {
    if grouped {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn judge(command: &Command, status: ExitStatus) -> Result<(), String> {
    match status.success() {
        true => Ok(()),
        false => Err(format!("{} ended with {status}", name(command))),
    }
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start {}: {error}", name(command))
}

fn name(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let mut text = program.to_string_lossy().into_owned();
    for arg in command.get_args().take(3) {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_hangs_is_stopped_and_one_that_fails_shows_its_end() {
        let log = std::env::temp_dir().join(format!("tidepool-run-{}", std::process::id()));
        let shell = |script: &str, ms: u64| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            logged(&mut command, Duration::from_millis(ms), &log)
        };
        assert_eq!(shell("echo hi", 10_000).unwrap(), "hi\n");
        let failed = shell("echo why; exit 3", 10_000).unwrap_err();
        assert!(failed.contains("exit status: 3") && failed.contains("why"), "{failed}");
        let stopped = shell("sleep 60", 200).unwrap_err();
        assert!(stopped.contains("was stopped"), "{stopped}");
        std::fs::remove_file(&log).unwrap();
    }
}
