//! Every metaslab of the pool, a grid for each vdev.
//!
//! Each grid is one focus stop with ARIA grid semantics: `aria-activedescendant` names the one cell
//! that is in the document, a ring over the canvas. Arrows move it, Enter opens the metaslab; what
//! it says is also spoken.

use crate::context::{Ctx, use_ctx, use_reply, use_width};
use crate::paint::{Grid, MetricScale, Palette, cell_side, metric_words, paint_grid};
use crate::protocol::{Reply, Request};
use crate::route::{Metric, Route, View};
use crate::store::Action;
use crate::text;
use crate::widgets::{Facts, FailureBox, Histogram, Legend, Loading, NoPool, Paint, PixelCanvas};
use std::rc::Rc;
use tidepool::view::{MapView, MetaslabView, VdevMapView};
use yew::prelude::*;

/// The view.
#[component]
pub fn MapPanel() -> Html {
    let ctx = use_ctx();
    let open = ctx.state().source.pool().cloned();
    let asked = use_reply(open.as_ref().map(|_| Request::Map));
    let Some(pool) = open else {
        return html! { <NoPool /> };
    };
    if let Some(failure) = &asked.failure {
        return html! { <FailureBox failure={failure.clone()} /> };
    }
    let Some(Reply::Map(map)) = asked.now() else {
        return html! { <Loading what="Reading space maps" /> };
    };
    let map = Rc::new(map.clone());
    html! {
        <>
            <header class="panel-head">
                <h1>{ &pool.name }</h1>
                <MetricButtons />
            </header>
            <PoolMap {map} interactive=true />
        </>
    }
}

/// Buttons that choose the metric.
#[component]
pub fn MetricButtons() -> Html {
    let ctx = use_ctx();
    let chosen = ctx.route().metric;
    html! {
        <div class="segmented" role="group" aria-label="Colour metaslabs by">
            { for Metric::ALL.into_iter().map(|metric| {
                let route = Route { metric, ..ctx.route().clone() };
                html! {
                    <button aria-pressed={(metric == chosen).to_string()}
                        data-metric={metric.word()} onclick={ctx.to(route)}>
                        { metric.label() }
                    </button>
                }
            }) }
        </div>
    }
}

/// See [`PoolMap`].
#[derive(Properties, PartialEq)]
pub struct PoolMapProps {
    /// The map.
    pub map: Rc<MapView>,
    /// Whether Enter opens a metaslab; pasted maps have none to open.
    #[prop_or_default]
    pub interactive: bool,
}

/// All grids of a map and the inspector beside them.
#[component]
pub fn PoolMap(props: &PoolMapProps) -> Html {
    let ctx = use_ctx();
    let node = use_node_ref();
    let width = use_width(&node);
    let hover = use_state_eq(|| None::<(u64, u64)>);
    let local = use_state_eq(|| (0u64, 0u64));
    let map = &props.map;
    let cursor = match props.interactive {
        true => (ctx.route().vdev, ctx.route().metaslab),
        false => *local,
    };
    let counts: Vec<usize> = map.vdevs.iter().map(|v| v.metaslabs.len()).collect();
    let side = cell_side(&counts, width.max(200), room_for(&counts));
    let set_cursor = {
        let (ctx, local, interactive) = (ctx.clone(), local.clone(), props.interactive);
        Callback::from(move |(vdev, metaslab): (u64, u64)| match interactive {
            true => ctx.go(ctx.route().to_metaslab(vdev, metaslab).with(View::Map)),
            false => local.set((vdev, metaslab)),
        })
    };
    let shown = hover.unwrap_or(cursor);
    let onhover = {
        let hover = hover.clone();
        Callback::from(move |at| hover.set(at))
    };
    html! {
        <div class="split">
            <div class="grids" ref={node}>
                { legend(&ctx, map) }
                { for map.vdevs.iter().enumerate().map(|(index, _)| html! {
                    <VdevGrid key={index} map={map.clone()} {index} {side} {width}
                        cursor={Some(cursor.1).filter(|_| map.vdevs[index].id == cursor.0)}
                        metric={ctx.route().metric} dark={ctx.state().dark()}
                        interactive={props.interactive}
                        set_cursor={set_cursor.clone()} onhover={onhover.clone()} />
                }) }
            </div>
            <aside class="inspector" aria-label="Metaslab">
                { inspector(&ctx, map, shown, props.interactive) }
            </aside>
        </div>
    }
}

/// Height for all grids together: a screen's worth, less for each vdev's head.
fn room_for(counts: &[usize]) -> u32 {
    let inner = web_sys::window()
        .and_then(|w| w.inner_height().ok())
        .and_then(|h| h.as_f64())
        .unwrap_or(800.0);
    let heads = 64 * counts.len() as u32;
    (inner as u32).saturating_sub(220 + heads).max(160)
}

fn legend(ctx: &Ctx, map: &MapView) -> Html {
    let scale = MetricScale::new(ctx.route().metric, map);
    let ramp = scale.ramp(Palette::of(ctx.state().dark()));
    let (low, high) = scale.ends();
    let what = match ctx.route().metric {
        Metric::Fill => "Allocated share of each metaslab".to_string(),
        Metric::Fragmentation => format!(
            "Fragmentation of free space, by the table of OpenZFS {}",
            map.fragmentation_table
        ),
        Metric::Weight => "Weight: what the allocator compares, by its largest runs".to_string(),
        Metric::Largest => "Largest run of free space".to_string(),
    };
    html! {
        <div class="map-legend">
            <p>{ what }</p>
            <Legend gradient={ramp.css()} ends={(low.into(), high.into())} />
        </div>
    }
}

/// See [`VdevGrid`].
#[derive(Properties, PartialEq)]
struct VdevGridProps {
    map: Rc<MapView>,
    index: usize,
    side: u32,
    width: u32,
    cursor: Option<u64>,
    metric: Metric,
    dark: bool,
    interactive: bool,
    set_cursor: Callback<(u64, u64)>,
    onhover: Callback<Option<(u64, u64)>>,
}

/// The metaslabs of one vdev.
#[component]
fn VdevGrid(props: &VdevGridProps) -> Html {
    let ctx = use_ctx();
    let vdev = &props.map.vdevs[props.index];
    let grid = Grid::new(vdev.metaslabs.len(), props.side, props.width.max(200));
    let paint = {
        let (map, index, metric, dark) = (props.map.clone(), props.index, props.metric, props.dark);
        use_memo((map, index, metric, dark, grid), |(map, index, metric, dark, grid)| {
            let (map, index, grid, dark) = (map.clone(), *index, *grid, *dark);
            let scale = MetricScale::new(*metric, &map);
            Paint::new(move |pixels| {
                paint_grid(&map.vdevs[index], &grid, &scale, Palette::of(dark), pixels)
            })
        })
    };
    let place = move |e: &MouseEvent| grid.at(f64::from(e.offset_x()), f64::from(e.offset_y()));
    let metaslab_at = {
        let map = props.map.clone();
        let index = props.index;
        move |cell: u32| map.vdevs[index].metaslabs.get(cell as usize).map(|m| m.id)
    };
    let id = vdev.id;
    let onpointermove = {
        let (onhover, at) = (props.onhover.clone(), metaslab_at.clone());
        Callback::from(move |e: PointerEvent| {
            onhover.emit(place(&e).and_then(&at).map(|m| (id, m)));
        })
    };
    let onclick = {
        let (set, at, ctx) = (props.set_cursor.clone(), metaslab_at.clone(), ctx.clone());
        let (interactive, cursor) = (props.interactive, props.cursor);
        Callback::from(move |e: MouseEvent| {
            if let Some(m) = place(&e).and_then(&at) {
                match interactive && cursor == Some(m) {
                    true => ctx.go(ctx.route().to_metaslab(id, m)),
                    false => set.emit((id, m)),
                }
            }
        })
    };
    let onpointerleave = props.onhover.reform(|_: PointerEvent| None);
    let onkeydown = keys(&ctx, props, grid);
    let cell = props.cursor.and_then(|c| vdev.metaslabs.iter().position(|m| m.id == c));
    let cell_id = format!("cell-{}", vdev.id);
    html! {
        <section class="vdev-map">
            { vdev_head(vdev) }
            <div class="grid" role="grid" tabindex="0" data-vdev={vdev.id.to_string()}
                aria-label={format!("Metaslabs of {}", vdev.name)}
                aria-rowcount={grid.rows.to_string()} aria-colcount={grid.columns.to_string()}
                aria-activedescendant={cell.map(|_| cell_id.clone())}
                style={format!("width:{}px;height:{}px", grid.width(), grid.height())}
                {onkeydown} {onclick} {onpointermove} {onpointerleave}>
                <PixelCanvas width={grid.width()} height={grid.height()}
                    paint={(*paint).clone()} />
                { cell_words(vdev, &grid, props) }
                { active_cell(vdev, &grid, cell.unwrap_or(0), cell.is_some(), &cell_id) }
            </div>
        </section>
    }
}

fn vdev_head(vdev: &VdevMapView) -> Html {
    let used = vdev.size.saturating_sub(vdev.free);
    html! {
        <header class="vdev-head">
            <h2>{ &vdev.name }</h2>
            if vdev.class != "normal" { <span class="tag">{ &vdev.class }</span> }
            <span class="dim">
                { format!("{} of {}, {} full", text::count(vdev.metaslabs.len() as u64, "metaslab"),
                    text::bytes(1u64.checked_shl(vdev.metaslab_shift as u32).unwrap_or(0)),
                    text::percent(used, vdev.size)) }
                if let Some(f) = vdev.fragmentation {
                    { format!(", {f} % fragmented") }
                }
            </span>
        </header>
    }
}

/// Number and metric as text, where cells are big enough.
fn cell_words(vdev: &VdevMapView, grid: &Grid, props: &VdevGridProps) -> Html {
    if grid.side < 56 || vdev.metaslabs.len() > 400 {
        return html! {};
    }
    let scale = MetricScale::new(props.metric, &props.map);
    let palette = Palette::of(props.dark);
    let words = (0u32..).zip(&vdev.metaslabs).map(|(i, m)| {
        let r = grid.rect(i);
        // On water the words are the other way round.
        let ground = match props.metric {
            Metric::Fill => scale.value(m).filter(|v| *v > 0.72),
            _ => scale.value(m),
        };
        let light = ground.map_or(!props.dark, |v| scale.ramp(palette).at(v).is_light());
        let class = if light { "cell-words on-light" } else { "cell-words on-dark" };
        html! {
            <span {class} style={format!("left:{}px;top:{}px;width:{}px", r.x, r.y, r.w)}>
                <b>{ m.id }</b>
                if props.metric != Metric::Weight { { metric_words(props.metric, m) } }
            </span>
        }
    });
    html! { <div aria-hidden="true">{ for words }</div> }
}

/// The one cell in the document: a ring on the canvas.
fn active_cell(vdev: &VdevMapView, grid: &Grid, index: usize, shown: bool, id: &str) -> Html {
    let Some(m) = vdev.metaslabs.get(index) else {
        return html! {};
    };
    let r = grid.rect(index as u32);
    let style = format!("left:{}px;top:{}px;width:{}px;height:{}px", r.x, r.y, r.w, r.h);
    let (row, column) = (index as u32 / grid.columns + 1, index as u32 % grid.columns + 1);
    html! {
        <div role="row" aria-rowindex={row.to_string()}>
            <div role="gridcell" id={id.to_string()} aria-colindex={column.to_string()}
                aria-selected={shown.to_string()} class={classes!("cursor", (!shown).then_some("off"))}
                {style} aria-label={spoken(m)} />
        </div>
    }
}

/// A metaslab in one breath.
fn spoken(m: &MetaslabView) -> String {
    if let Some(problem) = &m.problem {
        return format!("Metaslab {}: {problem}", m.id);
    }
    let used = m.size.saturating_sub(m.free);
    let fragmentation =
        m.fragmentation.map(|f| format!("fragmentation {f} %, ")).unwrap_or_default();
    format!(
        "Metaslab {}: {} allocated, {} free, {fragmentation}largest run {}",
        m.id,
        text::percent(used, m.size),
        text::bytes(m.free),
        text::bytes(m.max_size)
    )
}

fn keys(ctx: &Ctx, props: &VdevGridProps, grid: Grid) -> Callback<KeyboardEvent> {
    let (ctx, map, index) = (ctx.clone(), props.map.clone(), props.index);
    let (set, cursor, interactive) = (props.set_cursor.clone(), props.cursor, props.interactive);
    Callback::from(move |e: KeyboardEvent| {
        if e.ctrl_key() || e.meta_key() || e.alt_key() {
            return;
        }
        let vdev = &map.vdevs[index];
        let at = cursor.and_then(|c| vdev.metaslabs.iter().position(|m| m.id == c));
        let here = at.unwrap_or(0) as u32;
        let page = i64::from((grid.rows / 4).max(1));
        let to = match e.key().as_str() {
            "ArrowRight" | "d" => grid.step(here, i64::from(at.is_some()), 0),
            "ArrowLeft" | "a" => grid.step(here, -1, 0),
            "ArrowDown" | "s" => grid.step(here, 0, i64::from(at.is_some())),
            "ArrowUp" | "w" => grid.step(here, 0, -1),
            "PageDown" => grid.step(here, 0, page),
            "PageUp" => grid.step(here, 0, -page),
            "Home" => Some(0),
            "End" => grid.count.checked_sub(1),
            "Enter" | " " if interactive => {
                e.prevent_default();
                if let Some(m) = vdev.metaslabs.get(here as usize) {
                    ctx.go(ctx.route().to_metaslab(vdev.id, m.id));
                }
                return;
            }
            _ => return,
        };
        e.prevent_default();
        let down = matches!(e.key().as_str(), "ArrowDown" | "s" | "ArrowRight" | "d" | "PageDown");
        match to.and_then(|i| vdev.metaslabs.get(i as usize)) {
            Some(m) => {
                set.emit((vdev.id, m.id));
                ctx.dispatch(Action::Speak(spoken(m)));
            }
            None => leave(&map, index, down, &set),
        }
    })
}

/// Past the last row comes the next vdev, before the first the previous one.
fn leave(map: &MapView, index: usize, down: bool, set: &Callback<(u64, u64)>) {
    let next = if down { index.checked_add(1) } else { index.checked_sub(1) };
    let Some(vdev) = next.and_then(|i| map.vdevs.get(i)) else {
        return;
    };
    let end = if down { vdev.metaslabs.first() } else { vdev.metaslabs.last() };
    if let Some(m) = end {
        set.emit((vdev.id, m.id));
        focus_grid(vdev.id);
    }
}

/// Moves the focus to the grid of a vdev.
pub fn focus_grid(vdev: u64) {
    let selector = format!(".grid[data-vdev='{vdev}']");
    let found = web_sys::window()
        .and_then(|w| w.document())
        .and_then(|d| d.query_selector(&selector).ok().flatten());
    if let Some(grid) = found.and_then(|e| wasm_bindgen::JsCast::dyn_into(e).ok()) {
        let grid: web_sys::HtmlElement = grid;
        // An element that cannot take the focus leaves it where it is.
        let _ = grid.focus();
    }
}

fn inspector(ctx: &Ctx, map: &MapView, at: (u64, u64), interactive: bool) -> Html {
    let vdev = map.vdevs.iter().find(|v| v.id == at.0);
    let found = vdev.and_then(|v| v.metaslabs.iter().find(|m| m.id == at.1));
    let (Some(vdev), Some(m)) = (vdev, found) else {
        return html! {
            <p class="dim">{ "Point at a metaslab, or move to it with the arrow keys." }</p>
        };
    };
    html! {
        <>
            <h2>{ format!("Metaslab {}", m.id) }<small>{ format!(" of {}", vdev.name) }</small></h2>
            if let Some(problem) = &m.problem {
                <p class="bad">{ problem }</p>
            }
            <Facts rows={metaslab_facts(m, vdev)} />
            <Histogram counts={m.histogram.clone()} small=true />
            if interactive {
                <button class="primary \
                    wide" onclick={ctx.to(ctx.route().to_metaslab(vdev.id, m.id))}>
                    { "Open" }<kbd>{ "Enter" }</kbd>
                </button>
            }
        </>
    }
}

/// The numbers of one metaslab with labels.
pub fn metaslab_facts(m: &MetaslabView, vdev: &VdevMapView) -> Vec<(AttrValue, AttrValue)> {
    let used = m.size.saturating_sub(m.free);
    let fragmentation = match (m.fragmentation, m.fragmentation_old) {
        (None, _) => "not known".to_string(),
        (Some(new), Some(old)) if new != old => format!("{new} % (before 2.3.1: {old} %)"),
        (Some(new), _) => format!("{new} %"),
    };
    let mut rows = vec![
        ("Allocated", format!("{} ({})", text::bytes(used), text::percent(used, m.size))),
        ("Free", text::bytes(m.free)),
        ("Fragmentation", fragmentation),
        ("Free segments", text::grouped(m.segments)),
        ("Largest run", text::bytes(m.max_size)),
        ("Weight", m.weight_text.clone()),
        ("Offset", text::hex(m.offset)),
        ("Size", text::bytes(m.size)),
    ];
    if m.space_map.0 != 0 {
        rows.push((
            "Space map",
            format!("object {}, {}", m.space_map, text::bytes(m.space_map_length)),
        ));
    }
    if m.unflushed_txg.0 != 0 {
        rows.push(("Unflushed since", format!("txg {}", m.unflushed_txg)));
        rows.push(("Free as zdb -m says", text::bytes(m.free_flushed)));
    }
    if vdev.embedded_log == Some(m.id) {
        rows.push(("Role", "embedded log".into()));
    }
    rows.into_iter().map(|(k, v)| (k.into(), v.into())).collect()
}
