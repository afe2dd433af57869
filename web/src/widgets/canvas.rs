//! A canvas that shows a pixmap, painted in the next frame and only when something has changed.

use crate::clock;
use crate::paint::Pixmap;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};
use yew::prelude::*;

/// A painter; two are equal when they are the same one. The argument is device pixels a CSS pixel.
#[derive(Clone)]
pub struct Paint(pub Rc<dyn Fn(u32) -> Pixmap>);

impl PartialEq for Paint {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Paint {
    /// A painter from a function.
    pub fn new(paint: impl Fn(u32) -> Pixmap + 'static) -> Self {
        Self(Rc::new(paint))
    }
}

/// See [`PixelCanvas`].
#[derive(Properties, PartialEq)]
pub struct PixelCanvasProps {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Painter.
    pub paint: Paint,
    /// Class.
    #[prop_or_default]
    pub class: Classes,
}

/// A canvas; hidden from screen readers, whose words stand beside it.
#[component]
pub fn PixelCanvas(props: &PixelCanvasProps) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        let deps = (props.paint.clone(), props.width, props.height);
        use_effect_with(deps, move |(paint, _, _)| {
            let current = Rc::new(Cell::new(true));
            schedule(node, paint.clone(), current.clone());
            move || current.set(false)
        });
    }
    let style = format!("width:{}px;height:{}px", props.width, props.height);
    html! {
        <canvas ref={node} class={props.class.clone()} {style} aria-hidden="true" />
    }
}

/// Paints in the next frame, and in every frame while the page measures itself, until the painter
/// is no longer the `current` one.
fn schedule(node: NodeRef, paint: Paint, current: Rc<Cell<bool>>) {
    clock::next_frame(move || {
        let canvas = node.cast::<HtmlCanvasElement>().filter(|_| current.get());
        if let Some(canvas) = canvas {
            put(&canvas, &(paint.0)(device_scale()));
            if clock::measuring() {
                schedule(node, paint, current);
            }
        }
    });
}

/// Device pixels a CSS pixel, whole and at most 3.
pub fn device_scale() -> u32 {
    let ratio = web_sys::window().map_or(1.0, |w| w.device_pixel_ratio());
    (ratio.ceil() as u32).clamp(1, 3)
}

fn put(canvas: &HtmlCanvasElement, pixels: &Pixmap) {
    if canvas.width() != pixels.width() || canvas.height() != pixels.height() {
        canvas.set_width(pixels.width());
        canvas.set_height(pixels.height());
    }
    let context = canvas
        .get_context("2d")
        .ok()
        .flatten()
        .and_then(|c| c.dyn_into::<CanvasRenderingContext2d>().ok());
    let data = ImageData::new_with_u8_clamped_array(Clamped(pixels.bytes()), pixels.width());
    if let (Some(context), Ok(data)) = (context, data) {
        // Fails only for sizes that ImageData has refused already.
        let _ = context.put_image_data(&data, 0.0, 0.0);
    }
}
