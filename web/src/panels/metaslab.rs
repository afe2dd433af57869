//! One metaslab: the whole as a field of rows, any stretch of it as a strip down to sectors, its
//! numbers, its weight bit by bit, its range tree.

use super::map::metaslab_facts;
use super::tree::TreeView;
use crate::context::{Ctx, use_ctx, use_reply, use_width};
use crate::paint::{Field, Palette, paint_field, paint_strip};
use crate::protocol::{Reply, Request, StripRequest, stretch_at};
use crate::route::Route;
use crate::store::Action;
use crate::text;
use crate::widgets::{
    Empty, Facts, FailureBox, Histogram, Loading, NoPool, Paint, PixelCanvas, WeightBits,
};
use std::rc::Rc;
use tidepool::view::{MapView, MetaslabView, StripView, VdevMapView};
use yew::prelude::*;

/// Rows of the field.
const FIELD_ROWS: u32 = 24;
/// CSS height of a row.
const FIELD_ROW: u32 = 9;
/// CSS height of the strip.
const STRIP: u32 = 72;
/// Stretches with at most this many segments list them.
const LISTED: u32 = 2000;

/// The view.
#[component]
pub fn MetaslabPanel() -> Html {
    let ctx = use_ctx();
    let open = ctx.state().source.pool().cloned();
    let asked = use_reply(open.as_ref().map(|_| Request::Map));
    if open.is_none() {
        return html! { <NoPool /> };
    }
    if let Some(failure) = &asked.failure {
        return html! { <FailureBox failure={failure.clone()} /> };
    }
    let Some(Reply::Map(map)) = asked.now() else {
        return html! { <Loading what="Reading space maps" /> };
    };
    let route = ctx.route();
    let vdev = map.vdevs.iter().find(|v| v.id == route.vdev);
    let found = vdev.and_then(|v| v.metaslabs.iter().find(|m| m.id == route.metaslab));
    let (Some(vdev), Some(metaslab)) = (vdev, found) else {
        return html! {
            <Empty title={format!("There is no metaslab {} on vdev \
                {}", route.metaslab, route.vdev)}>
                <p>{ "The link may be for another pool." }</p>
                <button class="primary" onclick={ctx.to(first_metaslab(route, map))}>
                    { "Show the first metaslab" }
                </button>
            </Empty>
        };
    };
    let (vdev, metaslab) = (Rc::new(vdev.clone()), Rc::new(metaslab.clone()));
    html! {
        <>
            { head(&ctx, map, &vdev, &metaslab) }
            if let Some(problem) = &metaslab.problem {
                <p class="bad" role="alert">{ problem }</p>
            }
            if ctx.route().tree {
                <TreeView vdev={vdev.clone()} metaslab={metaslab.clone()} />
            } else {
                <Space vdev={vdev.clone()} metaslab={metaslab.clone()} />
            }
            <div class="columns">
                <section class="card">
                    <h2>{ "Free segments by size" }</h2>
                    <Histogram counts={metaslab.histogram.clone()}
                        stored={metaslab.histogram_stored.clone()} />
                    <p class="dim small">
                        { "Bars: now. Ticks: as stored on disk. Last row: how much a segment of \
                           that size counts as fragmented, in percent, since OpenZFS 2.3.1." }
                    </p>
                </section>
                <section class="card">
                    <h2>{ "Numbers" }</h2>
                    <Facts rows={metaslab_facts(&metaslab, &vdev)} />
                </section>
                <section class="card">
                    <h2>{ "Weight, bit by bit" }</h2>
                    <WeightBits weight={metaslab.weight} />
                </section>
            </div>
        </>
    }
}

fn first_metaslab(route: &Route, map: &MapView) -> Route {
    let vdev = map.vdevs.first().map_or(0, |v| v.id);
    route.to_metaslab(vdev, 0)
}

fn head(ctx: &Ctx, map: &MapView, vdev: &VdevMapView, m: &MetaslabView) -> Html {
    let route = ctx.route();
    let near = |step: i64| {
        let at = vdev.metaslabs.iter().position(|x| x.id == m.id)? as i64;
        let next = vdev.metaslabs.get(usize::try_from(at + step).ok()?)?;
        Some(route.to_metaslab(vdev.id, next.id))
    };
    let button = |step: i64, label: &'static str, sign: &'static str| {
        let to = near(step);
        html! {
            <button class="quiet" aria-label={label} disabled={to.is_none()}
                onclick={ctx.to(to.unwrap_or_else(|| route.clone()))}>{ sign }</button>
        }
    };
    let tab = |tree: bool, label: &'static str| {
        let to = Route { tree, ..route.clone() };
        html! {
            <button aria-pressed={(route.tree == tree).to_string()} onclick={ctx.to(to)}
                data-tab={if tree { "tree" } else { "segments" }}>{ label }</button>
        }
    };
    html! {
        <header class="panel-head">
            <h1>{ format!("Metaslab {}", m.id) }
                <small>{ format!(" of {} in {}", vdev.name, map.pool) }</small></h1>
            <div class="row">
                { button(-1, "Previous metaslab", "\u{2190}") }
                { button(1, "Next metaslab", "\u{2192}") }
                <div class="segmented" role="group" aria-label="Picture">
                    { tab(false, "Segments") }
                    { tab(true, "Range tree") }
                </div>
            </div>
        </header>
    }
}

/// See [`Space`].
#[derive(Properties, PartialEq)]
pub struct SpaceProps {
    vdev: Rc<VdevMapView>,
    metaslab: Rc<MetaslabView>,
}

/// Field and strip.
#[component]
fn Space(props: &SpaceProps) -> Html {
    let ctx = use_ctx();
    let node = use_node_ref();
    let width = use_width(&node).clamp(200, 4000);
    let m = &props.metaslab;
    let whole = (m.offset, m.offset.saturating_add(m.size));
    let stretch = ctx.route().stretch.map_or(whole, |(a, b)| {
        clamp(whole, m.offset.saturating_add(a), m.offset.saturating_add(b))
    });
    let ask = |(from, to): (u64, u64), cells: u32, max_segments: u32| {
        Some(Request::Strip(StripRequest {
            vdev: props.vdev.id,
            metaslab: m.id,
            from,
            to,
            cells,
            max_segments,
        }))
    };
    let field = use_reply(ask(whole, width * FIELD_ROWS, 0));
    let strip = use_reply(ask(stretch, width, LISTED));
    if let Some(failure) = field.failure.as_ref().or(strip.failure.as_ref()) {
        return html! { <FailureBox failure={failure.clone()} /> };
    }
    let show = zoom_to(&ctx, m);
    html! {
        <div class="space" ref={node}>
            if let Some(Reply::Strip(view)) = field.last.as_deref() {
                <FieldView view={Rc::new(view.clone())} {whole} {stretch} {width}
                    dark={ctx.state().dark()} show={show.clone()} />
            } else {
                <Loading what="Replaying the space map" />
            }
            if let Some(Reply::Strip(view)) = strip.last.as_deref() {
                <Strip view={Rc::new(view.clone())} {whole} {stretch} {width} fresh={strip.fresh}
                    sector={1u64.checked_shl(props.vdev.ashift as u32).unwrap_or(512).max(512)}
                    vdev={props.vdev.id} dark={ctx.state().dark()} {show} />
            }
        </div>
    }
}

/// A stretch inside `whole` and not empty.
fn clamp(whole: (u64, u64), from: u64, to: u64) -> (u64, u64) {
    let from = from.clamp(whole.0, whole.1.saturating_sub(1).max(whole.0));
    (from, to.clamp(from, whole.1).max(from + 1))
}

/// Goes to a stretch given in bytes of the vdev.
fn zoom_to(ctx: &Ctx, m: &MetaslabView) -> Callback<(u64, u64)> {
    let (ctx, start, size) = (ctx.clone(), m.offset, m.size);
    Callback::from(move |(from, to): (u64, u64)| {
        let (a, b) = (from.saturating_sub(start), to.saturating_sub(start).min(size));
        let stretch = Some((a, b)).filter(|&(a, b)| a < b && (a, b) != (0, size));
        ctx.go(Route { stretch, ..ctx.route().clone() });
    })
}

/// See [`FieldView`].
#[derive(Properties, PartialEq)]
struct FieldProps {
    view: Rc<StripView>,
    whole: (u64, u64),
    stretch: (u64, u64),
    width: u32,
    dark: bool,
    show: Callback<(u64, u64)>,
}

/// The whole metaslab in rows; a click or a drag zooms the strip there.
#[component]
fn FieldView(props: &FieldProps) -> Html {
    let field = Field { from: props.whole.0, to: props.whole.1, rows: FIELD_ROWS };
    let height = FIELD_ROWS * FIELD_ROW;
    let drag = use_state_eq(|| None::<u64>);
    let paint = use_memo(
        (props.view.clone(), field, props.width, props.dark),
        |(view, field, width, dark)| {
            let (view, field, width, dark) = (view.clone(), *field, *width, *dark);
            Paint::new(move |pixels| {
                let size = (width * pixels, FIELD_ROW * pixels);
                paint_field(&view, &field, size, Palette::of(dark))
            })
        },
    );
    let width = props.width;
    let at = move |e: &PointerEvent| {
        let (x, y) = (f64::from(e.offset_x()), f64::from(e.offset_y()));
        field.at(x / f64::from(width), y / f64::from(height))
    };
    let onpointerdown = {
        let drag = drag.clone();
        Callback::from(move |e: PointerEvent| drag.set(Some(at(&e))))
    };
    let onpointerup = {
        let (drag, show, whole) = (drag.clone(), props.show.clone(), props.whole);
        Callback::from(move |e: PointerEvent| {
            if let Some(start) = *drag {
                let end = at(&e);
                let (a, b) = (start.min(end), start.max(end));
                // A click takes a row's worth around the point.
                let half = field.row_bytes() / 2;
                let (a, b) = match b - a < field.row_bytes() / 64 {
                    true => (a.saturating_sub(half).max(whole.0), (b + half).min(whole.1)),
                    false => (a, b),
                };
                drag.set(None);
                show.emit((a, b));
            }
        })
    };
    html! {
        <figure class="field">
            <figcaption>
                <span>{ format!("All of it: {} a row", text::bytes(field.row_bytes())) }</span>
                <span class="key"><i class="swatch water" />{ "allocated" }
                    <i class="swatch vessel" />{ "free" }</span>
            </figcaption>
            <div class="field-canvas" {onpointerdown} {onpointerup}
                style={format!("height:{height}px")}>
                <PixelCanvas width={props.width} {height} paint={(*paint).clone()} />
                { brush(&field, props) }
            </div>
        </figure>
    }
}

/// The stretch of the strip, marked in the field: at most three boxes.
fn brush(field: &Field, props: &FieldProps) -> Html {
    if props.stretch == props.whole {
        return html! {};
    }
    let row = field.row_bytes();
    let place = |at: u64| ((at - field.from) / row, (at - field.from) % row);
    let ((first, left), (last, right)) = (place(props.stretch.0), place(props.stretch.1 - 1));
    let share = |bytes: u64| bytes as f64 / row as f64 * f64::from(props.width);
    let boxed = |top: u64, rows: u64, from: f64, to: f64| {
        let style = format!(
            "left:{from:.1}px;width:{:.1}px;top:{}px;height:{}px",
            (to - from).max(2.0),
            top * u64::from(FIELD_ROW),
            rows * u64::from(FIELD_ROW)
        );
        html! { <span class="brush" {style} /> }
    };
    let end = f64::from(props.width);
    let parts = match last - first {
        0 => vec![boxed(first, 1, share(left), share(right + 1))],
        1 => vec![boxed(first, 1, share(left), end), boxed(last, 1, 0.0, share(right + 1))],
        n => vec![
            boxed(first, 1, share(left), end),
            boxed(first + 1, n - 1, 0.0, end),
            boxed(last, 1, 0.0, share(right + 1)),
        ],
    };
    html! { <>{ for parts }</> }
}

/// See [`Strip`].
#[derive(Properties, PartialEq)]
struct StripProps {
    view: Rc<StripView>,
    whole: (u64, u64),
    stretch: (u64, u64),
    width: u32,
    fresh: bool,
    sector: u64,
    vdev: u64,
    dark: bool,
    show: Callback<(u64, u64)>,
}

/// A stretch, zoomed by wheel or keys.
#[component]
fn Strip(props: &StripProps) -> Html {
    let ctx = use_ctx();
    let hover = use_state_eq(|| None::<u64>);
    let (from, to) = props.stretch;
    let deps = (props.view.clone(), props.stretch, props.width, props.sector, props.dark);
    let paint = use_memo(deps, |(view, stretch, width, sector, dark)| {
        let (view, stretch, width, sector, dark) = (view.clone(), *stretch, *width, *sector, *dark);
        Paint::new(move |pixels| {
            let size = (width * pixels, STRIP * pixels);
            paint_strip(&view, stretch, sector, size, Palette::of(dark))
        })
    });
    let width = f64::from(props.width);
    let at = move |x: i32| {
        let share = (f64::from(x) / width).clamp(0.0, 0.999_999);
        from + (share * (to - from) as f64) as u64
    };
    let onpointermove = {
        let hover = hover.clone();
        Callback::from(move |e: PointerEvent| hover.set(Some(at(e.offset_x()))))
    };
    let onpointerleave = {
        let hover = hover.clone();
        Callback::from(move |_: PointerEvent| hover.set(None))
    };
    let onwheel = {
        let (show, whole, sector) = (props.show.clone(), props.whole, props.sector);
        Callback::from(move |e: WheelEvent| {
            e.prevent_default();
            let factor = if e.delta_y() < 0.0 { 0.8 } else { 1.25 };
            show.emit(zoomed((from, to), at(e.offset_x()), factor, whole, sector));
        })
    };
    let onkeydown = strip_keys(&ctx, props, *hover);
    let cells = text::bytes(to - from);
    html! {
        <figure class="strip">
            <figcaption>
                <span>{ format!("{cells} from {}", text::hex(from)) }</span>
                { zoom_buttons(props) }
            </figcaption>
            <div class={classes!("strip-canvas", (!props.fresh).then_some("stale"))} tabindex="0"
                role="slider" aria-label="Stretch of the metaslab; arrows move, plus and minus zoom"
                aria-valuemin={props.whole.0.to_string()} aria-valuemax={props.whole.1.to_string()}
                aria-valuenow={from.to_string()}
                aria-valuetext={format!("{} to {}, \
                    {}", text::hex(from), text::hex(to), counted(&props.view))}
                style={format!("height:{STRIP}px")}
                {onpointermove} {onpointerleave} {onwheel} {onkeydown}>
                <PixelCanvas width={props.width} height={STRIP} paint={(*paint).clone()} />
                if let Some(h) = *hover {
                    <span class="hair" style={format!("left:{:.1}px",
                        (h.saturating_sub(from)) as f64 / (to - from) as f64 * width)} />
                }
            </div>
            { ruler(from, to, props.width) }
            <p class="readout mono" aria-live="off">{ readout(props, *hover) }</p>
            { segment_list(props) }
        </figure>
    }
}

/// A stretch of `factor` times the length with the byte `fix` kept in place.
fn zoomed(
    (from, to): (u64, u64),
    fix: u64,
    factor: f64,
    whole: (u64, u64),
    sector: u64,
) -> (u64, u64) {
    let least = (8 * sector).min(whole.1 - whole.0).max(1);
    let length = ((to - from) as f64 * factor) as u64;
    let length = length.clamp(least, whole.1 - whole.0);
    let share = (fix - from) as f64 / (to - from) as f64;
    let start = fix.saturating_sub((share * length as f64) as u64);
    let start = start.clamp(whole.0, whole.1 - length);
    (start, start + length)
}

/// The stretch moved by a share of its length.
fn moved((from, to): (u64, u64), share: f64, whole: (u64, u64)) -> (u64, u64) {
    let by = ((to - from) as f64 * share.abs()) as u64;
    let start = match share < 0.0 {
        true => from.saturating_sub(by.max(1)),
        false => from.saturating_add(by.max(1)),
    };
    let start = start.clamp(whole.0, whole.1 - (to - from));
    (start, start + (to - from))
}

fn strip_keys(ctx: &Ctx, props: &StripProps, hover: Option<u64>) -> Callback<KeyboardEvent> {
    let (show, stretch, whole, sector) =
        (props.show.clone(), props.stretch, props.whole, props.sector);
    let ctx = ctx.clone();
    Callback::from(move |e: KeyboardEvent| {
        if e.ctrl_key() || e.meta_key() || e.alt_key() {
            return;
        }
        let middle = hover.unwrap_or(stretch.0 + (stretch.1 - stretch.0) / 2);
        let middle = middle.clamp(stretch.0, stretch.1);
        let to = match e.key().as_str() {
            "ArrowLeft" | "a" => moved(stretch, -0.2, whole),
            "ArrowRight" | "d" => moved(stretch, 0.2, whole),
            "ArrowUp" | "w" | "+" | "=" => zoomed(stretch, middle, 0.6, whole, sector),
            "ArrowDown" | "s" | "-" => zoomed(stretch, middle, 1.0 / 0.6, whole, sector),
            "PageUp" => moved(stretch, -1.0, whole),
            "PageDown" => moved(stretch, 1.0, whole),
            "Home" | "0" => whole,
            "End" => moved(stretch, 1e18, whole),
            _ => return,
        };
        e.prevent_default();
        e.stop_propagation();
        show.emit(to);
        let words = format!("{} from {}", text::bytes(to.1 - to.0), text::hex(to.0));
        ctx.dispatch(Action::Speak(words));
    })
}

fn zoom_buttons(props: &StripProps) -> Html {
    let (stretch, whole, sector) = (props.stretch, props.whole, props.sector);
    let middle = stretch.0 + (stretch.1 - stretch.0) / 2;
    let button = |to: (u64, u64), label: &'static str, sign: &'static str| {
        let onclick = props.show.reform(move |_: MouseEvent| to);
        html! {
            <button class="quiet" aria-label={label} {onclick} disabled={to == stretch}>{ sign }</button>
        }
    };
    html! {
        <span class="row">
            { button(moved(stretch, -0.5, whole), "Move left", "\u{2190}") }
            { button(moved(stretch, 0.5, whole), "Move right", "\u{2192}") }
            { button(zoomed(stretch, middle, 0.5, whole, sector), "Zoom in", "+") }
            { button(zoomed(stretch, middle, 2.0, whole, sector), "Zoom out", "\u{2212}") }
            { button(whole, "Show all of it", "all") }
        </span>
    }
}

fn ruler(from: u64, to: u64, width: u32) -> Html {
    let span = to - from;
    // Round steps: a power of two, so that marks fall on round hexadecimal offsets.
    let wanted = u64::from((width / 130).max(1));
    let step = (span / wanted).max(1).next_power_of_two();
    let first = from.div_ceil(step).saturating_mul(step);
    let marks = (0..wanted * 2 + 2).map(|i| first.saturating_add(i * step)).take_while(|&m| m < to);
    html! {
        <div class="ruler mono" aria-hidden="true">
            { for marks.map(|mark| html! {
                <span style={format!("left:{:.2}%", (mark - from) as f64 / span as f64 * 100.0)}>
                    { text::hex(mark) }
                </span>
            }) }
        </div>
    }
}

fn counted(view: &StripView) -> String {
    text::count(view.segment_count, "free segment")
}

fn readout(props: &StripProps, hover: Option<u64>) -> String {
    let view = &props.view;
    let Some(at) = hover else {
        return format!("{} in this stretch", counted(view));
    };
    let dva = format!("{}:{:x}", props.vdev, at / props.sector * props.sector);
    if let Some(segments) = &view.segments {
        let (free, a, b) = stretch_at(segments, at, props.whole.0, props.whole.1);
        let kind = if free { "free" } else { "allocated" };
        // A gap at an edge goes on beyond what was listed.
        let open =
            if a < view.from || b > view.to || (a, b) == props.whole { " or more" } else { "" };
        return format!(
            "{dva}  {kind}: {} from {} to {}{open}",
            text::bytes(b - a),
            text::hex(a),
            text::hex(b)
        );
    }
    let index = at.saturating_sub(view.from) / view.cell_size.max(1);
    let free = view.cells.get(index as usize).copied().unwrap_or(0);
    format!(
        "{dva}  {} of {} free here",
        text::percent(free, view.cell_size),
        text::bytes(view.cell_size)
    )
}

/// The segments as a table, when they are few.
fn segment_list(props: &StripProps) -> Html {
    let Some(segments) = props.view.segments.as_ref().filter(|s| s.len() <= 200 && !s.is_empty())
    else {
        return html! {};
    };
    let rows = segments.iter().map(|s| {
        let onclick = {
            let (show, whole, s, sector) = (props.show.clone(), props.whole, *s, props.sector);
            Callback::from(move |_: MouseEvent| {
                let margin = (s.end - s.start) / 2 + 2 * sector;
                let from = s.start.saturating_sub(margin).max(whole.0);
                show.emit((from, (s.end + margin).min(whole.1)));
            })
        };
        html! {
            <tr>
                <td class="mono"><button class="link" {onclick}>{ text::hex(s.start) }</button></td>
                <td class="mono">{ text::hex(s.end) }</td>
                <td>{ text::bytes(s.end - s.start) }</td>
                <td>{ text::grouped((s.end - s.start) / props.sector) }</td>
            </tr>
        }
    });
    html! {
        <details class="segments">
            <summary>{ format!("List {}", text::count(segments.len() as u64, "free \
                segment")) }</summary>
            <table>
                <thead><tr><th>{ "From" }</th><th>{ "To" }</th><th>{ "Size" }</th>
                    <th>{ "Sectors" }</th></tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </details>
    }
}
