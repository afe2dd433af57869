//! What stands where there is nothing to show: why, and what to do.

use crate::context::use_ctx;
use crate::protocol::Failure;
use crate::route::View;
use std::rc::Rc;
use yew::prelude::*;

/// See [`FailureBox`].
#[derive(Properties, PartialEq)]
pub struct FailureProps {
    /// What went wrong.
    pub failure: Rc<Failure>,
    /// More below it.
    #[prop_or_default]
    pub children: Html,
}

/// A failure: headline, place, what is wrong, what to do.
#[component]
pub fn FailureBox(props: &FailureProps) -> Html {
    let f = &props.failure;
    html! {
        <section class="notice notice-bad" role="alert">
            <h2>{ f.title() }</h2>
            if !f.place.is_empty() {
                <p class="mono notice-place">{ &f.place }</p>
            }
            <p>{ sentence(&f.message) }</p>
            if !f.advice.is_empty() {
                <p class="notice-advice">{ sentence(&f.advice) }</p>
            }
            { props.children.clone() }
        </section>
    }
}

/// `text` with a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let mut out: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    out.push_str(chars.as_str());
    if !out.ends_with(['.', '!', '?', ':']) && !out.is_empty() {
        out.push('.');
    }
    out
}

/// See [`Empty`].
#[derive(Properties, PartialEq)]
pub struct EmptyProps {
    /// Headline.
    pub title: AttrValue,
    /// What to do.
    #[prop_or_default]
    pub children: Html,
}

/// An empty state.
#[component]
pub fn Empty(props: &EmptyProps) -> Html {
    html! {
        <section class="notice">
            <h2>{ &props.title }</h2>
            { props.children.clone() }
        </section>
    }
}

/// What a view says when no pool is open.
#[component]
pub fn NoPool() -> Html {
    let ctx = use_ctx();
    let files = &ctx.route().files;
    html! {
        <Empty title="No pool is open">
            if files.is_empty() {
                <p>{ "Open an image or take a sample; then this view shows it." }</p>
            } else {
                <p>
                    { "This link points into a local image. Open it here and the link leads to \
                       the same place:" }
                    { " " }<span class="mono">{ files.join(", ") }</span>
                </p>
            }
            <button class="primary" onclick={ctx.to(ctx.route().with(View::Start))}>
                { "Open something" }
            </button>
        </Empty>
    }
}

/// See [`Loading`].
#[derive(Properties, PartialEq)]
pub struct LoadingProps {
    /// What is awaited.
    pub what: AttrValue,
}

/// A wait; appears only after a moment, so that fast answers do not flicker.
#[component]
pub fn Loading(props: &LoadingProps) -> Html {
    html! {
        <p class="loading" role="status"><span class="tide" aria-hidden="true" />{ &props.what }</p>
    }
}
