//! Pictures of pasted numbers. Tables with drawn cells: the numbers stay readable and reachable.

use super::map::PoolMap;
use crate::context::use_ctx;
use crate::paint::Palette;
use crate::text;
use std::rc::Rc;
use tidepool::view::Picture;
use yew::prelude::*;

/// Rows drawn of one picture.
const ROWS: usize = 120;

/// See [`PictureView`].
#[derive(Properties, PartialEq)]
pub struct PictureProps {
    /// The picture.
    pub picture: Rc<Picture>,
}

/// One picture.
#[component]
pub fn PictureView(props: &PictureProps) -> Html {
    let ctx = use_ctx();
    let palette = Palette::of(ctx.state().dark());
    match &*props.picture {
        Picture::Map { title, map } => html! {
            <section class="card picture" data-picture="map">
                <h2>{ title }</h2>
                <super::map::MetricButtons />
                <PoolMap map={Rc::new(map.clone())} />
            </section>
        },
        Picture::Histogram { title, unit, bars } | Picture::Bars { title, unit, bars } => html! {
            <section class="card picture" data-picture="bars">
                <h2>{ title }</h2>{ bar_table(unit, bars) }
            </section>
        },
        Picture::Heat { title, columns, rows } => html! {
            <section class="card picture" data-picture="heat">
                <h2>{ title }</h2>{ heat_table(columns, rows, palette) }
            </section>
        },
        Picture::Timeline { title, stages, rows } => html! {
            <section class="card picture" data-picture="timeline">
                <h2>{ title }</h2>{ timeline(stages, rows) }
            </section>
        },
    }
}

/// A number without noise.
fn number(n: f64) -> String {
    match n {
        n if n.fract() == 0.0 && (0.0..1e15).contains(&n) => text::grouped(n as u64),
        n if n.abs() >= 100.0 => format!("{n:.0}"),
        n => format!("{n:.1}"),
    }
}

/// A number in its unit, when the unit is one that has a short form.
fn with_unit(n: f64, unit: &str) -> String {
    match unit {
        "bytes" if n >= 0.0 => text::bytes(n as u64),
        "ns" | "nanoseconds" => text::nanoseconds(n),
        _ => number(n),
    }
}

fn bar_table(unit: &str, bars: &[(String, f64)]) -> Html {
    let most = bars.iter().map(|b| b.1).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let heading = if matches!(unit, "bytes" | "ns" | "nanoseconds") { "" } else { unit };
    html! {
        <table class="bars">
            if !heading.is_empty() {
                <thead><tr><th /><th>{ heading }</th><th class="wide" /></tr></thead>
            }
            <tbody>
                { for bars.iter().take(ROWS).map(|(label, n)| html! {
                    <tr>
                        <th scope="row">{ label }</th>
                        <td>{ with_unit(*n, unit) }</td>
                        <td class="wide"><i
                            style={format!("width:{:.2}%", (n / most * 100.0).clamp(0.0, 100.0))} /></td>
                    </tr>
                }) }
            </tbody>
        </table>
    }
}

fn heat_table(columns: &[String], rows: &[(String, Vec<f64>)], palette: &Palette) -> Html {
    let most = rows.iter().flat_map(|r| &r.1).copied().fold(0.0, f64::max);
    let cell = |n: f64| {
        if n <= 0.0 {
            return html! { <td class="dim">{ "\u{b7}" }</td> };
        }
        // Logarithmic: queues differ by orders of magnitude.
        let color = palette.fill.at((n + 1.0).log2() / (most + 1.0).log2().max(1.0));
        let ink = if color.is_light() { "#10201d" } else { "#f4faf8" };
        html! { <td style={format!("background:{};color:{ink}", color.css())}>{ number(n) }</td> }
    };
    html! {
        <div class="scroll"><table class="heat">
            <thead><tr><th />{ for columns.iter().map(|c| html! { <th>{ c }</th> }) }</tr></thead>
            <tbody>
                { for rows.iter().take(ROWS).map(|(label, counts)| html! {
                    <tr><th scope="row">{ label }</th>{ for counts.iter().map(|&n| cell(n)) }</tr>
                }) }
            </tbody>
        </table></div>
    }
}

/// Stretches of time on a common scale; each stage has its own shade.
fn timeline(stages: &[String], rows: &[(String, f64, Vec<f64>)]) -> Html {
    let rows = rows.get(..rows.len().min(ROWS)).unwrap_or_default();
    let start = rows.iter().map(|r| r.1).fold(f64::INFINITY, f64::min);
    let end = rows.iter().map(|r| r.1 + r.2.iter().sum::<f64>()).fold(0.0, f64::max);
    let span = (end - start).max(1.0);
    let share = |n: f64| (n / span * 100.0).clamp(0.0, 100.0);
    html! {
        <>
            <p class="stages">{ for stages.iter().enumerate().map(|(i, s)| html! {
                <span><i class={format!("stage stage-{i}")} />{ s }</span>
            }) }</p>
            <table class="timeline">
                <tbody>
                    { for rows.iter().map(|(label, at, lengths)| html! {
                        <tr>
                            <th scope="row" class="mono">{ label }</th>
                            <td class="wide"><div style={format!("margin-left:{:.3}%;width:{:.3}%", share(at - start),
                                share(lengths.iter().sum()))}>
                                { for lengths.iter().enumerate().map(|(i, &n)| html! {
                                    <i class={format!("stage stage-{i}")}
                                        title={format!("{}: \
                                            {}", stages.get(i).map_or("", String::as_str), text::nanoseconds(n))}
                                        style={format!("flex-grow:{n}")} />
                                }) }
                            </div></td>
                            <td class="mono dim">{ text::nanoseconds(lengths.iter().sum()) }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </>
    }
}
