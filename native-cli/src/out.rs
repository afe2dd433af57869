//! Where commands print, and how they fail.
//!
//! Names in a pool are hostile: a file may be called after a terminal's control sequence. So text
//! passes one gate that shows control characters as `\x1b` and the like, colours are added outside
//! of it, and only where the output is a terminal.

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{BufWriter, IsTerminal, StdoutLock, Write};
use tidepool::base::{PoolError, PoolErrorKind};
use tidepool::view;

/// A command that was not done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The engine or the host says why.
    Pool(PoolError),
    /// Standard output or an output file cannot be written.
    Io(std::io::Error),
}

/// Exit code of a command that was done: 0, or 1 for damage found.
pub(crate) type Outcome = Result<u8, Failure>;

impl From<PoolError> for Failure {
    fn from(e: PoolError) -> Self {
        Self::Pool(e)
    }
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        Self::Io(e)
    }
}

/// A request that makes no sense.
pub(crate) fn usage(message: impl std::fmt::Display) -> Failure {
    Failure::Pool(PoolError::new(PoolErrorKind::Usage, message))
}

/// Standard output of one command.
pub(crate) struct Output {
    out: BufWriter<AutoStream<StdoutLock<'static>>>,
    json: bool,
}

impl Output {
    /// Standard output; `json` says what the user asked for.
    pub(crate) fn new(json: bool) -> Self {
        let stdout = std::io::stdout().lock();
        let out = BufWriter::new(AutoStream::auto(stdout));
        Self { out, json }
    }

    /// Whether a program reads the answer.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a view for programs.
    pub(crate) fn json(&mut self, view: &impl Serialize) -> std::io::Result<()> {
        writeln!(self.out, "{}", view::to_json(view))
    }

    /// Prints lines for people.
    pub(crate) fn text(&mut self, text: &str) -> std::io::Result<()> {
        self.out.write_all(clean(text).as_bytes())
    }

    /// Prints one line for people.
    pub(crate) fn line(&mut self, line: &str) -> std::io::Result<()> {
        self.text(line)?;
        self.out.write_all(b"\n")
    }

    /// Prints text in a style, where the output is a terminal.
    pub(crate) fn styled(&mut self, style: Style, text: &str) -> std::io::Result<()> {
        write!(self.out, "{style}{}{style:#}", clean(text))
    }

    /// Sends out what is held back.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// `text` with its control characters made visible; line ends and tabs stay.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let bad = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match bad(c) {
            true => write!(out, "\\x{:02x}", u32::from(c)).expect("invariant: a string grows"),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Says on standard error what must not be lost but is no answer.
pub(crate) fn note(text: &str) {
    let mut err = anstream::stderr().lock();
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(err, "note: {}", clean(text));
}

#[derive(Serialize)]
struct ErrorView<'a> {
    kind: String,
    place: &'a str,
    message: String,
    next_step: &'a str,
}

#[derive(Serialize)]
struct ErrorLine<'a> {
    error: ErrorView<'a>,
}

/// Tells why the command was not done; gives its exit code. A reader that left is no failure.
pub(crate) fn report(failure: &Failure, json: bool) -> u8 {
    let (view, code) = match failure {
        Failure::Io(e) if e.kind() == std::io::ErrorKind::BrokenPipe => return 0,
        Failure::Io(e) => {
            let view = ErrorView {
                kind: "Io".into(),
                place: "",
                message: format!("cannot write: {e}"),
                next_step: "",
            };
            (view, 1)
        }
        Failure::Pool(e) => {
            let view = ErrorView {
                kind: format!("{:?}", e.kind()),
                place: e.place(),
                message: e.message().into(),
                next_step: e.advice(),
            };
            (view, e.exit_code())
        }
    };
    let stderr = std::io::stderr();
    let choice = match stderr.is_terminal() {
        true => AutoStream::choice(&stderr),
        false => ColorChoice::Never,
    };
    let mut err = AutoStream::new(stderr, choice).lock();
    let _ = match json {
        true => writeln!(err, "{}", view::to_json(&ErrorLine { error: view })),
        false => write_error(&mut err, &view),
    };
    code
}

fn write_error(err: &mut impl Write, view: &ErrorView<'_>) -> std::io::Result<()> {
    let red = Style::new().bold().fg_color(Some(anstyle::AnsiColor::Red.into()));
    write!(err, "{red}tidepool:{red:#} ")?;
    if !view.place.is_empty() {
        write!(err, "{}: ", clean(view.place))?;
    }
    writeln!(err, "{}", clean(&view.message))?;
    if !view.next_step.is_empty() {
        writeln!(err, "  next: {}", clean(view.next_step))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(clean("a\tb\n"), "a\tb\n");
        assert_eq!(clean("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
        assert!(matches!(clean("plain \u{e9}"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_reader_that_left_is_no_failure() {
        let gone = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        assert_eq!(report(&Failure::Io(gone), false), 0);
    }
}
