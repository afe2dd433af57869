//! The page's own state: where the user is and which overlays are open. No engine state: of the
//! pool it holds only the last views that were handed over.

use crate::protocol::Failure;
use crate::route::{Route, View};
use std::rc::Rc;
use tidepool::pool::ScanView;
use tidepool::view::PoolView;

/// What is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Source {
    /// Nothing.
    #[default]
    Nothing,
    /// On its way, with a label for the wait.
    Opening(String),
    /// A pool; the number grows with each opening, so that old answers are not taken for new ones.
    Open(Rc<PoolView>, u64),
    /// The files hold no pool or several.
    Choose(Rc<ScanView>),
    /// It could not be opened.
    Failed(Rc<Failure>),
}

impl Source {
    /// The open pool.
    pub fn pool(&self) -> Option<&Rc<PoolView>> {
        match self {
            Self::Open(pool, _) => Some(pool),
            _ => None,
        }
    }

    /// Number of the opening, 0 when nothing is open.
    pub fn generation(&self) -> u64 {
        match self {
            Self::Open(_, generation) => *generation,
            _ => 0,
        }
    }
}

/// A layer over the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    /// None.
    #[default]
    None,
    /// Keys.
    Help,
    /// Search.
    Search,
    /// Export.
    Export,
}

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Word in storage and on the document.
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of that word.
    pub fn of(word: &str) -> Self {
        match word {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }

    /// Whether it is dark, when the system is (`system_dark`).
    pub fn is_dark(self, system_dark: bool) -> bool {
        match self {
            Self::System => system_dark,
            Self::Light => false,
            Self::Dark => true,
        }
    }
}

/// The whole state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UiState {
    /// Place.
    pub route: Route,
    /// What is open.
    pub source: Source,
    /// Layer on top.
    pub overlay: Overlay,
    /// Chosen colours.
    pub theme: Theme,
    /// Whether the system prefers dark.
    pub system_dark: bool,
    /// A short message at the foot, with a number that makes each one new.
    pub toast: Option<(u64, String)>,
    /// What a screen reader is told.
    pub spoken: String,
    openings: u64,
    toasts: u64,
}

/// What can happen.
#[derive(Clone, Debug)]
pub enum Action {
    /// Go somewhere.
    Go(Route),
    /// Files or a sample are being opened.
    Opening(String),
    /// The worker has a pool.
    Opened(Box<PoolView>),
    /// The worker wants a choice.
    Choose(Box<ScanView>),
    /// It failed.
    Failed(Failure),
    /// Forget what is open.
    Close,
    /// Open or close a layer.
    Show(Overlay),
    /// Light becomes dark and back.
    ToggleTheme,
    /// The system's preference changed.
    SystemDark(bool),
    /// Say something at the foot.
    Toast(String),
    /// Take the message away, if it is still the same.
    EndToast(u64),
    /// Tell a screen reader.
    Speak(String),
}

impl UiState {
    /// State at start.
    pub fn new(route: Route, theme: Theme, system_dark: bool) -> Self {
        Self { route, theme, system_dark, ..Self::default() }
    }

    /// Whether the page is dark now.
    pub fn dark(&self) -> bool {
        self.theme.is_dark(self.system_dark)
    }

    /// The state after `action`.
    #[must_use]
    pub fn after(&self, action: Action) -> Self {
        let mut next = self.clone();
        match action {
            Action::Go(route) => {
                next.route = route;
                next.overlay = Overlay::None;
            }
            Action::Opening(label) => next.source = Source::Opening(label),
            Action::Opened(pool) => next.opened(*pool),
            Action::Choose(scan) => next.source = Source::Choose(Rc::new(*scan)),
            Action::Failed(failure) => next.source = Source::Failed(Rc::new(failure)),
            Action::Close => {
                next.source = Source::Nothing;
                next.route = Route::default();
            }
            Action::Show(overlay) => next.overlay = overlay,
            Action::ToggleTheme => {
                next.theme = if self.dark() { Theme::Light } else { Theme::Dark };
            }
            Action::SystemDark(dark) => next.system_dark = dark,
            Action::Toast(text) => {
                next.toasts += 1;
                next.toast = Some((next.toasts, text));
            }
            Action::EndToast(id) => next.toast = self.toast.clone().filter(|(n, _)| *n != id),
            Action::Speak(text) => next.spoken = text,
        }
        next
    }

    fn opened(&mut self, pool: PoolView) {
        self.openings += 1;
        if !self.route.view.needs_pool() {
            // A pool that cannot be read shows why; one that can shows its map.
            self.route.view = match pool.refusal {
                Some(_) => View::Pool,
                None => View::Map,
            };
        }
        self.spoken = format!("Pool {} is open", pool.name);
        self.source = Source::Open(Rc::new(pool), self.openings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn opening_shows_the_map_and_keeps_a_deep_link() {
        let state = UiState::default().after(Action::Opened(Box::new(fixture::pool())));
        assert_eq!(state.route.view, View::Map);
        assert_eq!(state.source.generation(), 1);
        let deep = UiState::new(Route::parse("#/labels"), Theme::System, false);
        let state = deep.after(Action::Opened(Box::new(fixture::pool())));
        assert_eq!(state.route.view, View::Labels);
    }

    #[test]
    fn the_theme_toggle_is_seen_at_once() {
        let state = UiState::new(Route::default(), Theme::System, true);
        assert!(state.dark());
        let state = state.after(Action::ToggleTheme);
        assert_eq!((state.dark(), state.theme), (false, Theme::Light));
        assert!(state.after(Action::ToggleTheme).dark());
    }

    #[test]
    fn an_old_timer_does_not_take_a_new_toast() {
        let state =
            UiState::default().after(Action::Toast("a".into())).after(Action::Toast("b".into()));
        assert!(state.after(Action::EndToast(1)).toast.is_some());
        assert!(state.after(Action::EndToast(2)).toast.is_none());
    }

    #[test]
    fn going_somewhere_closes_the_overlay() {
        let state = UiState::default().after(Action::Show(Overlay::Search));
        assert_eq!(state.overlay, Overlay::Search);
        assert_eq!(state.after(Action::Go(Route::default())).overlay, Overlay::None);
    }
}
