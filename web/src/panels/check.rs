//! A walk over every block, in a worker of its own, so that the other views stay alive.

use crate::client::Client;
use crate::context::{Ctx, use_ctx};
use crate::protocol::{Failure, Reply, Request};
use crate::store::Action;
use crate::text;
use crate::widgets::{FailureBox, Meter, NoPool, Stat};
use std::rc::Rc;
use tidepool::view::{BadBlock, CheckView, Progress, SpaceRange};
use yew::prelude::*;

/// How far a run is.
#[derive(Clone, PartialEq, Default)]
enum Run {
    #[default]
    Idle,
    Going(Client, Progress),
    Done(Rc<CheckView>),
    Failed(Rc<Failure>),
}

/// The view.
#[component]
pub fn CheckPanel() -> Html {
    let ctx = use_ctx();
    let run = use_state(Run::default);
    let metadata_only = use_state_eq(|| false);
    let all_copies = use_state_eq(|| true);
    {
        // Another pool makes the result void.
        let run = run.clone();
        use_effect_with(ctx.state().source.generation(), move |_| {
            run.set(Run::Idle);
        });
    }
    let Some(pool) = ctx.state().source.pool().cloned() else {
        return html! { <NoPool /> };
    };
    let toggle = |state: &UseStateHandle<bool>| {
        let state = state.clone();
        Callback::from(move |_: Event| state.set(!*state))
    };
    let start = start(&ctx, &run, *metadata_only, *all_copies);
    let stop = {
        let run = run.clone();
        Callback::from(move |_: MouseEvent| {
            if let Run::Going(client, _) = &*run {
                client.end();
            }
            run.set(Run::Idle);
        })
    };
    let going = matches!(&*run, Run::Going(..));
    html! {
        <>
            <header class="panel-head">
                <h1>{ "Check" }<small>{ format!(" of {}", pool.name) }</small></h1>
                <div class="row">
                    <label class="check"><input type="checkbox" checked={*metadata_only}
                        disabled={going} onchange={toggle(&metadata_only)} />{ "Metadata \
                            only" }</label>
                    <label class="check"><input type="checkbox" checked={*all_copies}
                        disabled={going} onchange={toggle(&all_copies)} />{ "Every copy" }</label>
                    if going {
                        <button onclick={stop}>{ "Stop" }</button>
                    } else {
                        <button class="primary" id="run-check" onclick={start}>{ "Check every \
                            block" }</button>
                    }
                </div>
            </header>
            { body(&run) }
        </>
    }
}

fn start(
    ctx: &Ctx,
    run: &UseStateHandle<Run>,
    metadata_only: bool,
    all_copies: bool,
) -> Callback<MouseEvent> {
    let (ctx, run) = (ctx.clone(), run.clone());
    Callback::from(move |_| {
        let client = ctx.client.beside();
        run.set(Run::Going(client.clone(), Progress::default()));
        let (ctx, set, own) = (ctx.clone(), run.setter(), client.clone());
        let handler = Rc::new(move |reply: Reply| {
            let next = match reply {
                Reply::Progress(progress) => Run::Going(own.clone(), progress),
                Reply::Checked(view) => {
                    ctx.dispatch(Action::Speak(headline(&view)));
                    Run::Done(Rc::new(*view))
                }
                Reply::Failed(failure) => Run::Failed(Rc::new(failure)),
                _ => Run::Idle,
            };
            if !matches!(next, Run::Going(..)) {
                own.end();
            }
            set.set(next);
        });
        let request = Request::Check { metadata_only, all_copies };
        client.ask_with(&request, handler);
    })
}

fn body(run: &Run) -> Html {
    match run {
        Run::Idle => html! {
            <section class="notice">
                <h2>{ "What a check does" }</h2>
                <p>{ "It follows every block pointer, verifies checksums on every copy, and \
                      compares what is referenced with what the space maps call allocated: leaks, \
                      double claims, damage. Nothing is written." }</p>
            </section>
        },
        Run::Going(_, p) => html! {
            <section class="card" role="status">
                <h2>{ "Walking every block" }</h2>
                <Meter part={p.done.min(p.total)} whole={p.total.max(1)} label="Progress" />
                <p class="dim">{ format!("{} of {}, {}", text::bytes(p.done), text::bytes(p.total),
                    text::count(p.blocks, "block")) }</p>
            </section>
        },
        Run::Failed(failure) => html! { <FailureBox failure={failure.clone()} /> },
        Run::Done(view) => result(view),
    }
}

fn headline(v: &CheckView) -> String {
    if v.clean {
        return format!("Clean: {} verified, nothing amiss", text::count(v.blocks, "block"));
    }
    let counts = [
        (v.bad_blocks.len(), "bad block"),
        (v.bad_copies.len(), "bad copy"),
        (v.leaks.len(), "leak"),
        (v.doubles.len(), "double claim"),
        (v.unallocated.len(), "claim on free space"),
        (v.accounting.len(), "wrong number"),
        (v.problems.len(), "problem"),
    ];
    let found: Vec<String> = counts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, noun)| match (n, noun) {
            (n, "bad copy") if n > 1 => format!("{n} bad copies"),
            (n, "claim on free space") if n > 1 => format!("{n} claims on free space"),
            (n, noun) => text::count(n as u64, noun),
        })
        .collect();
    format!("Damage found: {}", found.join(", "))
}

fn result(v: &CheckView) -> Html {
    html! {
        <>
            <section class={classes!("notice", if v.clean { "notice-good" } else { "notice-bad" })}
                id="check-result" data-clean={v.clean.to_string()}>
                <h2>{ headline(v) }</h2>
                <p class="dim">{ format!("Txg {} of {}", v.txg, v.pool) }</p>
            </section>
            <dl class="stats">
                <Stat label="Blocks" value={text::grouped(v.blocks)} />
                <Stat label="Read and verified" value={text::bytes(v.bytes_read)} />
                <Stat label="Allocated" value={text::bytes(v.allocated)}
                    note={format!("space maps: {}", text::bytes(v.space_map_allocated))} />
                <Stat label="Logical" value={text::bytes(v.logical)}
                    note={format!("physical {}", text::bytes(v.physical))} />
                <Stat label="Gang blocks" value={text::grouped(v.gangs)} />
                <Stat label="Embedded" value={text::grouped(v.embedded)} />
            </dl>
            { texts("Problems", &v.problems) }
            { blocks("Bad blocks", &v.bad_blocks) }
            { blocks("Bad copies, served by another", &v.bad_copies) }
            { ranges("Leaked space", &v.leaks) }
            { ranges("Claimed twice", &v.doubles) }
            { ranges("Claimed but free", &v.unallocated) }
            { accounting(v) }
            { texts("Not checked", &v.not_checked) }
            { sizes(v) }
        </>
    }
}

fn texts(title: &'static str, lines: &[String]) -> Html {
    if lines.is_empty() {
        return html! {};
    }
    html! {
        <section class="card"><h2>{ title }</h2>
            <ul>{ for lines.iter().map(|l| html! { <li>{ l }</li> }) }</ul></section>
    }
}

fn blocks(title: &'static str, list: &[BadBlock]) -> Html {
    if list.is_empty() {
        return html! {};
    }
    html! {
        <section class="card"><h2>{ title }</h2><div class="scroll"><table>
            <thead><tr><th>{ "Where" }</th><th>{ "What" }</th></tr></thead>
            <tbody>{ for list.iter().take(200).map(|b| {
                let place = b.path.clone().unwrap_or_else(|| format!("object {}", b.object));
                html! {
                    <tr><th scope="row">{ format!("{}: {place}, level {} block \
                        {}", b.dataset, b.level, b.block) }
                        <p class="mono dim">{ &b.pointer }</p></th><td>{ &b.problem }</td></tr>
                }
            }) }</tbody></table></div></section>
    }
}

fn ranges(title: &'static str, list: &[SpaceRange]) -> Html {
    if list.is_empty() {
        return html! {};
    }
    html! {
        <section class="card"><h2>{ title }</h2><div class="scroll"><table>
            <thead><tr><th>{ "Vdev" }</th><th>{ "Offset" }</th><th>{ "Size" }</th><th>{ "Owner" }</th></tr></thead>
            <tbody>{ for list.iter().take(200).map(|r| html! {
                <tr><td>{ r.vdev.to_string() }</td><td class="mono">{ text::hex(r.offset) }</td>
                    <td>{ text::bytes(r.size) }</td><td>{ &r.owner }</td></tr>
            }) }</tbody></table></div></section>
    }
}

fn accounting(v: &CheckView) -> Html {
    if v.accounting.is_empty() {
        return html! {};
    }
    html! {
        <section class="card"><h2>{ "Wrong numbers" }</h2><table>
            <thead><tr><th>{ "Number" }</th><th>{ "On disk" }</th><th>{ "By the walk" }</th></tr></thead>
            <tbody>{ for v.accounting.iter().map(|d| html! {
                <tr><th scope="row">{ &d.what }</th><td>{ text::grouped(d.stored) }</td>
                    <td>{ text::grouped(d.found) }</td></tr>
            }) }</tbody></table></section>
    }
}

fn sizes(v: &CheckView) -> Html {
    let Some(sizes) = v.sizes.as_ref().filter(|s| !s.kinds.is_empty()) else {
        return html! {};
    };
    let most = sizes.kinds.iter().map(|k| k.allocated).max().unwrap_or(1);
    html! {
        <section class="card"><h2>{ "What takes the space" }</h2><div class="scroll"><table>
            <thead><tr><th>{ "Kind" }</th><th>{ "Blocks" }</th><th>{ "Logical" }</th>
                <th>{ "Allocated" }</th><th class="wide">{ "Share" }</th></tr></thead>
            <tbody>{ for sizes.kinds.iter().map(|k| html! {
                <tr><th scope="row">{ &k.kind }</th><td>{ text::grouped(k.blocks) }</td>
                    <td>{ text::bytes(k.logical) }</td><td>{ text::bytes(k.allocated) }</td>
                    <td><Meter part={k.allocated} whole={most} label={k.kind.clone()} /></td></tr>
            }) }</tbody></table></div></section>
    }
}
