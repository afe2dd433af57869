//! The pool: vdev tree with health, space by class, features, notes, history.

use crate::context::{use_ctx, use_reply};
use crate::protocol::{Reply, Request};
use crate::text;
use crate::widgets::{Facts, Meter, NoPool, Stat};
use tidepool::view::{PoolView, SpaceView, VdevView};
use yew::prelude::*;

/// The view.
#[component]
pub fn PoolPanel() -> Html {
    let ctx = use_ctx();
    let Some(pool) = ctx.state().source.pool().cloned() else {
        return html! { <NoPool /> };
    };
    html! {
        <>
            <header class="panel-head">
                <h1>{ &pool.name }</h1>
                <span class={classes!("health", pool.health.clone())}>{ &pool.health }</span>
            </header>
            if let Some(refusal) = &pool.refusal {
                <section class="notice notice-bad" role="alert">
                    <h2>{ "This pool cannot be opened" }</h2><p>{ refusal }</p>
                </section>
            }
            if !pool.notes.is_empty() {
                <ul class="notes">
                    { for pool.notes.iter().map(|note| html! { <li>{ note }</li> }) }
                </ul>
            }
            { stats(&pool) }
            <section class="card" aria-labelledby="vdevs-title">
                <h2 id="vdevs-title">{ "Vdevs" }</h2>
                <div class="scroll"><table class="vdevs">
                    <thead><tr>
                        <th>{ "Name" }</th><th>{ "Health" }</th><th>{ "Class" }</th>
                        <th>{ "Size" }</th><th>{ "Sector" }</th><th>{ "Metaslab" }</th>
                        <th>{ "File" }</th>
                    </tr></thead>
                    <tbody>{ vdev_rows(&pool.vdev_tree, 0) }</tbody>
                </table></div>
            </section>
            { space(&pool.space) }
            <div class="columns">
                { features(&pool) }
                { identity(&pool) }
            </div>
            <HistoryCard readable={pool.refusal.is_none()} />
        </>
    }
}

fn stats(pool: &PoolView) -> Html {
    let (size, used) =
        pool.space.iter().fold((0u64, 0u64), |(s, a), v| (s + v.size, a + v.allocated));
    html! {
        <dl class="stats">
            if size > 0 {
                <Stat label="Allocated" value={text::bytes(used)}
                    note={format!("{} of {}", text::percent(used, size), text::bytes(size))} />
                <Stat label="Free" value={text::bytes(size.saturating_sub(used))} />
            }
            <Stat label="Txg" value={text::grouped(pool.txg.0)} note={text::time(pool.timestamp)} />
            <Stat label="State" value={pool.state.clone()}
                note={if pool.hostname.is_empty() { String::new() }
                    else { format!("by {}", pool.hostname) }} />
            <Stat label="Version" value={pool.version.to_string()}
                note={format!("{}-endian", pool.endian)} />
        </dl>
    }
}

/// A vdev and those below it; the depth is shown by an indent and told by `aria-level`.
fn vdev_rows(vdev: &VdevView, depth: u32) -> Html {
    let top = vdev.asize > 0;
    let size = |on: bool, words: String| if on { words } else { String::new() };
    let shift = |s: u64| text::bytes(1u64.checked_shl(s as u32).unwrap_or(0));
    html! {
        <>
            <tr class={classes!("vdev", vdev.health.clone())}>
                <th scope="row" style={format!("padding-left:{}px", 8 + depth * 20)}>
                    { &vdev.name }
                    if !vdev.problem.is_empty() { <p class="bad">{ &vdev.problem }</p> }
                </th>
                <td><span class={classes!("health", vdev.health.clone())}>{ &vdev.health }</span></td>
                <td>{ &vdev.class }</td>
                <td>{ size(top, text::bytes(vdev.asize)) }</td>
                <td>{ size(vdev.ashift > 0, shift(vdev.ashift)) }</td>
                <td>{ size(vdev.metaslab_shift > 0, shift(vdev.metaslab_shift)) }</td>
                <td class="mono">{ vdev.device.clone().unwrap_or_default() }</td>
            </tr>
            { for vdev.children.iter().map(|child| vdev_rows(child, (depth + 1).min(8))) }
        </>
    }
}

fn space(space: &[SpaceView]) -> Html {
    if space.is_empty() {
        return html! {};
    }
    html! {
        <section class="card" aria-labelledby="space-title">
            <h2 id="space-title">{ "Space by class" }</h2>
            <table>
                <thead><tr><th>{ "Class" }</th><th>{ "Allocated" }</th><th>{ "Size" }</th>
                    <th>{ "Fragmentation" }</th><th class="wide">{ "Fill" }</th></tr></thead>
                <tbody>
                    { for space.iter().map(|s| html! {
                        <tr>
                            <th scope="row">{ s.class.replace('_', " ") }</th>
                            <td>{ text::bytes(s.allocated) }</td>
                            <td>{ text::bytes(s.size) }</td>
                            <td>{ s.fragmentation.map_or("-".into(), |f| format!("{f} %")) }</td>
                            <td><Meter part={s.allocated} whole={s.size}
                                label={format!("{} class", s.class)} /></td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </section>
    }
}

fn features(pool: &PoolView) -> Html {
    let active = pool.features.iter().filter(|f| f.refcount > 0).count();
    html! {
        <section class="card">
            <h2>{ "Features" }</h2>
            if pool.features.is_empty() {
                <p class="dim">{ format!("None: a pool of version {}.", pool.version) }</p>
            } else {
                <p class="dim">{ format!("{} enabled, {active} active", pool.features.len()) }</p>
                <ul class="features">
                    { for pool.features.iter().map(|f| {
                        let active = f.refcount > 0;
                        let short = f.guid.rsplit(':').next().unwrap_or(&f.guid).to_string();
                        let class = classes!(active.then_some("active"), (!f.known).then_some("alien"));
                        let note = match (f.known, active) {
                            (false, _) => "not known to Tidepool".to_string(),
                            (true, true) => format!("active, {} uses", f.refcount),
                            (true, false) => "enabled".to_string(),
                        };
                        html! { <li {class} title={format!("{}: {note}", f.guid)}>{ short }
                            <span class="sr-only">{ format!(" {note}") }</span></li> }
                    }) }
                </ul>
            }
        </section>
    }
}

fn identity(pool: &PoolView) -> Html {
    let mut rows: Vec<(AttrValue, AttrValue)> = vec![
        ("Guid".into(), pool.guid.to_string().into()),
        ("Devices".into(), pool.devices.len().to_string().into()),
    ];
    if pool.errata != 0 {
        rows.push(("Errata".into(), pool.errata.to_string().into()));
    }
    for device in &pool.devices {
        let good = device.labels.iter().filter(|l| l.problem.is_none()).count();
        rows.push((
            device.name.clone().into(),
            format!("{}, {good} of 4 labels good", text::bytes(device.size)).into(),
        ));
    }
    html! {
        <section class="card"><h2>{ "Identity" }</h2><Facts {rows} /></section>
    }
}

/// See [`HistoryCard`].
#[derive(Properties, PartialEq)]
struct HistoryProps {
    readable: bool,
}

/// The history, read when it is opened.
#[component]
fn HistoryCard(props: &HistoryProps) -> Html {
    let wanted = use_state_eq(|| false);
    let internal = use_state_eq(|| false);
    let asked = use_reply((*wanted && props.readable).then_some(Request::History));
    if !props.readable {
        return html! {};
    }
    let ontoggle = {
        let wanted = wanted.clone();
        Callback::from(move |_: Event| wanted.set(true))
    };
    let onchange = {
        let internal = internal.clone();
        Callback::from(move |_: Event| internal.set(!*internal))
    };
    let body = match (asked.now(), &asked.failure) {
        (_, Some(failure)) => html! { <p class="bad">{ &failure.message }</p> },
        (Some(Reply::History(lines)), _) => {
            let shown = lines.iter().filter(|l| *internal || !l.internal);
            let rows: Vec<Html> = shown
                .map(|l| {
                    html! { <tr><td class="mono dim">{ text::time(l.time) }</td>
                    <td class="mono">{ &l.text }</td></tr> }
                })
                .collect();
            match rows.is_empty() {
                true => html! { <p class="dim">{ "No command is on record." }</p> },
                false => html! { <div class="scroll"><table class="history"><tbody>
                { for rows }</tbody></table></div> },
            }
        }
        _ => html! { <p class="dim">{ "Reading\u{2026}" }</p> },
    };
    html! {
        <details class="card" {ontoggle}>
            <summary><h2>{ "History" }</h2></summary>
            <label class="check"><input type="checkbox" checked={*internal} {onchange} />
                { "Internal events too" }</label>
            { body }
        </details>
    }
}
