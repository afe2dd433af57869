//! The four labels of a device, and the uberblock ring of each as the ring it is.

use crate::context::{Ctx, use_ctx};
use crate::route::Route;
use crate::store::Action;
use crate::text;
use crate::widgets::{Facts, NoPool};
use std::rc::Rc;
use tidepool::view::{DeviceView, LabelView, UberblockView};
use yew::prelude::*;

/// The view.
#[component]
pub fn LabelsPanel() -> Html {
    let ctx = use_ctx();
    let Some(pool) = ctx.state().source.pool().cloned() else {
        return html! { <NoPool /> };
    };
    let route = ctx.route();
    let index = (route.device as usize).min(pool.devices.len().saturating_sub(1));
    let Some(device) = pool.devices.get(index) else {
        return html! { <p class="dim">{ "No device was given with this pool." }</p> };
    };
    let label = device.labels.iter().find(|l| l.index == route.label);
    html! {
        <>
            <header class="panel-head">
                <h1>{ &device.name }</h1>
                <div class="row">
                    { device_picker(&ctx, &pool.devices, index) }
                    { label_picker(&ctx, device) }
                </div>
            </header>
            if let Some(label) = label {
                <LabelCard key={format!("{index}-{}", label.index)}
                    label={Rc::new(label.clone())} role={device.role.clone()} />
            } else {
                <p class="dim">{ "This device has no such label." }</p>
            }
        </>
    }
}

fn device_picker(ctx: &Ctx, devices: &[DeviceView], chosen: usize) -> Html {
    if devices.len() < 2 {
        return html! {};
    }
    let onchange = {
        let ctx = ctx.clone();
        Callback::from(move |e: Event| {
            let select = e.target_dyn_into::<web_sys::HtmlSelectElement>();
            ctx.go(Route {
                device: select.map_or(0, |s| s.selected_index().max(0) as u64),
                ..ctx.route().clone()
            });
        })
    };
    html! {
        <select {onchange} aria-label="Device">
            { for devices.iter().enumerate().map(|(i, d)| html! {
                <option selected={i == chosen}>{ &d.name }</option>
            }) }
        </select>
    }
}

fn label_picker(ctx: &Ctx, device: &DeviceView) -> Html {
    html! {
        <div class="segmented" role="group" aria-label="Label">
            { for device.labels.iter().map(|l| {
                let to = Route { label: l.index, ..ctx.route().clone() };
                let bad = l.problem.is_some();
                html! {
                    <button aria-pressed={(l.index == ctx.route().label).to_string()}
                        class={classes!(bad.then_some("damaged"))} onclick={ctx.to(to)}>
                        { format!("Label {}", l.index) }
                        if bad { <span class="sr-only">{ " (bad)" }</span> }
                    </button>
                }
            }) }
        </div>
    }
}

/// See [`LabelCard`].
#[derive(Properties, PartialEq)]
struct LabelProps {
    label: Rc<LabelView>,
    role: String,
}

/// One label.
#[component]
fn LabelCard(props: &LabelProps) -> Html {
    let ctx = use_ctx();
    let label = &props.label;
    let ring: Vec<UberblockView> = label.uberblocks.clone();
    let newest = ring.iter().filter(|u| u.problem.is_none()).max_by_key(|u| u.txg.0);
    let start = ring.iter().find(|u| u.chosen).or(newest).map_or(0, |u| u.slot);
    let slot = use_state_eq(|| start);
    let block = ring.iter().find(|u| u.slot == *slot);
    let step = |by: i64| {
        let at = ring.iter().position(|u| u.slot == *slot).unwrap_or(0) as i64;
        let count = ring.len().max(1) as i64;
        ring.get((at + by).rem_euclid(count) as usize).map_or(0, |u| u.slot)
    };
    let (back, forth) = (step(-1), step(1));
    let onkeydown = {
        let (slot, ctx, ring) = (slot.clone(), ctx.clone(), ring.clone());
        Callback::from(move |e: KeyboardEvent| {
            let to = match e.key().as_str() {
                "ArrowLeft" | "ArrowUp" => back,
                "ArrowRight" | "ArrowDown" => forth,
                "Home" | "End" => start,
                _ => return,
            };
            e.prevent_default();
            slot.set(to);
            if let Some(u) = ring.iter().find(|u| u.slot == to) {
                ctx.dispatch(Action::Speak(spoken(u)));
            }
        })
    };
    let select = {
        let slot = slot.clone();
        Callback::from(move |s: u64| slot.set(s))
    };
    html! {
        <div class="label">
            if let Some(problem) = &label.problem {
                <p class="bad" role="alert">{ problem }</p>
            }
            <section class="card ring-card">
                <h2>{ "Uberblock ring" }</h2>
                <p class="dim">{ format!("{} slots of {}, {} in use. Brighter is \
                    newer.", label.slots,
                    text::bytes(label.slot_size), ring.len()) }</p>
                <div class="ring" tabindex="0" role="listbox" aria-label="Uberblock \
                    ring" {onkeydown}
                    aria-activedescendant="ring-active">
                    { ring_picture(label, *slot, &select) }
                    if let Some(u) = block {
                        <span class="sr-only" role="option" aria-selected="true" id="ring-active">
                            { spoken(u) }</span>
                    }
                </div>
            </section>
            <section class="card">
                <h2>{ block.map_or("No uberblock".into(), |u| format!("Slot {}", u.slot)) }</h2>
                if let Some(u) = block { { block_facts(u) } }
            </section>
            <section class="card config">
                <h2>{ "Configuration" }</h2>
                <p class="dim">{ format!("Label {} at {}, written in txg {}{}", label.index,
                    text::hex(label.offset), label.txg,
                    if props.role == "member" { String::new() } else { format!(", role {}", props.role) }) }</p>
                <pre tabindex="0">{ &label.config }</pre>
            </section>
        </div>
    }
}

fn spoken(u: &UberblockView) -> String {
    match &u.problem {
        Some(problem) => format!("Slot {}: {problem}", u.slot),
        None => format!("Slot {}: txg {}, {}", u.slot, u.txg, text::time(u.timestamp)),
    }
}

fn block_facts(u: &UberblockView) -> Html {
    let mut rows: Vec<(AttrValue, AttrValue)> = vec![
        ("Txg".into(), u.txg.to_string().into()),
        ("Time".into(), text::time(u.timestamp).into()),
        ("Version".into(), u.version.to_string().into()),
        ("Byte order".into(), format!("{}-endian", u.endian).into()),
        ("Guid sum".into(), u.guid_sum.to_string().into()),
    ];
    if u.chosen {
        rows.insert(0, ("Role".into(), "the pool was opened here".into()));
    }
    html! {
        <>
            if let Some(problem) = &u.problem { <p class="bad">{ problem }</p> }
            <Facts {rows} />
            <p class="mono pointer">{ &u.rootbp }</p>
        </>
    }
}

/// Slots around a circle, slot 0 at the top; the age of each as its shade.
fn ring_picture(label: &LabelView, slot: u64, select: &Callback<u64>) -> Html {
    let slots = label.slots.clamp(1, 256);
    let txgs = label.uberblocks.iter().filter(|u| u.problem.is_none()).map(|u| u.txg.0);
    let (low, high) = txgs.fold((u64::MAX, 0), |(l, h), t| (t.min(l), t.max(h)));
    let arc = |i: u64, inner: f64, outer: f64| {
        let turn = std::f64::consts::TAU / slots as f64;
        let gap = (turn * 0.12).min(0.01);
        let (a, b) = (i as f64 * turn + gap, (i + 1) as f64 * turn - gap);
        let point = |r: f64, t: f64| format!("{:.2} {:.2}", r * t.sin(), -r * t.cos());
        let large = u8::from(b - a > std::f64::consts::PI);
        format!(
            "M{} A{outer} {outer} 0 {large} 1 {} L{} A{inner} {inner} 0 {large} 0 {}z",
            point(outer, a),
            point(outer, b),
            point(inner, b),
            point(inner, a)
        )
    };
    let empty: String = (0..slots)
        .filter(|i| !label.uberblocks.iter().any(|u| u.slot == *i))
        .map(|i| arc(i, 64.0, 92.0))
        .collect();
    let blocks = label.uberblocks.iter().filter(|u| u.slot < slots).map(|u| {
        let age = (u.txg.0.saturating_sub(low)) as f64 / (high.saturating_sub(low)).max(1) as f64;
        let class = classes!(
            "slot",
            u.problem.is_some().then_some("damaged"),
            u.chosen.then_some("opened"),
            (u.slot == slot).then_some("chosen")
        );
        let outer = if u.slot == slot { 97.0 } else { 92.0 };
        let onclick = {
            let (select, at) = (select.clone(), u.slot);
            Callback::from(move |_: MouseEvent| select.emit(at))
        };
        html! {
            <path {class} d={arc(u.slot, 64.0, outer)} {onclick}
                style={format!("--age:{:.0}%", 25.0 + age * 75.0)}><title>{ spoken(u) }</title></path>
        }
    });
    let shown = label.uberblocks.iter().find(|u| u.slot == slot);
    html! {
        <svg viewBox="-100 -100 200 200" aria-hidden="true">
            <path class="slot empty" d={empty} />
            { for blocks }
            if let Some(u) = shown {
                <text y="-4" class="ring-txg">{ u.txg.to_string() }</text>
                <text y="14" class="ring-note">{ if u.chosen { "txg, opened \
                    here" } else { "txg" } }</text>
            }
        </svg>
    }
}
