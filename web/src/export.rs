//! Handing results to the browser: files to save, text for the clipboard.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Adds a copy of `bytes` to the parts of a file to come.
pub fn join_bytes(parts: &js_sys::Array, bytes: &[u8]) {
    parts.push(&js_sys::Uint8Array::from(bytes));
}

/// Saves `text` as a file.
pub fn save_text(name: &str, text: &str, kind: &str) {
    save(name, &js_sys::Array::of1(&JsValue::from_str(text)), kind);
}

/// Saves parts, one after the other, as a file.
pub fn save(name: &str, parts: &js_sys::Array, kind: &str) {
    // A browser that refuses to make a blob or a link has nothing to save with; the page goes on.
    let _ = try_save(name, parts, kind);
}

fn try_save(name: &str, parts: &js_sys::Array, kind: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let blob = Blob::new_with_u8_array_sequence_and_options(parts, &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let document = web_sys::window().and_then(|w| w.document()).ok_or(JsValue::NULL)?;
    let link: HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    gloo::timers::callback::Timeout::new(60_000, move || {
        // The saved file does not depend on it any more.
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
    Ok(())
}

/// Puts `text` on the clipboard, or says that it could not.
pub async fn copy(text: &str) -> bool {
    let Some(window) = web_sys::window() else {
        return false;
    };
    // Only a secure context has a clipboard; elsewhere the getter gives `undefined`.
    let clipboard = js_sys::Reflect::get(&window.navigator(), &"clipboard".into());
    if clipboard.is_ok_and(|c| c.is_undefined()) {
        return false;
    }
    let promise = window.navigator().clipboard().write_text(text);
    wasm_bindgen_futures::JsFuture::from(promise).await.is_ok()
}
