//! What is on the screen, as a file: SVG of the picture, JSON of the view behind it.

use super::help::Layer;
use crate::context::{Ctx, use_ctx};
use crate::export::save_text;
use crate::protocol::{Reply, Request, StripRequest};
use crate::route::{Metric, Route, View};
use crate::store::{Action, Overlay};
use tidepool::view::svg::{self, ColorBy, SvgOptions};
use tidepool::view::{MapView, to_json};
use yew::platform::spawn_local;
use yew::prelude::*;

/// What can be saved of a place.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Svg,
    Json,
}

/// The layer.
#[component]
pub fn ExportLayer() -> Html {
    let ctx = use_ctx();
    let name = what_words(ctx.route());
    let button = |what: What, id: &'static str, label: String| {
        let ctx = ctx.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            let ctx = ctx.clone();
            spawn_local(async move { export(ctx, what).await });
        });
        html! { <button {id} class="wide" {onclick}>{ label }</button> }
    };
    html! {
        <Layer title="Export">
            <p class="dim">{ format!("Saves {name}, as it is shown now.") }</p>
            <div class="stack">
                { button(What::Svg, "export-svg", "Picture as SVG".into()) }
                { button(What::Json, "export-json", "Numbers as JSON".into()) }
            </div>
            <p class="dim small">{ "The JSON is the same that the command line prints with \
                --json." }</p>
        </Layer>
    }
}

fn what_words(route: &Route) -> &'static str {
    match route.view {
        View::Map => "the map",
        View::Metaslab if route.tree => "the open node of the range tree",
        View::Metaslab => "the metaslab",
        View::Files => "the list of data sets",
        View::Explain => "the reading of the text",
        _ => "the pool",
    }
}

async fn export(ctx: Ctx, what: What) {
    let options = SvgOptions {
        color_by: match ctx.route().metric {
            Metric::Fill => ColorBy::Fill,
            Metric::Fragmentation => ColorBy::Fragmentation,
            Metric::Weight => ColorBy::Weight,
            Metric::Largest => ColorBy::Largest,
        },
        dark: ctx.state().dark(),
        width: 1000,
    };
    let made = match what {
        What::Svg => picture(&ctx, &options).await,
        What::Json => numbers(&ctx).await,
    };
    let message = match made {
        Ok((name, text)) => {
            let (ending, kind) = match what {
                What::Svg => ("svg", "image/svg+xml"),
                What::Json => ("json", "application/json"),
            };
            let name = format!("{name}.{ending}");
            save_text(&name, &text, kind);
            format!("{name} is saved")
        }
        Err(why) => why,
    };
    ctx.dispatch(Action::Show(Overlay::None));
    ctx.dispatch(Action::Toast(message));
}

type Made = Result<(String, String), String>;

fn failed(reply: &Reply) -> String {
    match reply {
        Reply::Failed(failure) => failure.message.clone(),
        _ => "The engine answered something else.".into(),
    }
}

async fn picture(ctx: &Ctx, options: &SvgOptions) -> Made {
    let route = ctx.route().clone();
    match route.view {
        View::Map => match &*ctx.client.ask(Request::Map).await {
            Reply::Map(map) => Ok((format!("{}-map", map.pool), svg::map(map, options))),
            other => Err(failed(other)),
        },
        View::Metaslab if route.tree => {
            let request = Request::TreeNode {
                vdev: route.vdev,
                metaslab: route.metaslab,
                path: route.path.clone(),
            };
            match &*ctx.client.ask(request).await {
                Reply::TreeNode(node) => {
                    let name = format!("metaslab-{}-{}-tree", route.vdev, route.metaslab);
                    Ok((name, svg::tree_node(node, options)))
                }
                other => Err(failed(other)),
            }
        }
        View::Metaslab => metaslab_picture(ctx, &route, options).await,
        View::Explain => explain_picture(ctx, &route, options).await,
        _ => Err("This view has no picture; its numbers can be saved as JSON.".into()),
    }
}

async fn metaslab_picture(ctx: &Ctx, route: &Route, options: &SvgOptions) -> Made {
    let map = ctx.client.ask(Request::Map).await;
    let Reply::Map(map) = &*map else {
        return Err(failed(&map));
    };
    let vdev = map.vdevs.iter().find(|v| v.id == route.vdev);
    let metaslab = vdev.and_then(|v| v.metaslabs.iter().find(|m| m.id == route.metaslab));
    let (Some(vdev), Some(m)) = (vdev, metaslab) else {
        return Err("There is no such metaslab.".into());
    };
    let (from, to) = route.stretch.unwrap_or((0, m.size));
    let request = Request::Strip(StripRequest {
        vdev: vdev.id,
        metaslab: m.id,
        from: m.offset + from,
        to: m.offset + to.min(m.size),
        cells: options.width,
        max_segments: 0,
    });
    match &*ctx.client.ask(request).await {
        Reply::Strip(strip) => {
            let name = format!("{}-metaslab-{}-{}", map.pool, vdev.id, m.id);
            Ok((name, svg::metaslab(vdev, m, Some(strip), options)))
        }
        other => Err(failed(other)),
    }
}

async fn explain_picture(ctx: &Ctx, route: &Route, options: &SvgOptions) -> Made {
    let text = route.text.clone().unwrap_or_default();
    match &*ctx.client.ask(Request::Explain(text)).await {
        Reply::Explained(view) => match view.pictures.first() {
            Some(first) => Ok(("explained".into(), svg::picture(first, options))),
            None => Err("Nothing in this text can be drawn.".into()),
        },
        other => Err(failed(other)),
    }
}

async fn numbers(ctx: &Ctx) -> Made {
    let route = ctx.route().clone();
    let request = match route.view {
        View::Map => Request::Map,
        View::Metaslab if route.tree => Request::TreeNode {
            vdev: route.vdev,
            metaslab: route.metaslab,
            path: route.path.clone(),
        },
        View::Metaslab => return metaslab_numbers(ctx, &route).await,
        View::Files => Request::Datasets,
        View::Explain => Request::Explain(route.text.clone().unwrap_or_default()),
        _ => {
            let pool = ctx.state().source.pool().ok_or("No pool is open.")?;
            return Ok((pool.name.clone(), to_json(&**pool)));
        }
    };
    match &*ctx.client.ask(request).await {
        Reply::Map(map) => Ok((format!("{}-map", map.pool), to_json(map))),
        Reply::TreeNode(node) => Ok(("range-tree-node".into(), to_json(node))),
        Reply::Datasets(list) => Ok(("datasets".into(), to_json(list))),
        Reply::Explained(view) => Ok(("explained".into(), to_json(&**view))),
        other => Err(failed(other)),
    }
}

async fn metaslab_numbers(ctx: &Ctx, route: &Route) -> Made {
    let map = ctx.client.ask(Request::Map).await;
    let Reply::Map(map) = &*map else {
        return Err(failed(&map));
    };
    let found = find(map, route).ok_or("There is no such metaslab.")?;
    let name = format!("{}-metaslab-{}-{}", map.pool, route.vdev, route.metaslab);
    Ok((name, to_json(found)))
}

fn find<'a>(map: &'a MapView, route: &Route) -> Option<&'a tidepool::view::MetaslabView> {
    let vdev = map.vdevs.iter().find(|v| v.id == route.vdev)?;
    vdev.metaslabs.iter().find(|m| m.id == route.metaslab)
}
