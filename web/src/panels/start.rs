//! The first screen: drop an image, take a sample, or paste what a tool printed.

use crate::context::{Ctx, use_ctx};
use crate::protocol::{OpenRequest, Reply};
use crate::route::{Route, View};
use crate::samples::{self, POOLS, PoolSample, TEXTS};
use crate::store::{Action, Source};
use crate::text;
use crate::widgets::{FailureBox, Loading};
use std::rc::Rc;
use tidepool::pool::ScanView;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DragEvent, File, FileList, HtmlInputElement, HtmlTextAreaElement};
use yew::platform::spawn_local;
use yew::prelude::*;

/// A single dropped file up to this size is looked at as text first.
const MAX_TEXT: f64 = 2e6;

/// The view.
#[component]
pub fn StartPanel() -> Html {
    let ctx = use_ctx();
    let over = use_state(|| false);
    let set_over = |on: bool| {
        let over = over.clone();
        Callback::from(move |e: DragEvent| {
            e.prevent_default();
            over.set(on);
        })
    };
    let ondrop = {
        let (ctx, over) = (ctx.clone(), over.clone());
        Callback::from(move |e: DragEvent| {
            e.prevent_default();
            over.set(false);
            let files = e.data_transfer().and_then(|d| d.files());
            take_files(&ctx, files);
        })
    };
    let class = classes!("start", over.then_some("over"));
    html! {
        <div {class} ondragover={set_over(true)} ondragleave={set_over(false)} {ondrop}>
            <header class="hero">
                <h1>{ "See inside any pool" }</h1>
                <p>
                    { "Every metaslab, every free segment, every block of an OpenZFS pool. " }
                    <strong>{ "Nothing is uploaded" }</strong>
                    { ": the engine runs in this page and reads slices of your files as needed." }
                </p>
            </header>
            { source_state(&ctx) }
            <div class="start-grid">
                { drop_zone(&ctx) }
                <PasteBox />
            </div>
            { sample_list(&ctx) }
        </div>
    }
}

fn source_state(ctx: &Ctx) -> Html {
    match &ctx.state().source {
        Source::Opening(label) => html! { <Loading what={format!("Opening {label}")} /> },
        Source::Failed(failure) => html! { <FailureBox failure={failure.clone()} /> },
        Source::Choose(scan) => choose(ctx, scan),
        Source::Open(pool, _) => html! {
            <p class="open-now">
                { "Open now: " }<strong>{ &pool.name }</strong>
                <button onclick={ctx.to(ctx.route().with(View::Map))}>{ "Show its map" }</button>
                <button onclick={close(ctx)}>{ "Close it" }</button>
            </p>
        },
        Source::Nothing => html! {},
    }
}

fn close(ctx: &Ctx) -> Callback<MouseEvent> {
    let ctx = ctx.clone();
    Callback::from(move |_| {
        ctx.client.forget();
        ctx.dispatch(Action::Close);
    })
}

/// Several pools on the given devices.
fn choose(ctx: &Ctx, scan: &Rc<ScanView>) -> Html {
    let rows = scan.pools.iter().map(|pool| {
        let (ctx, guid) = (ctx.clone(), pool.guid.0);
        let onclick = Callback::from(move |_: MouseEvent| {
            if let Some((request, objects)) = ctx.client.opened() {
                let request = OpenRequest { guid: Some(guid), ..request };
                open(&ctx, request, objects, ctx.route().clone());
            }
        });
        html! {
            <li>
                <button {onclick}>{ format!("Open {}", pool.name) }</button>
                <span class="mono dim">
                    { format!("guid {}, txg {}, {}", pool.guid, pool.txg, pool.state) }
                </span>
            </li>
        }
    });
    html! {
        <section class="notice" role="alert">
            <h2>{ format!("These files hold \
                {}", text::count(scan.pools.len() as u64, "pool")) }</h2>
            <ul class="choices">{ for rows }</ul>
        </section>
    }
}

fn drop_zone(ctx: &Ctx) -> Html {
    let onchange = {
        let ctx = ctx.clone();
        Callback::from(move |e: Event| {
            if let Some(input) = e.target_dyn_into::<HtmlInputElement>() {
                take_files(&ctx, input.files());
                input.set_value("");
            }
        })
    };
    html! {
        <section class="drop" aria-labelledby="drop-title">
            <svg viewBox="0 0 120 56" class="drop-art" aria-hidden="true">
                <path d="M8 30c8-6 16-6 24 0s16 6 24 0 16-6 24 0 16 6 24 0" />
                <path d="M8 42c8-6 16-6 24 0s16 6 24 0 16-6 24 0 16 6 24 0" />
                <path d="M60 4v16M54 14l6 6 6-6" class="arrow" />
            </svg>
            <h2 id="drop-title">{ "Drop pool images" }</h2>
            <p class="dim">
                { "One raw image, or all members of a mirror or raidz at once. Any size." }
            </p>
            <label class="button primary">
                <input id="pick" type="file" multiple=true {onchange} class="sr-only" />
                { "Choose files\u{2026}" }
            </label>
        </section>
    }
}

/// The paste box.
#[component]
fn PasteBox() -> Html {
    let ctx = use_ctx();
    let node = use_node_ref();
    let explain = {
        let (ctx, node) = (ctx.clone(), node.clone());
        Callback::from(move |()| {
            let text = node.cast::<HtmlTextAreaElement>().map(|t| t.value());
            show_text(&ctx, text.unwrap_or_default());
        })
    };
    let onpaste = {
        let explain = explain.clone();
        // The value is there only after the event.
        Callback::from(move |_: Event| {
            let explain = explain.clone();
            gloo::timers::callback::Timeout::new(0, move || explain.emit(())).forget();
        })
    };
    html! {
        <section class="paste" aria-labelledby="paste-title">
            <h2 id="paste-title">{ "Or paste what a tool printed" }</h2>
            <textarea ref={node} id="paste" {onpaste} spellcheck="false" rows="6"
                aria-labelledby="paste-title"
                placeholder={"zdb -m, zdb -mm, zpool iostat -v -l -w,\nthe txgs kstat, zpool list \
                    -v \u{2026}"} />
            <div class="row">
                <button onclick={explain.reform(|_: MouseEvent| ())}>{ "Explain" }</button>
                { for TEXTS.iter().map(|sample| {
                    let ctx = ctx.clone();
                    let onclick = Callback::from(move |_: MouseEvent| {
                        show_text(&ctx, sample.text.into());
                    });
                    html! {
                        <button class="quiet" data-sample={sample.id} {onclick}
                            title={sample.about}>
                            { format!("Try {}", short(sample.command)) }
                        </button>
                    }
                }) }
            </div>
        </section>
    }
}

/// The last word of a path, for a button.
fn short(command: &str) -> &str {
    match command.strip_prefix("cat ") {
        Some(path) => path.rsplit('/').next().unwrap_or(path),
        None => command,
    }
}

fn sample_list(ctx: &Ctx) -> Html {
    html! {
        <section aria-labelledby="samples-title">
            <h2 id="samples-title">{ "Nothing at hand? Take a sample" }</h2>
            <ul class="samples">
                { for POOLS.iter().map(|sample| {
                    let ctx = ctx.clone();
                    let onclick = Callback::from(move |_: MouseEvent| {
                        open_sample(&ctx, sample, Route::default());
                    });
                    html! {
                        <li><button class="sample" data-sample={sample.id} {onclick}>
                            <strong>{ sample.title }</strong><span>{ sample.about }</span>
                        </button></li>
                    }
                }) }
            </ul>
            <p class="dim">
                { "Samples were made by OpenZFS's own code for this page and travel with it." }
            </p>
        </section>
    }
}

fn show_text(ctx: &Ctx, text: String) {
    if text.trim().is_empty() {
        ctx.dispatch(Action::Toast("There is nothing to explain yet: paste a text first.".into()));
        return;
    }
    let mut route = ctx.route().with(View::Explain);
    route.text = Some(text);
    ctx.go(route);
}

/// Files from the picker or a drop: text goes to Explain, images to the engine.
pub fn take_files(ctx: &Ctx, files: Option<FileList>) {
    let files: Vec<File> = files
        .map(|list| (0..list.length()).filter_map(|i| list.get(i)).collect())
        .unwrap_or_default();
    let ctx = ctx.clone();
    spawn_local(async move {
        if let [file] = files.as_slice()
            && file.size() <= MAX_TEXT
            && let Some(text) = read_text(file).await
        {
            return show_text(&ctx, text);
        }
        if !files.is_empty() {
            open_files(&ctx, &files);
        }
    });
}

async fn read_text(file: &File) -> Option<String> {
    let text = JsFuture::from(file.text()).await.ok()?.as_string()?;
    let binary = text.contains('\0') || text.contains('\u{fffd}');
    (!binary).then_some(text)
}

fn open_files(ctx: &Ctx, files: &[File]) {
    let names: Vec<String> = files.iter().map(File::name).collect();
    // A deep link to these files leads on; otherwise start at the map.
    let mut route = ctx.route().clone();
    if route.files != names {
        route = Route::default();
    }
    route.sample = None;
    route.files.clone_from(&names);
    let request = OpenRequest { names, ..OpenRequest::default() };
    let objects = files.iter().cloned().collect::<js_sys::Array>();
    open(ctx, request, objects, route);
}

/// Fetches a built-in sample and opens it at `route`.
pub fn open_sample(ctx: &Ctx, sample: &'static PoolSample, mut route: Route) {
    route.sample = Some(sample.id.into());
    route.files.clear();
    let ctx = ctx.clone();
    ctx.dispatch(Action::Opening(sample.title.into()));
    spawn_local(async move {
        let objects = js_sys::Array::new();
        for file in sample.files {
            match fetch(&format!("samples/{file}")).await {
                Ok(bytes) => objects.push(&bytes),
                Err(_) => {
                    let advice = "The samples lie beside the page; serve it with `tidepool play`.";
                    let failure = crate::protocol::Failure {
                        kind: "io".into(),
                        place: format!("samples/{file}"),
                        message: "the sample could not be fetched".into(),
                        advice: advice.into(),
                    };
                    return ctx.dispatch(Action::Failed(failure));
                }
            };
        }
        let names = sample.files.iter().map(|f| f.trim_end_matches(".gz").to_string());
        let request = OpenRequest { names: names.collect(), ..OpenRequest::default() };
        open(&ctx, request, objects, route);
    });
}

/// Opens the sample with that id, if there is one.
pub fn open_sample_id(ctx: &Ctx, id: &str, route: Route) {
    if let Some(sample) = samples::pool(id) {
        open_sample(ctx, sample, route);
    }
}

async fn fetch(url: &str) -> Result<JsValue, JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let response = JsFuture::from(window.fetch_with_str(url)).await?;
    let response: web_sys::Response = response.dyn_into()?;
    if !response.ok() {
        return Err(JsValue::NULL);
    }
    let buffer = JsFuture::from(response.array_buffer()?).await?;
    Ok(js_sys::Uint8Array::new(&buffer).into())
}

/// Opens the made-up pool of `segments` segments.
pub fn open_bench(ctx: &Ctx, segments: u64) {
    let request = OpenRequest { bench: Some(segments), ..OpenRequest::default() };
    open(ctx, request, js_sys::Array::new(), ctx.route().clone());
}

fn open(ctx: &Ctx, request: OpenRequest, objects: js_sys::Array, route: Route) {
    let label = match request.names.as_slice() {
        [] => "the made-up pool".into(),
        [one] => one.clone(),
        many => format!("{} files", many.len()),
    };
    ctx.dispatch(Action::Opening(label));
    let own = ctx.clone();
    let handler = Rc::new(move |reply: Reply| {
        own.dispatch(match reply {
            Reply::Opened(pool) => {
                own.go(route.clone());
                Action::Opened(pool)
            }
            Reply::Choose(scan) => Action::Choose(scan),
            Reply::Failed(failure) => {
                own.client.forget();
                Action::Failed(failure)
            }
            _ => return,
        });
    });
    ctx.client.open(request, objects, handler);
}
