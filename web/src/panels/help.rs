//! The keys.

use crate::context::use_ctx;
use crate::route::View;
use crate::store::{Action, Overlay};
use yew::prelude::*;

const KEYS: &[(&str, &[(&str, &str)])] = &[
    (
        "Anywhere",
        &[
            ("1 \u{2013} 8", "views"),
            ("/", "search: metaslab, offset, data set, view"),
            ("E", "export as SVG or JSON"),
            ("L", "copy a link to this place"),
            ("T", "light or dark"),
            ("Esc", "back, up, close"),
            ("?", "these keys"),
        ],
    ),
    (
        "Map",
        &[
            ("\u{2190} \u{2191} \u{2193} \u{2192}", "move; also W A S D"),
            ("Home End", "first, last"),
            ("Enter", "open the metaslab"),
        ],
    ),
    (
        "Strip",
        &[
            ("\u{2190} \u{2192}", "move; also A D"),
            ("+ \u{2212}", "zoom; also W S, or the wheel"),
            ("0", "all of it"),
        ],
    ),
    (
        "Range tree",
        &[
            ("\u{2190} \u{2192}", "choose a child"),
            ("Enter \u{2193}", "open it"),
            ("Esc \u{2191}", "close it"),
        ],
    ),
];

/// See [`Layer`].
#[derive(Properties, PartialEq)]
pub struct LayerProps {
    /// Title.
    pub title: AttrValue,
    /// Contents.
    pub children: Html,
}

/// A dialog over the page: takes the focus, gives it back, closes by Escape or a click beside it.
#[component]
pub fn Layer(props: &LayerProps) -> Html {
    let ctx = use_ctx();
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            let document = web_sys::window().and_then(|w| w.document());
            let before = document.and_then(|d| d.active_element());
            if let Some(dialog) = node.cast::<web_sys::Element>() {
                let first = dialog.query_selector("input,button").ok().flatten();
                focus(first.unwrap_or(dialog));
            }
            move || before.into_iter().for_each(focus)
        });
    }
    let close = {
        let ctx = ctx.clone();
        Callback::from(move |()| ctx.dispatch(Action::Show(Overlay::None)))
    };
    let onkeydown = {
        let close = close.clone();
        Callback::from(move |e: KeyboardEvent| {
            if e.key() == "Escape" {
                e.stop_propagation();
                close.emit(());
            }
        })
    };
    html! {
        <div class="layer" {onkeydown} onclick={close.reform(|_: MouseEvent| ())}>
            <div ref={node} class="dialog" role="dialog" aria-modal="true" tabindex="-1"
                aria-label={props.title.clone()} onclick={|e: MouseEvent| e.stop_propagation()}>
                <header class="row"><h2>{ &props.title }</h2>
                    <button class="quiet" aria-label="Close"
                        onclick={close.reform(|_: MouseEvent| ())}>{ "\u{d7}" }</button></header>
                { props.children.clone() }
            </div>
        </div>
    }
}

fn focus(element: web_sys::Element) {
    if let Ok(element) = wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(element) {
        // An element that is gone cannot take the focus back.
        let _ = element.focus();
    }
}

/// The layer.
#[component]
pub fn HelpLayer() -> Html {
    let views = View::ALL.map(|v| format!("{} {}", v.key(), v.label())).join(", ");
    html! {
        <Layer title="Keys">
            <p class="dim">{ views }</p>
            <div class="keys">
                { for KEYS.iter().map(|(group, keys)| html! {
                    <section><h3>{ *group }</h3><dl>
                        { for keys.iter().map(|(key, what)| html! {
                            <div><dt>{ for key.split(' ').map(|k| html! { <kbd>{ k }</kbd> }) }</dt>
                                <dd>{ *what }</dd></div>
                        }) }
                    </dl></section>
                }) }
            </div>
        </Layer>
    }
}
