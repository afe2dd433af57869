//! One line on a terminal's standard error: how far, how fast, how much longer.

use super::{duration, nice_bytes};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use tidepool::view::Progress;

/// Between two pictures of the line.
const REDRAW: Duration = Duration::from_millis(200);

/// The line; silent where nobody watches.
pub(crate) struct ProgressLine {
    watched: bool,
    started: Instant,
    drawn: Option<Instant>,
}

impl ProgressLine {
    /// A line on standard error, if that is a terminal.
    pub(crate) fn on_terminal() -> Self {
        Self { watched: std::io::stderr().is_terminal(), started: Instant::now(), drawn: None }
    }

    /// Tells how far the work is.
    pub(crate) fn update(&mut self, progress: Progress) {
        let fresh = |at: Instant| at.elapsed() < REDRAW;
        if !self.watched || self.drawn.is_some_and(fresh) {
            return;
        }
        self.drawn = Some(Instant::now());
        let line = describe(progress, self.started.elapsed());
        // A terminal that went away must not stop the walk.
        let _ = write!(std::io::stderr(), "\r{line}\x1b[K");
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn describe(progress: Progress, spent: Duration) -> String {
    let Progress { done, total, blocks } = progress;
    let done = done.min(total);
    let percent = u128::from(done) * 100 / u128::from(total.max(1));
    let millis = spent.as_millis().max(1);
    let rate = u64::try_from(u128::from(done) * 1000 / millis).unwrap_or(u64::MAX);
    let mut line = format!(
        "{percent:>3}%  {} of {}  {blocks} blocks  {}/s",
        nice_bytes(done),
        nice_bytes(total),
        nice_bytes(rate)
    );
    if rate > 0 && millis >= 1000 {
        line.push_str(&format!("  {} left", duration((total - done) / rate)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_share_rate_and_time_left() {
        let progress = Progress { done: 1 << 30, total: 4 << 30, blocks: 77 };
        let line = describe(progress, Duration::from_secs(8));
        assert_eq!(line, " 25%  1G of 4G  77 blocks  128M/s  0:24 left");
        let nothing = describe(Progress::default(), Duration::ZERO);
        assert_eq!(nothing, "  0%  0 of 0  0 blocks  0/s");
    }
}
