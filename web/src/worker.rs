//! The worker's event loop: a message in, one or more messages out.

use crate::engine::{FileMedia, Media, Session, unpack};
use crate::protocol::{Failure, OpenRequest, Reply, Request};
use crate::wire::{Envelope, from_js, to_js};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// Id of the message that says the worker listens.
pub const READY: u64 = 0;

/// Progress is told at most this often.
const PROGRESS_MS: f64 = 100.0;

/// Installs the message handler and says so.
pub fn start(scope: &DedicatedWorkerGlobalScope) {
    report_panics(scope);
    let session = Rc::new(RefCell::new(Session::new()));
    let own = scope.clone();
    let handler = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(envelope) = Envelope::from_js(&event.data()) {
            let reply = handle(&own, &mut session.borrow_mut(), &envelope);
            post(&own, envelope.id, &reply);
        }
    });
    scope.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    handler.forget();
    post(scope, READY, &Reply::Bytes(Vec::new()));
}

/// A panic ends the worker; its words go to the page first.
fn report_panics(scope: &DedicatedWorkerGlobalScope) {
    let scope = scope.clone();
    std::panic::set_hook(Box::new(move |info| {
        console_error_panic_hook::hook(info);
        post(&scope, READY, &Reply::Failed(Failure::bug(info.to_string())));
    }));
}

fn handle(scope: &DedicatedWorkerGlobalScope, session: &mut Session, envelope: &Envelope) -> Reply {
    let request = match from_js::<Request>(envelope.body.clone()) {
        Ok(request) => request,
        Err(e) => return Reply::Failed(Failure::bug(format!("a request did not arrive: {e}"))),
    };
    if let Request::Open(open) = &request {
        return match media_of(open, &envelope.objects) {
            Ok(media) => session.open(open, media),
            Err(failure) => Reply::Failed(failure),
        };
    }
    let mut last = 0.0;
    session.answer(request, &mut |progress| {
        let now = js_sys::Date::now();
        if now - last >= PROGRESS_MS {
            last = now;
            post(scope, envelope.id, &Reply::Progress(progress));
        }
        true
    })
}

fn media_of(
    request: &OpenRequest,
    objects: &js_sys::Array,
) -> Result<Vec<Box<dyn Media>>, Failure> {
    let mut media: Vec<Box<dyn Media>> = Vec::new();
    for (name, object) in request.names.iter().zip(objects.iter()) {
        let failed = |message: String| Failure {
            kind: "io".into(),
            place: name.clone(),
            message,
            advice: "Pick the file again.".into(),
        };
        if let Some(file) = object.dyn_ref::<File>() {
            let opened = FileMedia::new(file.clone())
                .map_err(|_| failed("the browser gives no way to read files".into()))?;
            media.push(Box::new(opened));
        } else {
            let bytes = js_sys::Uint8Array::new(&object).to_vec();
            media.push(Box::new(unpack(&bytes).map_err(failed)?));
        }
    }
    Ok(media)
}

fn post(scope: &DedicatedWorkerGlobalScope, id: u64, reply: &Reply) {
    let body = to_js(reply).or_else(|e| to_js(&Reply::Failed(Failure::bug(e))));
    let envelope =
        Envelope { id, body: body.unwrap_or(JsValue::UNDEFINED), objects: js_sys::Array::new() };
    // Posting fails only when the page is gone; then nobody waits for the answer.
    let _ = scope.post_message(&envelope.to_js());
}
