//! One object: its dnode, what it holds, its block pointers, its first bytes.

use crate::context::{use_ctx, use_reply};
use crate::protocol::{Reply, Request};
use crate::route::Route;
use crate::text;
use crate::widgets::{Facts, FailureBox, Loading};
use tidepool::view::ObjectView;
use yew::prelude::*;

/// Lines shown before the rest is folded away.
const LINES: usize = 200;

/// See [`ObjectCard`].
#[derive(Properties, PartialEq)]
pub struct ObjectProps {
    /// Data set, `mos` for the pool's own.
    pub dataset: AttrValue,
    /// Object number.
    pub id: u64,
}

/// The object.
#[component]
pub fn ObjectCard(props: &ObjectProps) -> Html {
    let ctx = use_ctx();
    let asked =
        use_reply(Some(Request::Object { dataset: props.dataset.to_string(), id: props.id }));
    let close = ctx.to(Route { object: None, ..ctx.route().clone() });
    let body = match (asked.now(), &asked.failure) {
        (_, Some(failure)) => html! { <FailureBox failure={failure.clone()} /> },
        (Some(Reply::Object(object)), _) => object_body(object),
        _ => html! { <Loading what="Reading the object" /> },
    };
    html! {
        <section class="card object">
            <header class="row">
                <h2>{ format!("Object {}", props.id) }</h2>
                <button class="quiet" onclick={close}>{ "Close" }</button>
            </header>
            { body }
        </section>
    }
}

fn object_body(o: &ObjectView) -> Html {
    let rows: Vec<(AttrValue, AttrValue)> = vec![
        ("Type".into(), o.kind.clone().into()),
        ("Bonus".into(), format!("{}, {} bytes", o.bonus_kind, o.bonus_len).into()),
        ("Levels".into(), o.levels.to_string().into()),
        ("Data block".into(), text::bytes(o.block_size).into()),
        ("Indirect block".into(), text::bytes(o.indirect_size).into()),
        ("Size".into(), text::bytes(o.size).into()),
        ("On disk".into(), text::bytes(o.used).into()),
        ("Dnode".into(), text::bytes(o.dnode_size).into()),
    ];
    html! {
        <>
            <Facts {rows} />
            { lines("Contents", &o.details, true) }
            { lines("Block pointers", &o.blocks, false) }
        </>
    }
}

fn lines(title: &'static str, lines: &[String], open: bool) -> Html {
    if lines.is_empty() {
        return html! {};
    }
    let shown = lines.iter().take(LINES).map(String::as_str).collect::<Vec<_>>().join("\n");
    let rest = lines.len().saturating_sub(LINES);
    html! {
        <details {open}>
            <summary>{ format!("{title}: {}", text::count(lines.len() as u64, "line")) }</summary>
            <pre tabindex="0">{ shown }</pre>
            if rest > 0 { <p class="dim">{ format!("and {rest} more") }</p> }
        </details>
    }
}
