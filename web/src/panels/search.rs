//! Search: type where to go.

use super::help::Layer;
use crate::context::{use_ctx, use_reply};
use crate::find::{Hit, hits};
use crate::protocol::{Reply, Request};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// The layer.
#[component]
pub fn SearchLayer() -> Html {
    let ctx = use_ctx();
    let query = use_state_eq(String::new);
    let chosen = use_state_eq(|| 0usize);
    let open = ctx.state().source.pool().is_some();
    let map = use_reply(open.then_some(Request::Map));
    let datasets = use_reply(open.then_some(Request::Datasets));
    let known_map = match map.now() {
        Some(Reply::Map(map)) => Some(map),
        _ => None,
    };
    let known_sets = match datasets.now() {
        Some(Reply::Datasets(list)) => list.as_slice(),
        _ => &[],
    };
    let found = hits(&query, ctx.route(), known_map, known_sets);
    let at = (*chosen).min(found.len().saturating_sub(1));
    let oninput = {
        let (query, chosen) = (query.clone(), chosen.clone());
        Callback::from(move |e: InputEvent| {
            let input = e.target_dyn_into::<HtmlInputElement>();
            query.set(input.map(|i| i.value()).unwrap_or_default());
            chosen.set(0);
        })
    };
    let onkeydown = {
        let (ctx, chosen, found) = (ctx.clone(), chosen.clone(), found.clone());
        Callback::from(move |e: KeyboardEvent| {
            match e.key().as_str() {
                "ArrowDown" => chosen.set((at + 1).min(found.len().saturating_sub(1))),
                "ArrowUp" => chosen.set(at.saturating_sub(1)),
                "Enter" => {
                    if let Some(hit) = found.get(at) {
                        ctx.go(hit.route.clone());
                    }
                }
                _ => return,
            }
            e.prevent_default();
        })
    };
    let row = |(i, hit): (usize, &Hit)| {
        html! {
            <li role="option" id={format!("hit-{i}")} aria-selected={(i == at).to_string()}
                onclick={ctx.to(hit.route.clone())}>
                <span>{ &hit.label }</span><span class="dim">{ &hit.note }</span>
            </li>
        }
    };
    html! {
        <Layer title="Go to">
            <input id="search" class="mono" autocomplete="off" {oninput} {onkeydown}
                role="combobox" aria-expanded="true" aria-controls="hits"
                aria-activedescendant={format!("hit-{at}")} aria-label="Go to"
                placeholder="metaslab 12, 0x4a000, 0:4a000, tank/home, labels" />
            <ul id="hits" role="listbox" aria-label="Places">
                { for found.iter().enumerate().map(row) }
            </ul>
            if found.is_empty() {
                <p class="dim">{ "Nothing of that name. Try a metaslab number, an offset, a DVA \
                    (vdev:offset), a data set or a view." }</p>
            }
        </Layer>
    }
}
