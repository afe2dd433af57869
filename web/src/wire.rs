//! Values across the border between page and worker, as structured-clone objects.
//!
//! Integers of 64 bits become `BigInt`, since guids and weights use every bit.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

/// A message: its number, a value, and the browser's own objects beside it.
pub struct Envelope {
    /// Number of the question; its answers carry the same.
    pub id: u64,
    /// The value.
    pub body: JsValue,
    /// Files or buffers.
    pub objects: js_sys::Array,
}

/// A value as the other side can read it.
pub fn to_js(value: &impl Serialize) -> Result<JsValue, String> {
    let serializer =
        serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(|e| e.to_string())
}

/// The value that the other side sent.
pub fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(value).map_err(|e| e.to_string())
}

impl Envelope {
    /// The object to post.
    pub fn to_js(&self) -> JsValue {
        let parts = js_sys::Array::of3(&(self.id as f64).into(), &self.body, &self.objects);
        parts.into()
    }

    /// The envelope in a message, if it is one.
    pub fn from_js(value: &JsValue) -> Option<Self> {
        let parts = value.dyn_ref::<js_sys::Array>()?;
        Some(Self {
            id: parts.get(0).as_f64()? as u64,
            body: parts.get(1),
            objects: parts.get(2).dyn_into().ok()?,
        })
    }
}
