//! The shell: rail, bar, the view, layers, keys, the address, and the theme.

use crate::client::Client;
use crate::clock;
use crate::context::{Ctx, Store};
use crate::export::copy;
use crate::panels::*;
use crate::route::{Route, View};
use crate::store::{Action, Overlay, Source, Theme, UiState};
use crate::widgets::Icon;
use gloo::events::{EventListener, EventListenerOptions};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlElement, KeyboardEvent, Window};
use yew::platform::spawn_local;
use yew::prelude::*;

/// Key under which the theme is kept.
const THEME_KEY: &str = "tidepool-theme";

fn window() -> Window {
    web_sys::window().expect("invariant: the app runs in a page")
}

fn hash() -> String {
    // A page without an address has an empty one.
    window().location().hash().unwrap_or_default()
}

fn system_dark() -> bool {
    let query = window().match_media("(prefers-color-scheme: dark)");
    query.ok().flatten().is_some_and(|q| q.matches())
}

fn stored_theme() -> Theme {
    let storage = window().local_storage().ok().flatten();
    let word = storage.and_then(|s| s.get_item(THEME_KEY).ok().flatten());
    Theme::of(&word.unwrap_or_default())
}

/// The page.
#[component]
pub fn App() -> Html {
    let store =
        use_reducer(|| Store(UiState::new(Route::parse(&hash()), stored_theme(), system_dark())));
    let client = use_state(Client::start);
    let ctx = Ctx { store, client: (*client).clone() };
    // Listeners live as long as the page; they see the present context through this cell.
    let current = use_mut_ref(|| None::<Ctx>);
    *current.borrow_mut() = Some(ctx.clone());
    use_page_events(current);
    use_address(&ctx);
    use_theme(&ctx);
    let state = ctx.state();
    html! {
        <ContextProvider<Ctx> context={ctx.clone()}>
            <a class="skip" href="#main">{ "Skip to the view" }</a>
            <div class="shell">
                { rail(&ctx) }
                <div class="page">
                    { bar(&ctx) }
                    <main id="main" tabindex="-1" data-view={state.route.view.word()}>
                        { panel(state.route.view) }
                    </main>
                </div>
            </div>
            <div class="sr-only" role="status" aria-live="polite">{ &state.spoken }</div>
            <Toast />
            { overlay(state.overlay) }
        </ContextProvider<Ctx>>
    }
}

fn panel(view: View) -> Html {
    match view {
        View::Start => html! { <StartPanel /> },
        View::Pool => html! { <PoolPanel /> },
        View::Map => html! { <MapPanel /> },
        View::Metaslab => html! { <MetaslabPanel /> },
        View::Files => html! { <FilesPanel /> },
        View::Labels => html! { <LabelsPanel /> },
        View::Check => html! { <CheckPanel /> },
        View::Explain => html! { <ExplainPanel /> },
    }
}

fn overlay(overlay: Overlay) -> Html {
    match overlay {
        Overlay::None => html! {},
        Overlay::Help => html! { <HelpLayer /> },
        Overlay::Search => html! { <SearchLayer /> },
        Overlay::Export => html! { <ExportLayer /> },
    }
}

fn link(ctx: &Ctx, route: Route) -> Callback<MouseEvent> {
    let ctx = ctx.clone();
    Callback::from(move |e: MouseEvent| {
        // With a modifier the browser opens the address itself.
        if !(e.ctrl_key() || e.meta_key() || e.shift_key()) {
            e.prevent_default();
            ctx.go(route.clone());
        }
    })
}

fn rail(ctx: &Ctx) -> Html {
    let state = ctx.state();
    let open = state.source.pool().is_some();
    html! {
        <nav class="rail" aria-label="Views">
            <a class="brand" href="#/open" onclick={link(ctx, state.route.with(View::Start))}>
                <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 10c3-3 6-3 9 0s6 3 9 0M2 \
                    16c3-3 6-3 9 0s6 3 9 0" /></svg>
                <span>{ "Tidepool" }</span>
            </a>
            <ul>
                { for View::ALL.into_iter().map(|view| {
                    let route = state.route.with(view);
                    let current = (view == state.route.view).then_some("page");
                    let class = classes!((view.needs_pool() && !open).then_some("idle"));
                    html! {
                        <li><a {class} href={route.to_hash()} aria-current={current}
                            aria-keyshortcuts={view.key().to_string()} data-view={view.word()}
                            onclick={link(ctx, route)}>
                            <Icon {view} /><span>{ view.label() }</span><kbd aria-hidden="true">{ view.key() }</kbd>
                        </a></li>
                    }
                }) }
            </ul>
            <p class="rail-foot">{ "Everything stays on this computer." }</p>
        </nav>
    }
}

fn bar(ctx: &Ctx) -> Html {
    let tool = |label: &'static str, key: &'static str, action: Action| {
        let ctx = ctx.clone();
        let onclick = Callback::from(move |_: MouseEvent| ctx.dispatch(action.clone()));
        html! {
            <button class="quiet tool" {onclick} aria-keyshortcuts={key}>
                <span>{ label }</span><kbd aria-hidden="true">{ key }</kbd>
            </button>
        }
    };
    let copy_link = {
        let ctx = ctx.clone();
        Callback::from(move |_: MouseEvent| share(&ctx))
    };
    let theme = if ctx.state().dark() { "Light" } else { "Dark" };
    html! {
        <header class="bar">
            { breadcrumb(ctx) }
            <div class="tools">
                { tool("Search", "/", Action::Show(Overlay::Search)) }
                { tool("Export", "E", Action::Show(Overlay::Export)) }
                <button class="quiet tool" onclick={copy_link} aria-keyshortcuts="L">
                    <span>{ "Link" }</span><kbd aria-hidden="true">{ "L" }</kbd></button>
                { tool(theme, "T", Action::ToggleTheme) }
                { tool("Keys", "?", Action::Show(Overlay::Help)) }
            </div>
        </header>
    }
}

fn breadcrumb(ctx: &Ctx) -> Html {
    let route = ctx.route();
    let step = |label: String, to: Route| {
        html! { <li><a href={to.to_hash()} onclick={link(ctx, to)}>{ label }</a></li> }
    };
    let mut steps = Vec::new();
    match &ctx.state().source {
        Source::Open(pool, _) => steps.push(step(pool.name.clone(), route.with(View::Pool))),
        Source::Opening(label) => {
            steps.push(html! { <li>{ format!("opening {label}\u{2026}") }</li> })
        }
        _ => steps.push(step("no pool".into(), route.with(View::Start))),
    }
    match route.view {
        View::Start | View::Pool => {}
        View::Metaslab => {
            steps.push(step(format!("vdev {}", route.vdev), route.with(View::Map)));
            let whole = Route { stretch: None, path: Vec::new(), ..route.clone() };
            steps.push(step(format!("metaslab {}", route.metaslab), whole));
            if let Some((a, b)) = route.stretch {
                steps.push(html! { <li class="mono">{ format!("{a:#x}\u{2013}{b:#x}") }</li> });
            }
        }
        View::Files if !route.dataset.is_empty() => {
            steps.push(step(route.dataset.clone(), route.clone()));
        }
        view => steps.push(step(view.label().to_lowercase(), route.clone())),
    }
    html! { <nav aria-label="Place"><ol class="crumbs">{ for steps }</ol></nav> }
}

/// A message at the foot that goes away.
#[component]
fn Toast() -> Html {
    let ctx = crate::context::use_ctx();
    let toast = ctx.state().toast.clone();
    let id = toast.as_ref().map(|t| t.0);
    {
        let ctx = ctx.clone();
        use_effect_with(id, move |id| {
            let timer = id.map(|id| {
                gloo::timers::callback::Timeout::new(4000, move || {
                    ctx.dispatch(Action::EndToast(id));
                })
            });
            move || drop(timer)
        });
    }
    html! {
        <div role="status" class="toast-place">
            if let Some((_, text)) = toast { <p class="toast">{ text }</p> }
        </div>
    }
}

/// Copies the address of the place; says what the other side will need.
fn share(ctx: &Ctx) {
    let ctx = ctx.clone();
    spawn_local(async move {
        let base = window().location().href().unwrap_or_default();
        let base = base.split('#').next().unwrap_or_default().to_string();
        let url = format!("{base}{}", ctx.route().to_hash());
        let message = match (copy(&url).await, ctx.route().files.is_empty()) {
            (false, _) => "The clipboard is closed to this page; copy the address instead.".into(),
            (true, true) => "Link copied".to_string(),
            (true, false) => "Link copied; it asks for the same files to be opened".to_string(),
        };
        ctx.dispatch(Action::Toast(message));
    });
}

type Current = Rc<RefCell<Option<Ctx>>>;

/// Keys, the back button, the system's colours, drops beside the drop zone, `?perf`, and the sample
/// of the address: installed once.
#[hook]
fn use_page_events(current: Current) {
    use_effect_with((), move |()| {
        let with = |f: fn(&Ctx, &Event)| {
            let current = current.clone();
            move |e: &Event| {
                let ctx = current.borrow().clone();
                ctx.iter().for_each(|ctx| f(ctx, e));
            }
        };
        let active = EventListenerOptions::enable_prevent_default();
        let mut listeners = vec![
            EventListener::new_with_options(&window(), "keydown", active, with(on_key)),
            EventListener::new(&window(), "hashchange", with(on_address)),
            EventListener::new_with_options(
                &window(),
                "dragover",
                active,
                with(|_, e| e.prevent_default()),
            ),
            EventListener::new_with_options(&window(), "drop", active, with(on_drop)),
        ];
        if let Ok(Some(query)) = window().match_media("(prefers-color-scheme: dark)") {
            let listener = with(|ctx, _| ctx.dispatch(Action::SystemDark(system_dark())));
            listeners.push(EventListener::new(&query, "change", listener));
        }
        if let Some(ctx) = &*current.borrow() {
            first_steps(ctx);
        }
        move || drop(listeners)
    });
}

fn first_steps(ctx: &Ctx) {
    let search = window().location().search().unwrap_or_default();
    if let Some(perf) = search.strip_prefix("?perf") {
        clock::measure();
        let segments = perf.trim_start_matches('=').parse().unwrap_or(1_000_000);
        open_bench(ctx, segments);
    } else if let Some(sample) = &ctx.route().sample {
        open_sample_id(ctx, sample, ctx.route().clone());
    }
}

fn on_address(ctx: &Ctx, _: &Event) {
    let route = Route::parse(&hash());
    if route.to_hash() == ctx.route().to_hash() || hash() == "#main" {
        return;
    }
    let wanted = route.sample.clone().filter(|s| ctx.route().sample.as_ref() != Some(s));
    let route = route.over(ctx.route());
    match wanted {
        Some(sample) => open_sample_id(ctx, &sample, route),
        None => ctx.go(route),
    }
}

fn on_drop(ctx: &Ctx, e: &Event) {
    if e.default_prevented() {
        return;
    }
    e.prevent_default();
    let files = e.dyn_ref::<DragEvent>().and_then(|e| e.data_transfer()).and_then(|d| d.files());
    take_files(ctx, files);
}

fn on_key(ctx: &Ctx, e: &Event) {
    let Some(key) = e.dyn_ref::<KeyboardEvent>() else {
        return;
    };
    if key.ctrl_key() || key.meta_key() || key.alt_key() || key.default_prevented() {
        return;
    }
    let typing = e
        .target()
        .and_then(|t| t.dyn_into::<HtmlElement>().ok())
        .is_some_and(|t| matches!(t.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"));
    if typing && key.key() != "Escape" {
        return;
    }
    let overlay = ctx.state().overlay;
    let show = |wanted: Overlay| {
        let next = if overlay == wanted { Overlay::None } else { wanted };
        ctx.dispatch(Action::Show(next));
    };
    match key.key().as_str() {
        "/" => show(Overlay::Search),
        "?" => show(Overlay::Help),
        "e" | "E" => show(Overlay::Export),
        "t" | "T" => ctx.dispatch(Action::ToggleTheme),
        "l" | "L" => share(ctx),
        "Escape" => escape(ctx, e),
        digit => {
            let view = digit.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            match view.and_then(|n| View::ALL.get(n)) {
                Some(&view) => ctx.show(view),
                None => return,
            }
        }
    }
    e.prevent_default();
}

/// Closes a layer, leaves a field, or goes up.
fn escape(ctx: &Ctx, e: &Event) {
    if ctx.state().overlay != Overlay::None {
        ctx.dispatch(Action::Show(Overlay::None));
        return;
    }
    if let Some(field) = e.target().and_then(|t| t.dyn_into::<HtmlElement>().ok())
        && matches!(field.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
    {
        // A field that is gone has no focus to lose.
        let _ = field.blur();
        return;
    }
    let route = ctx.route();
    match route.view {
        View::Metaslab if route.stretch.is_some() => {
            ctx.go(Route { stretch: None, ..route.clone() })
        }
        View::Metaslab => ctx.show(View::Map),
        View::Map | View::Files | View::Labels | View::Check => ctx.show(View::Pool),
        View::Start | View::Pool | View::Explain => {}
    }
}

/// Keeps the address in step with the place: a new entry for a new view or metaslab, the same entry
/// for a move within.
#[hook]
fn use_address(ctx: &Ctx) {
    let last = use_mut_ref(|| None::<Route>);
    use_effect_with(ctx.route().clone(), move |route| {
        let address = route.to_hash();
        let before = last.borrow_mut().replace(route.clone());
        if hash() == address {
            return;
        }
        let Ok(history) = window().history() else {
            return;
        };
        let moved = before.is_some_and(|b| {
            b.view != route.view
                || (b.dataset != route.dataset || b.dir != route.dir)
                || (route.view == View::Metaslab
                    && (b.vdev, b.metaslab) != (route.vdev, route.metaslab))
        });
        // Refused when too many come in a second; the next move catches up.
        let _ = match moved {
            true => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
            false => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        };
    });
}

/// Puts the theme on the document and remembers a choice.
#[hook]
fn use_theme(ctx: &Ctx) {
    use_effect_with((ctx.state().theme, ctx.state().dark()), |(theme, dark)| {
        let root = window().document().and_then(|d| d.document_element());
        if let Some(root) = root {
            let word = if *dark { "dark" } else { "light" };
            // Attributes can always be set on an element.
            let _ = root.set_attribute("data-theme", word);
        }
        if *theme != Theme::System
            && let Ok(Some(storage)) = window().local_storage()
        {
            // A full or closed storage forgets the choice; nothing else depends on it.
            let _ = storage.set_item(THEME_KEY, theme.word());
        }
    });
}
