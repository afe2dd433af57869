//! Where the module starts, on the page and in the worker.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// Runs as soon as the module is loaded.
#[wasm_bindgen(start)]
pub fn start() {
    match js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() {
        Ok(scope) => crate::worker::start(&scope),
        Err(_) => {
            console_error_panic_hook::set_once();
            let root = web_sys::window()
                .and_then(|w| w.document())
                .and_then(|d| d.get_element_by_id("app"))
                .expect("invariant: index.html has the element `app`");
            yew::Renderer::<crate::app::App>::with_root(root).render();
        }
    }
}
