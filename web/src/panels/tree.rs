//! The range tree of a metaslab, drawn as the B-tree it is: one row a level, from the root down the
//! way that was taken. Arrows choose a child, Enter opens it, Escape closes it.

use crate::context::{Ctx, use_ctx, use_reply};
use crate::protocol::{Reply, Request};
use crate::route::{Route, number};
use crate::store::Action;
use crate::text;
use crate::widgets::{Facts, FailureBox, Loading};
use std::rc::Rc;
use tidepool::view::{MetaslabView, SegmentView, TreeNodeView, VdevMapView};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// See [`TreeView`].
#[derive(Properties, PartialEq)]
pub struct TreeProps {
    /// The vdev.
    pub vdev: Rc<VdevMapView>,
    /// The metaslab.
    pub metaslab: Rc<MetaslabView>,
}

/// The tree with its search box.
#[component]
pub fn TreeView(props: &TreeProps) -> Html {
    let ctx = use_ctx();
    let search = use_state_eq(|| None::<u64>);
    let path = ctx.route().path.clone();
    // What is asked for below the last node opened.
    let selected = use_state_eq(|| 0usize);
    let find = {
        let (search, ctx) = (search.clone(), ctx.clone());
        Callback::from(move |offset: Option<u64>| {
            search.set(offset);
            ctx.go(Route { path: Vec::new(), ..ctx.route().clone() });
        })
    };
    html! {
        <div class="tree">
            <Finder {find} example={text::hex(props.metaslab.offset + props.metaslab.size / 2)} />
            { for (0..=path.len()).map(|level| html! {
                <Level key={format!("{level}-{:?}", &path[..level])}
                    vdev={props.vdev.id} metaslab={props.metaslab.id}
                    path={path[..level].to_vec()} open={path.get(level).copied()}
                    search={*search} selected={*selected}
                    select={let selected = selected.clone(); Callback::from(move |i| selected.set(i))} />
            }) }
        </div>
    }
}

/// See [`Finder`].
#[derive(Properties, PartialEq)]
struct FinderProps {
    find: Callback<Option<u64>>,
    example: String,
}

/// Follows a search by offset down the tree.
#[component]
fn Finder(props: &FinderProps) -> Html {
    let node = use_node_ref();
    let onsubmit = {
        let (node, find) = (node.clone(), props.find.clone());
        Callback::from(move |e: SubmitEvent| {
            e.prevent_default();
            let value = node.cast::<HtmlInputElement>().map(|i| i.value());
            find.emit(value.and_then(|v| number(v.trim())));
        })
    };
    html! {
        <form class="row finder" {onsubmit}>
            <label for="find-offset">{ "Follow a search for offset" }</label>
            <input id="find-offset" ref={node} class="mono" placeholder={props.example.clone()}
                autocomplete="off" />
            <button>{ "Follow" }</button>
        </form>
    }
}

/// See [`Level`].
#[derive(Properties, PartialEq)]
struct LevelProps {
    vdev: u64,
    metaslab: u64,
    path: Vec<u32>,
    open: Option<u32>,
    search: Option<u64>,
    selected: usize,
    select: Callback<usize>,
}

/// One node.
#[component]
fn Level(props: &LevelProps) -> Html {
    let ctx = use_ctx();
    let asked = use_reply(Some(Request::TreeNode {
        vdev: props.vdev,
        metaslab: props.metaslab,
        path: props.path.clone(),
    }));
    let last = props.open.is_none();
    // A search goes on where the node says.
    {
        let (ctx, path) = (ctx.clone(), props.path.clone());
        let select = props.select.clone();
        let next = match (asked.now(), props.search) {
            (Some(Reply::TreeNode(node)), Some(offset)) if last => Some(way(node, offset)),
            _ => None,
        };
        use_effect_with((next, asked.fresh), move |(next, _)| match next {
            Some(Step::Down(child)) => {
                let mut path = path;
                path.push(*child);
                ctx.go(Route { path, ..ctx.route().clone() });
            }
            Some(Step::Here(index)) => select.emit(*index),
            None => {}
        });
    }
    if let Some(failure) = &asked.failure {
        return html! { <FailureBox failure={failure.clone()} /> };
    }
    let Some(Reply::TreeNode(node)) = asked.now() else {
        return html! { <Loading what="Opening the node" /> };
    };
    let node = Rc::new(node.clone());
    html! {
        <NodeRow {node} open={props.open} selected={props.selected} search={props.search}
            select={props.select.clone()} />
    }
}

/// Where a search for `offset` goes from a node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Down(u32),
    Here(usize),
}

fn way(node: &TreeNodeView, offset: u64) -> Step {
    // The separators are segments themselves: the search ends at one that holds the offset.
    let index = node.segments.partition_point(|s| s.end <= offset);
    let hit = node.segments.get(index).is_some_and(|s| s.start <= offset);
    match hit || node.leaf || index >= node.children.len() {
        true => Step::Here(index.min(node.segments.len().saturating_sub(1))),
        false => Step::Down(index as u32),
    }
}

/// See [`NodeRow`].
#[derive(Properties, PartialEq)]
struct NodeProps {
    node: Rc<TreeNodeView>,
    open: Option<u32>,
    selected: usize,
    search: Option<u64>,
    select: Callback<usize>,
}

/// A node as a row of boxes: its children with how full they are, or the segments of a leaf by
/// their size.
#[component]
fn NodeRow(props: &NodeProps) -> Html {
    let ctx = use_ctx();
    let node = &props.node;
    let last = props.open.is_none();
    let count = if node.leaf { node.segments.len() } else { node.children.len() };
    let selected = match props.open {
        Some(child) => child as usize,
        None => props.selected.min(count.saturating_sub(1)),
    };
    let element = use_node_ref();
    {
        // The node opened last takes the focus, so that keys go on in it.
        let element = element.clone();
        use_effect_with((node.path.clone(), last), move |(path, last)| {
            if *last
                && !path.is_empty()
                && let Some(e) = element.cast::<web_sys::HtmlElement>()
            {
                // An element that cannot take the focus leaves it where it is.
                let _ = e.focus();
            }
        });
    }
    let onkeydown = node_keys(&ctx, props, count, selected);
    let word = if node.leaf { "segment" } else { "child" };
    let what = describe(node, selected);
    html! {
        <section class={classes!("node", last.then_some("node-last"))}>
            <header>
                <h3>{ title(node) }</h3>
                <span class="dim">{ fill_words(node) }</span>
            </header>
            <div ref={element} class="node-row" tabindex="0" role="listbox"
                aria-label={format!("{}, {}", title(node), fill_words(node))}
                aria-activedescendant={format!("node-{}-active", node.path.len())}
                data-level={node.path.len().to_string()} {onkeydown}>
                { boxes(&ctx, props, count, selected) }
                <span class="sr-only" role="option" aria-selected="true"
                    id={format!("node-{}-active", node.path.len())}>
                    { format!("{word} {}: {what}", selected + 1) }
                </span>
            </div>
            <p class="readout mono">{ format!("{word} {} of {count}: {what}", selected + 1) }</p>
            if node.path.is_empty() {
                <Facts rows={whole_tree(node)} />
            }
        </section>
    }
}

fn title(node: &TreeNodeView) -> String {
    match (node.path.last(), node.leaf) {
        (None, true) => "Root, which is the only leaf".into(),
        (None, false) => "Root".into(),
        (Some(child), leaf) => {
            let kind = if leaf { "Leaf" } else { "Node" };
            format!("{kind} {} on level {}", child + 1, node.path.len())
        }
    }
}

fn fill_words(node: &TreeNodeView) -> String {
    format!("{} of at most {}", text::count(node.segments.len() as u64, "segment"), node.capacity)
}

fn whole_tree(node: &TreeNodeView) -> Vec<(AttrValue, AttrValue)> {
    let bytes = match node.segments_total {
        0 => "-".to_string(),
        n => format!("{:.1} bytes a segment", node.memory as f64 / n as f64),
    };
    vec![
        ("Segments in the tree".into(), text::grouped(node.segments_total).into()),
        ("Nodes".into(), text::grouped(node.nodes_total).into()),
        ("Levels".into(), (u64::from(node.height) + 1).to_string().into()),
        ("Memory".into(), format!("{}, {bytes}", text::bytes(node.memory)).into()),
    ]
}

fn describe(node: &TreeNodeView, index: usize) -> String {
    let span = |s: &SegmentView| {
        format!(
            "{} to {}, {}",
            text::hex(s.start),
            text::hex(s.end),
            text::bytes(s.end.saturating_sub(s.start))
        )
    };
    if node.leaf {
        return node.segments.get(index).map_or("nothing".into(), span);
    }
    node.children.get(index).map_or("nothing".into(), |c| {
        format!(
            "{} from {} to {}",
            text::count(u64::from(c.count), "segment"),
            text::hex(c.first),
            text::hex(c.last)
        )
    })
}

/// All boxes but the chosen one as one path; the chosen one apart.
fn boxes(ctx: &Ctx, props: &NodeProps, count: usize, selected: usize) -> Html {
    let node = &props.node;
    const HEIGHT: f64 = 64.0;
    let heights: Vec<f64> = match node.leaf {
        true => {
            let log = |s: &SegmentView| ((s.end.saturating_sub(s.start)) as f64 + 1.0).log2();
            let most = node.segments.iter().map(log).fold(1.0, f64::max);
            node.segments.iter().map(|s| log(s) / most).collect()
        }
        false => {
            let most = node.children.iter().map(|c| c.count).max().unwrap_or(1).max(1);
            let share = |c: u32| f64::from(c) / f64::from(most);
            node.children.iter().map(|c| share(c.count)).collect()
        }
    };
    let slot = 1000.0 / (count.max(8) as f64);
    let gap = (slot * 0.15).min(4.0);
    let bar = |i: usize| {
        let height = (HEIGHT * heights.get(i).copied().unwrap_or(0.0)).max(3.0);
        (i as f64 * slot + gap / 2.0, HEIGHT - height, slot - gap, height)
    };
    let path: String = (0..count)
        .filter(|&i| i != selected)
        .map(|i| {
            let (x, y, w, h) = bar(i);
            format!("M{x:.2} {y:.2}h{w:.2}v{h:.2}h-{w:.2}z")
        })
        .collect();
    let (x, y, w, h) = bar(selected);
    let onclick = clicks(ctx, props, slot, count, selected);
    let class = if node.leaf { "leaf" } else { "core" };
    let open = props.open.is_some().then(|| {
        let middle = x + w / 2.0;
        html! { <path class="way" d={format!("M{middle:.2} {HEIGHT}v14")} /> }
    });
    html! {
        <svg viewBox={format!("0 0 1000 {}", HEIGHT + 14.0)} preserveAspectRatio="none"
            {class} {onclick} aria-hidden="true">
            <path class="boxes" d={path} />
            if count > 0 {
                <rect class="chosen" x={x.to_string()} y={y.to_string()} width={w.to_string()}
                    height={h.to_string()} />
            }
            { open }
        </svg>
    }
}

fn clicks(
    ctx: &Ctx,
    props: &NodeProps,
    slot: f64,
    count: usize,
    selected: usize,
) -> Callback<MouseEvent> {
    let ctx_open = props.open;
    let (node, select) = (props.node.clone(), props.select.clone());
    let go = open_child(ctx, props);
    Callback::from(move |e: MouseEvent| {
        let Some(target) = e.current_target() else {
            return;
        };
        let element: web_sys::Element = wasm_bindgen::JsCast::unchecked_into(target);
        let share = f64::from(e.offset_x()) / element.get_bounding_client_rect().width().max(1.0);
        let index = ((share * 1000.0 / slot) as usize).min(count.saturating_sub(1));
        let again = ctx_open.is_none() && index == selected;
        select.emit(index);
        if !node.leaf && (again || ctx_open.is_some()) {
            go.emit(index);
        }
    })
}

/// Opens a child of a node, whatever was open below it.
fn open_child(ctx: &Ctx, props: &NodeProps) -> Callback<usize> {
    let (ctx, path, select) = (ctx.clone(), props.node.path.clone(), props.select.clone());
    Callback::from(move |index: usize| {
        let mut path = path.clone();
        path.push(index as u32);
        select.emit(0);
        ctx.go(Route { path, ..ctx.route().clone() });
    })
}

fn node_keys(
    ctx: &Ctx,
    props: &NodeProps,
    count: usize,
    selected: usize,
) -> Callback<KeyboardEvent> {
    let (ctx, node, select) = (ctx.clone(), props.node.clone(), props.select.clone());
    let go = open_child(&ctx, props);
    Callback::from(move |e: KeyboardEvent| {
        if e.ctrl_key() || e.meta_key() || e.alt_key() {
            return;
        }
        let last = count.saturating_sub(1);
        let to = match e.key().as_str() {
            "ArrowRight" => (selected + 1).min(last),
            "ArrowLeft" => selected.saturating_sub(1),
            "PageDown" => (selected + 10).min(last),
            "PageUp" => selected.saturating_sub(10),
            "Home" => 0,
            "End" => last,
            "Enter" | "ArrowDown" if !node.leaf => {
                e.prevent_default();
                go.emit(selected);
                return;
            }
            "Escape" | "ArrowUp" | "Backspace" if !node.path.is_empty() => {
                e.prevent_default();
                e.stop_propagation();
                let mut path = node.path.clone();
                let child = path.pop().unwrap_or(0);
                select.emit(child as usize);
                ctx.go(Route { path, ..ctx.route().clone() });
                return;
            }
            _ => return,
        };
        e.prevent_default();
        if ctx.route().path.len() > node.path.len() {
            // Choosing another child closes what was open below.
            ctx.go(Route { path: node.path.clone(), ..ctx.route().clone() });
        }
        select.emit(to);
        ctx.dispatch(Action::Speak(describe(&node, to)));
    })
}
