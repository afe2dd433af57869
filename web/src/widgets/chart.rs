//! Free segments by size, as bars with the fragmentation percentage of each size below.

use crate::text;
use tidepool::alloc::FragmentationTable;
use yew::prelude::*;

/// See [`Histogram`].
#[derive(Properties, PartialEq)]
pub struct HistogramProps {
    /// Counts; index is log2 of bytes.
    pub counts: Vec<u64>,
    /// Counts of the stored histogram, drawn as ticks; empty for none.
    #[prop_or_default]
    pub stored: Vec<u64>,
    /// Without percentages and numbers.
    #[prop_or_default]
    pub small: bool,
}

const BAR: f64 = 26.0;
const HEIGHT: f64 = 112.0;

/// The histogram. Heights are logarithmic: a single segment is still seen beside a million.
#[component]
pub fn Histogram(props: &HistogramProps) -> Html {
    let used = |list: &[u64]| {
        let first = list.iter().position(|&n| n > 0)?;
        Some((first, list.iter().rposition(|&n| n > 0)?))
    };
    let spans = [used(&props.counts), used(&props.stored)];
    let Some((first, last)) =
        spans.into_iter().flatten().reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
    else {
        return html! { <p class="dim">{ "No free segment." }</p> };
    };
    let most = props.counts.iter().chain(&props.stored).copied().max();
    let most = log(most.unwrap_or(1).max(1));
    let foot = if props.small { 18.0 } else { 34.0 };
    let width = BAR * (last - first + 1) as f64;
    let bars = (first..=last).map(|i| bar(props, i, (i - first) as f64 * BAR, most));
    html! {
        <figure class="histogram">
            <svg viewBox={format!("0 0 {width} {}", HEIGHT + foot + 14.0)} aria-hidden="true"
                style={format!("max-width:{width}px")}>
                { for bars }
                <line x1="0" x2={width.to_string()} y1={(HEIGHT + 14.0).to_string()}
                    y2={(HEIGHT + 14.0).to_string()} class="axis" />
            </svg>
            { table(props, first, last) }
        </figure>
    }
}

fn log(n: u64) -> f64 {
    // Only for heights on the screen, so the platform's logarithm will do.
    (n as f64 + 1.0).log2()
}

fn bar(props: &HistogramProps, index: usize, x: f64, most: f64) -> Html {
    let at = |list: &[u64]| list.get(index).copied().unwrap_or(0);
    let (count, stored) = (at(&props.counts), at(&props.stored));
    let height = HEIGHT * log(count) / most;
    let base = HEIGHT + 14.0;
    let middle = (x + BAR / 2.0).to_string();
    let size = short_power(index);
    let percent = FragmentationTable::New.percent(index as u32);
    let tick = base - HEIGHT * log(stored) / most;
    html! {
        <g>
            <title>{ format!("{size} and more: {}", text::count(count, "segment")) }</title>
            if count > 0 {
                <rect x={(x + 2.0).to_string()} width={(BAR - 4.0).to_string()}
                    y={(base - height).to_string()} height={height.to_string()} class="bar" />
                <text x={middle.clone()} y={(base - height - 3.0).to_string()} class="count">
                    { short_count(count) }
                </text>
            }
            if stored > 0 {
                <line x1={(x + 1.0).to_string()} x2={(x + BAR - 1.0).to_string()}
                    y1={tick.to_string()} y2={tick.to_string()} class="tick" />
            }
            <text x={middle.clone()} y={(base + 13.0).to_string()} class="label">{ size }</text>
            if !props.small {
                <text x={middle} y={(base + 28.0).to_string()} class="percent">
                    { percent.to_string() }
                </text>
            }
        </g>
    }
}

/// The same numbers for screen readers.
fn table(props: &HistogramProps, first: usize, last: usize) -> Html {
    html! {
        <table class="sr-only">
            <caption>{ "Free segments by size" }</caption>
            <thead><tr>
                <th>{ "From size" }</th><th>{ "Segments" }</th><th>{ "Fragmentation percent" }</th>
            </tr></thead>
            <tbody>
                { for (first..=last).map(|i| html! {
                    <tr>
                        <td>{ short_power(i) }</td>
                        <td>{ props.counts.get(i).copied().unwrap_or(0).to_string() }</td>
                        <td>{ FragmentationTable::New.percent(i as u32).to_string() }</td>
                    </tr>
                }) }
            </tbody>
        </table>
    }
}

fn short_power(index: usize) -> String {
    tidepool::base::nice_bytes(1u64.checked_shl(index as u32).unwrap_or(u64::MAX))
}

/// A count in at most four characters.
fn short_count(n: u64) -> String {
    match n {
        0..=9999 => n.to_string(),
        10_000..=999_999 => format!("{}k", n / 1000),
        _ => format!("{}M", n / 1_000_000),
    }
}
