//! Data sets, their files (browse, preview, download) and objects.

use super::object::ObjectCard;
use crate::context::{Asked, Ctx, use_ctx, use_reply};
use crate::export::{join_bytes, save};
use crate::protocol::{Reply, Request};
use crate::route::Route;
use crate::store::Action;
use crate::text;
use crate::widgets::{Empty, FailureBox, Loading, NoPool};
use tidepool::view::{DatasetView, FileView, ObjectView};
use yew::platform::spawn_local;
use yew::prelude::*;

/// Objects shown at once.
const OBJECTS: u32 = 200;
/// Bytes fetched at a time when a file is saved.
const CHUNK: u32 = 1 << 20;

/// The view.
#[component]
pub fn FilesPanel() -> Html {
    let ctx = use_ctx();
    let open = ctx.state().source.pool().cloned();
    let asked = use_reply(open.as_ref().map(|_| Request::Datasets));
    let Some(pool) = open else {
        return html! { <NoPool /> };
    };
    if let Some(failure) = &asked.failure {
        return html! { <FailureBox failure={failure.clone()} /> };
    }
    let Some(Reply::Datasets(datasets)) = asked.now() else {
        return html! { <Loading what="Reading data sets" /> };
    };
    let name = match ctx.route().dataset.as_str() {
        "" => first_readable(datasets),
        name => name.to_string(),
    };
    let chosen = datasets.iter().find(|d| d.name == name);
    html! {
        <>
            <header class="panel-head"><h1>{ "Data sets" }<small>{ format!(" of \
                {}", pool.name) }</small></h1></header>
            <div class="split files">
                <nav class="datasets" aria-label="Data sets">
                    <ul>
                        { for datasets.iter().map(|d| dataset_row(&ctx, d, &name)) }
                        { mos_row(&ctx, &name) }
                    </ul>
                </nav>
                <div class="contents">
                    if name == "mos" {
                        <Objects dataset="mos" />
                    } else if let Some(d) = chosen {
                        { dataset(&ctx, d) }
                    } else {
                        <Empty title={format!("There is no data set {name}")}>
                            <p>{ "Choose one from the list." }</p>
                        </Empty>
                    }
                </div>
            </div>
        </>
    }
}

/// The first file system whose files can be shown, else the first of all.
fn first_readable(datasets: &[DatasetView]) -> String {
    let files = |d: &&DatasetView| d.kind == "filesystem" && !d.snapshot && !d.encrypted;
    let first = datasets.iter().find(files).or(datasets.first());
    first.map_or("mos".into(), |d| d.name.clone())
}

fn place(ctx: &Ctx, dataset: &str) -> Route {
    Route { dataset: dataset.into(), dir: String::new(), object: None, ..ctx.route().clone() }
}

fn dataset_row(ctx: &Ctx, d: &DatasetView, chosen: &str) -> Html {
    let depth = d.name.matches('/').count().min(8) + usize::from(d.snapshot);
    let short = match d.snapshot {
        true => d.name.rfind('@').and_then(|at| d.name.get(at..)),
        false => d.name.rsplit('/').next(),
    };
    let problem = d.problem.is_some();
    html! {
        <li>
            <button class={classes!("row-button", d.snapshot.then_some("snapshot"))}
                aria-current={(d.name == chosen).then_some("true")} title={d.name.clone()}
                style={format!("padding-left:{}px", 8 + depth * 14)}
                onclick={ctx.to(place(ctx, &d.name))}>
                <span class="name">{ short.unwrap_or(&d.name).to_string() }</span>
                if d.encrypted { <span class="tag">{ "encrypted" }</span> }
                if problem { <span class="tag bad">{ "damaged" }</span> }
                <span class="dim">{ text::bytes(d.referenced) }</span>
            </button>
        </li>
    }
}

fn mos_row(ctx: &Ctx, chosen: &str) -> Html {
    html! {
        <li>
            <button class="row-button" aria-current={(chosen == "mos").then_some("true")}
                onclick={ctx.to(place(ctx, "mos"))}>
                <span class="name">{ "meta object set" }</span>
                <span class="dim">{ "the pool's own" }</span>
            </button>
        </li>
    }
}

fn dataset(ctx: &Ctx, d: &DatasetView) -> Html {
    let has_files = d.kind == "filesystem";
    let objects = ctx.route().objects || !has_files;
    let tab = |on: bool, label: &'static str| {
        let to = Route { objects: on, object: None, ..ctx.route().clone() };
        html! {
            <button aria-pressed={(objects == on).to_string()} onclick={ctx.to(to)}>{ label }</button>
        }
    };
    html! {
        <>
            <header class="dataset-head">
                <h2 class="mono">{ &d.name }</h2>
                <span class="dim">{ dataset_words(d) }</span>
                if has_files {
                    <div class="segmented" role="group" aria-label="Show">
                        { tab(false, "Files") }{ tab(true, "Objects") }
                    </div>
                }
            </header>
            if let Some(problem) = &d.problem { <p class="bad">{ problem }</p> }
            { properties(d) }
            if objects {
                <Objects dataset={d.name.clone()} />
            } else {
                <Directory dataset={d.name.clone()} dir={ctx.route().dir.clone()} />
            }
        </>
    }
}

fn dataset_words(d: &DatasetView) -> String {
    let ratio = match d.compressed {
        0 => String::new(),
        n => format!(", ratio {:.2}", d.uncompressed as f64 / n as f64),
    };
    format!(
        "{}, {} objects, refers to {}{ratio}, made in txg {}",
        d.kind,
        text::grouped(d.objects),
        text::bytes(d.referenced),
        d.creation_txg
    )
}

fn properties(d: &DatasetView) -> Html {
    let origin = d.origin.iter().map(|o| ("origin".to_string(), o.clone()));
    let rows: Vec<(String, String)> = d.properties.iter().cloned().chain(origin).collect();
    if rows.is_empty() {
        return html! {};
    }
    html! {
        <ul class="properties">
            { for rows.iter().map(|(k, v)| html! { <li><b>{ k }</b>{ format!(" {v}") }</li> }) }
        </ul>
    }
}

/// See [`Directory`].
#[derive(Properties, PartialEq)]
struct DirectoryProps {
    dataset: String,
    dir: String,
}

/// The entries of a directory.
#[component]
fn Directory(props: &DirectoryProps) -> Html {
    let ctx = use_ctx();
    let path = if props.dir.is_empty() { "/" } else { &props.dir };
    let asked =
        use_reply(Some(Request::List { dataset: props.dataset.clone(), path: path.into() }));
    html! {
        <>
            { crumbs(&ctx, path) }
            { entries(&ctx, props, &asked) }
        </>
    }
}

fn go_dir(ctx: &Ctx, dir: &str) -> Route {
    Route { dir: dir.trim_end_matches('/').into(), object: None, ..ctx.route().clone() }
}

fn crumbs(ctx: &Ctx, path: &str) -> Html {
    let mut at = String::new();
    let parts: Vec<(String, String)> = path
        .split('/')
        .filter(|p| !p.is_empty())
        .map(|p| {
            at.push('/');
            at.push_str(p);
            (p.to_string(), at.clone())
        })
        .collect();
    html! {
        <nav class="path mono" aria-label="Folder">
            <button class="link" onclick={ctx.to(go_dir(ctx, ""))}>{ "/" }</button>
            { for parts.iter().map(|(name, full)| html! {
                <><button class="link" onclick={ctx.to(go_dir(ctx, full))}>{ name }</button>{ "/" }</>
            }) }
        </nav>
    }
}

fn entries(ctx: &Ctx, props: &DirectoryProps, asked: &Asked) -> Html {
    if let Some(failure) = &asked.failure {
        return html! { <FailureBox failure={failure.clone()} /> };
    }
    let Some(Reply::List(files)) = asked.now() else {
        return html! { <Loading what="Reading the folder" /> };
    };
    if files.is_empty() {
        return html! { <p class="dim">{ "This folder is empty." }</p> };
    }
    html! {
        <div class="scroll"><table class="listing">
            <thead><tr><th>{ "Name" }</th><th>{ "Mode" }</th><th>{ "Owner" }</th>
                <th>{ "Size" }</th><th>{ "Changed" }</th><th>{ "Object" }</th>
                <th><span class="sr-only">{ "Save" }</span></th></tr></thead>
            <tbody>{ for files.iter().map(|f| file_row(ctx, props, f)) }</tbody>
        </table></div>
    }
}

fn file_row(ctx: &Ctx, props: &DirectoryProps, f: &FileView) -> Html {
    let full = format!("{}/{}", props.dir, f.name);
    let name = match f.kind.as_str() {
        "dir" => html! {
            <button class="link" onclick={ctx.to(go_dir(ctx, &full))}>{ format!("{}/", f.name) }</button>
        },
        _ => html! { <>{ &f.name }
        if let Some(target) = &f.target { <span class="dim">{ format!(" \u{2192} \
            {target}") }</span> }</> },
    };
    let object = Route { objects: true, object: Some(f.object.0), ..ctx.route().clone() };
    html! {
        <tr>
            <th scope="row" class="mono">{ name }
                if let Some(problem) = &f.problem { <p class="bad">{ problem }</p> }</th>
            <td class="mono dim">{ text::mode(&f.kind, f.mode) }</td>
            <td class="mono dim">{ format!("{}:{}", f.uid, f.gid) }</td>
            <td>{ if f.kind == "dir" { format!("{} entries", f.size) } else { text::bytes(f.size) } }</td>
            <td class="dim">{ text::time(f.mtime.0) }</td>
            <td><button class="link mono" aria-label={format!("Object {}", f.object)}
                onclick={ctx.to(object)}>{ f.object.to_string() }</button></td>
            <td>
                if f.kind == "file" {
                    <button class="quiet" aria-label={format!("Save {}", f.name)}
                        onclick={download(ctx, &props.dataset, &full, f)}>{ "Save" }</button>
                }
            </td>
        </tr>
    }
}

/// Reads a file chunk by chunk and hands it to the browser.
fn download(ctx: &Ctx, dataset: &str, path: &str, f: &FileView) -> Callback<MouseEvent> {
    let (ctx, dataset, path) = (ctx.clone(), dataset.to_string(), path.to_string());
    let (name, size) = (f.name.clone(), f.size);
    Callback::from(move |_| {
        let (ctx, dataset, path, name) = (ctx.clone(), dataset.clone(), path.clone(), name.clone());
        spawn_local(async move {
            let parts = js_sys::Array::new();
            let mut at = 0u64;
            while at < size {
                let len = u32::try_from(size - at).unwrap_or(CHUNK).min(CHUNK);
                let request =
                    Request::Read { dataset: dataset.clone(), path: path.clone(), offset: at, len };
                match &*ctx.client.ask(request).await {
                    Reply::Bytes(bytes) if !bytes.is_empty() => {
                        join_bytes(&parts, bytes);
                        at += bytes.len() as u64;
                    }
                    Reply::Failed(failure) => {
                        let text = format!("{name} at byte {at}: {}", failure.message);
                        return ctx.dispatch(Action::Toast(text));
                    }
                    _ => break,
                }
                if size > 8 * u64::from(CHUNK) {
                    let text = format!("{name}: {}", text::percent(at, size));
                    ctx.dispatch(Action::Toast(text));
                }
            }
            save(&name, &parts, "application/octet-stream");
            ctx.dispatch(Action::Toast(format!("{name} is saved, {}", text::bytes(at))));
        });
    })
}

/// See [`Objects`].
#[derive(Properties, PartialEq)]
struct ObjectsProps {
    dataset: AttrValue,
}

/// Objects of a data set, a page at a time, and the one that is open.
#[component]
fn Objects(props: &ObjectsProps) -> Html {
    let ctx = use_ctx();
    let from = use_state_eq(|| 0u64);
    let asked = use_reply(Some(Request::Objects {
        dataset: props.dataset.to_string(),
        from: *from,
        limit: OBJECTS,
    }));
    let page = |to: u64| {
        let from = from.clone();
        Callback::from(move |_: MouseEvent| from.set(to))
    };
    let list = match (asked.now(), &asked.failure) {
        (_, Some(failure)) => html! { <FailureBox failure={failure.clone()} /> },
        (Some(Reply::Objects(objects)), _) => {
            let next = objects.last().map(|o| o.id.0 + 1);
            let more = objects.len() as u32 == OBJECTS;
            html! {
                <>
                    { object_table(&ctx, objects) }
                    <div class="row">
                        if *from > 0 { <button onclick={page(0)}>{ "First objects" }</button> }
                        if let Some(next) = next.filter(|_| more) {
                            <button onclick={page(next)}>{ format!("From {next} on") }</button>
                        }
                    </div>
                </>
            }
        }
        _ => html! { <Loading what="Reading objects" /> },
    };
    html! {
        <>
            if let Some(id) = ctx.route().object {
                <ObjectCard dataset={props.dataset.clone()} {id} />
            }
            { list }
        </>
    }
}

fn object_table(ctx: &Ctx, objects: &[ObjectView]) -> Html {
    if objects.is_empty() {
        return html! { <p class="dim">{ "No object here." }</p> };
    }
    let row = |o: &ObjectView| {
        let to = Route { object: Some(o.id.0), ..ctx.route().clone() };
        html! {
            <tr aria-current={(ctx.route().object == Some(o.id.0)).then_some("true")}>
                <th scope="row"><button class="link \
                    mono" onclick={ctx.to(to)}>{ o.id.to_string() }</button></th>
                <td>{ &o.kind }</td>
                <td>{ o.levels.to_string() }</td>
                <td>{ text::bytes(o.block_size) }</td>
                <td>{ text::bytes(o.size) }</td>
                <td>{ text::bytes(o.used) }</td>
            </tr>
        }
    };
    html! {
        <div class="scroll"><table class="listing">
            <thead><tr><th>{ "Object" }</th><th>{ "Type" }</th><th>{ "Levels" }</th>
                <th>{ "Block" }</th><th>{ "Size" }</th><th>{ "On disk" }</th></tr></thead>
            <tbody>{ for objects.iter().map(row) }</tbody>
        </table></div>
    }
}
