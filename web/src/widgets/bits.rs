//! A metaslab weight, bit by bit.

use tidepool::alloc::Weight;
use yew::prelude::*;

/// See [`WeightBits`].
#[derive(Properties, PartialEq)]
pub struct WeightBitsProps {
    /// The weight.
    pub weight: u64,
}

/// The 64 bits of a weight, grouped by what they mean, with the meaning of each group.
#[component]
pub fn WeightBits(props: &WeightBitsProps) -> Html {
    let fields = Weight(props.weight).fields();
    html! {
        <div class="bits">
            <p class="bits-hex mono">{ format!("{:#018x}", props.weight) }</p>
            <table>
                <thead class="sr-only"><tr>
                    <th>{ "bits" }</th><th>{ "name" }</th><th>{ "digits" }</th>
                    <th>{ "meaning" }</th>
                </tr></thead>
                <tbody>
                    { for fields.iter().map(|f| html! {
                        <tr>
                            <td class="mono dim">{ f.bits }</td>
                            <th scope="row">{ f.name }</th>
                            <td class="mono bits-digits">{ digits(f.bits, props.weight) }</td>
                            <td>{ &f.meaning }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// The binary digits of bits `range` (`63` or `59-54`) of `weight`; leading zeros of long fields
/// are cut to an ellipsis.
fn digits(range: &str, weight: u64) -> String {
    let (high, low) = range.split_once('-').unwrap_or((range, range));
    let (Ok(high), Ok(low)) = (high.parse::<u32>(), low.parse::<u32>()) else {
        return String::new();
    };
    let all: String = (low..=high.min(63))
        .rev()
        .map(|bit| if weight >> bit & 1 == 1 { '1' } else { '0' })
        .collect();
    match all.find('1') {
        Some(first) if all.len() > 12 => format!("\u{2026}{}", &all[first.saturating_sub(1)..]),
        None if all.len() > 12 => "\u{2026}0".into(),
        _ => all,
    }
}
