//! Numbers with labels, bars, key caps, icons.

use crate::route::View;
use crate::text;
use yew::prelude::*;

/// See [`Stat`].
#[derive(Properties, PartialEq)]
pub struct StatProps {
    /// Label.
    pub label: AttrValue,
    /// Number.
    pub value: AttrValue,
    /// A line below.
    #[prop_or_default]
    pub note: AttrValue,
}

/// A number with its label.
#[component]
pub fn Stat(props: &StatProps) -> Html {
    html! {
        <div class="stat">
            <dt>{ &props.label }</dt>
            <dd>
                { &props.value }
                if !props.note.is_empty() {
                    <small>{ &props.note }</small>
                }
            </dd>
        </div>
    }
}

/// See [`Facts`].
#[derive(Properties, PartialEq)]
pub struct FactsProps {
    /// Label and value.
    pub rows: Vec<(AttrValue, AttrValue)>,
}

/// A list of labels and values.
#[component]
pub fn Facts(props: &FactsProps) -> Html {
    html! {
        <dl class="facts">
            { for props.rows.iter().map(|(label, value)| html! {
                <div><dt>{ label }</dt><dd>{ value }</dd></div>
            }) }
        </dl>
    }
}

/// See [`Meter`].
#[derive(Properties, PartialEq)]
pub struct MeterProps {
    /// Part.
    pub part: u64,
    /// Whole.
    pub whole: u64,
    /// What it measures.
    pub label: AttrValue,
}

/// A bar of `part` in `whole`.
#[component]
pub fn Meter(props: &MeterProps) -> Html {
    let share = props.part as f64 / props.whole.max(1) as f64 * 100.0;
    let label = format!("{}: {}", props.label, text::percent(props.part, props.whole));
    html! {
        <div class="meter" role="img" aria-label={label}>
            <span style={format!("width:{share:.2}%")} />
        </div>
    }
}

/// See [`Legend`].
#[derive(Properties, PartialEq)]
pub struct LegendProps {
    /// CSS gradient.
    pub gradient: AttrValue,
    /// Words at the ends.
    pub ends: (AttrValue, AttrValue),
}

/// A ramp with words at its ends.
#[component]
pub fn Legend(props: &LegendProps) -> Html {
    html! {
        <div class="legend">
            <span>{ &props.ends.0 }</span>
            <i style={format!("background:{}", props.gradient)} aria-hidden="true" />
            <span>{ &props.ends.1 }</span>
        </div>
    }
}

/// See [`Icon`].
#[derive(Properties, PartialEq)]
pub struct IconProps {
    /// View it stands for.
    pub view: View,
}

/// The icon of a view: strokes on a 20 by 20 grid.
#[component]
pub fn Icon(props: &IconProps) -> Html {
    let path = match props.view {
        View::Start => "M3 13v3h14v-3M10 3v9M6.5 8.5 10 12l3.5-3.5",
        View::Pool => {
            "M10 3v4M4 13v-3h12v3M10 7v3M2.5 13h3v3.5h-3zM8.5 13h3v3.5h-3zM14.5 13h3v3.5h-3zM10 \
             10v3"
        }
        View::Map => {
            "M3 3h4v4H3zM8 3h4v4H8zM13 3h4v4h-4zM3 8h4v4H3zM8 8h4v4H8zM13 8h4v4h-4zM3 13h4v4H3zM8 \
             13h4v4H8z"
        }
        View::Metaslab => "M2.5 6h15v8h-15zM6 6v8M7.5 6v8M11 6v8M14.5 6v8",
        View::Files => "M3 5h5l1.5 2H17v9H3zM3 9h14",
        View::Labels => {
            "M10 3a7 7 0 1 1 0 14a7 7 0 0 1 0-14zM10 6.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 0 1 0-7zM10 \
             3v3.5M16 13.5l-3-1.8M4 13.5l3-1.8"
        }
        View::Check => "M3.5 10.5 8 15l8.5-10",
        View::Explain => "M3 4h14v10H9l-4 3v-3H3zM6 8h8M6 10.7h5",
    };
    html! {
        <svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d={path} /></svg>
    }
}
