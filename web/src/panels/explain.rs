//! Pasted text on the left, what it says on the right.

use super::pictures::PictureView;
use crate::context::{use_ctx, use_reply};
use crate::protocol::{Reply, Request};
use crate::route::Route;
use crate::samples::TEXTS;
use crate::widgets::{Empty, FailureBox, Loading};
use std::rc::Rc;
use tidepool::view::{ExplainView, Finding};
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

/// Wait after a keystroke before the text is read, in milliseconds.
const PAUSE_MS: u32 = 250;

/// The view.
#[component]
pub fn ExplainPanel() -> Html {
    let ctx = use_ctx();
    let text = ctx.route().text.clone().filter(|t| !t.trim().is_empty());
    let asked = use_reply(text.clone().map(Request::Explain));
    let timer = use_mut_ref(|| None::<gloo::timers::callback::Timeout>);
    let oninput = {
        let ctx = ctx.clone();
        Callback::from(move |e: InputEvent| {
            let Some(area) = e.target_dyn_into::<HtmlTextAreaElement>() else {
                return;
            };
            let ctx = ctx.clone();
            *timer.borrow_mut() = Some(gloo::timers::callback::Timeout::new(PAUSE_MS, move || {
                ctx.go(Route { text: Some(area.value()), ..ctx.route().clone() });
            }));
        })
    };
    let answer = match (asked.last.as_deref(), &asked.failure) {
        (_, Some(failure)) => html! { <FailureBox failure={failure.clone()} /> },
        _ if text.is_none() => nothing_yet(),
        (Some(Reply::Explained(view)), _) => {
            html! { <Answer view={Rc::new((**view).clone())} /> }
        }
        _ => html! { <Loading what="Reading" /> },
    };
    html! {
        <>
            <header class="panel-head">
                <h1>{ "Explain" }</h1>
                <div class="row">
                    { for TEXTS.iter().map(|sample| {
                        let to = Route { text: Some(sample.text.into()), ..ctx.route().clone() };
                        html! { <button class="quiet" title={sample.about} onclick={ctx.to(to)}>
                            { sample.about }</button> }
                    }) }
                </div>
            </header>
            <div class="explain">
                <div class="pasted">
                    <label for="explain-text">{ "Pasted text" }</label>
                    <textarea id="explain-text" class="mono" spellcheck="false" {oninput}
                        value={ctx.route().text.clone().unwrap_or_default()}
                        placeholder="Paste the output of a ZFS tool here." />
                    <p class="dim small">{ "Stays in this page. Copying the link (L) puts the text \
                        into the address, for those you give it to." }</p>
                </div>
                <div class="answer" aria-live="polite">{ answer }</div>
            </div>
        </>
    }
}

fn nothing_yet() -> Html {
    html! {
        <Empty title="Paste something">
            <p>{ "zdb -m, -mm, -C, -l, -b; zpool list -v, iostat -v, -l, -q, -r, -w; the txgs, \
                  dmu_tx and zil kstats; dbgmsg. Prompts, wrapped lines and cut tables are fine: \
                  what was not understood is listed." }</p>
        </Empty>
    }
}

/// See [`Answer`].
#[derive(Properties, PartialEq)]
struct AnswerProps {
    view: Rc<ExplainView>,
}

/// Verdict, findings, pictures, and what was not understood.
#[component]
fn Answer(props: &AnswerProps) -> Html {
    let v = &props.view;
    let known = v.kind != "unknown" && !v.kind.is_empty();
    html! {
        <>
            <section class={classes!("verdict", (!known).then_some("unknown"))} id="verdict"
                data-kind={v.kind.clone()}>
                <p class="kind">
                    <span class="tag">{ if known { v.kind.as_str() } else { "not \
                        recognised" } }</span>
                    if !v.version_hint.is_empty() { <span class="dim">{ &v.version_hint }</span> }
                </p>
                <h2>{ &v.verdict }</h2>
                if !v.next_step.is_empty() { <p>{ &v.next_step }</p> }
            </section>
            { for v.pictures.iter().enumerate().map(|(i, picture)| html! {
                <PictureView key={i} picture={Rc::new(picture.clone())} />
            }) }
            if !v.findings.is_empty() {
                <section class="card">
                    <h2>{ "Readings" }</h2>
                    <ul class="findings">{ for v.findings.iter().map(finding) }</ul>
                </section>
            }
            if !v.not_understood.is_empty() {
                <details class="card" open={!known}>
                    <summary><h2>{ format!("Not understood: {} \
                        lines", v.not_understood.len()) }</h2></summary>
                    <table><tbody>
                        { for v.not_understood.iter().take(200).map(|l| html! {
                            <tr><td class="dim">{ l.line.to_string() }</td>
                                <td class="mono">{ &l.text }</td><td class="dim">{ &l.why }</td></tr>
                        }) }
                    </tbody></table>
                </details>
            }
        </>
    }
}

fn finding(f: &Finding) -> Html {
    let (sign, word) = match f.level.as_str() {
        "check" => ("\u{2713}", "recomputed and agrees"),
        "mismatch" => ("\u{2260}", "recomputed and differs"),
        "warning" => ("!", "warning"),
        _ => ("\u{b7}", ""),
    };
    html! {
        <li class={classes!(f.level.clone())}>
            <span class="sign" title={word} aria-hidden="true">{ sign }</span>
            <span>{ &f.text }if !word.is_empty() { <span class="sr-only">{ format!(" \
                ({word})") }</span> }</span>
        </li>
    }
}
