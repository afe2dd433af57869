//! The few colours. They say nothing that the words do not.

use anstyle::{AnsiColor, Style};

/// Column heads.
pub(crate) const HEAD: Style = Style::new().bold();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// All is well.
pub(crate) const GOOD: Style = color(AnsiColor::Green);
/// Works, but look at it.
pub(crate) const WARN: Style = color(AnsiColor::Yellow);
/// Damage.
pub(crate) const BAD: Style = color(AnsiColor::Red);

const fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

/// The colour of a health word.
pub(crate) fn of_health(health: &str) -> Style {
    match health {
        "online" => GOOD,
        "degraded" => WARN,
        _ => BAD,
    }
}
