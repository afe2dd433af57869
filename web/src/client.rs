//! The page's handle of the worker: questions out, answers to whoever asked.
//!
//! Invariants: every question is answered exactly once (progress aside), by a failure when the
//! worker dies; a worker that died is started again and told to open what was open.

use crate::protocol::{Failure, OpenRequest, Reply, Request};
use crate::wire::{Envelope, from_js, to_js};
use crate::worker::READY;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;
use std::task::{Poll, Waker};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// Answers kept, so that going back to a view is instant.
const KEPT: usize = 48;

type Handler = Rc<dyn Fn(Reply)>;

/// Handle of one worker. Clones share it.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

#[derive(Default)]
struct Inner {
    worker: RefCell<Option<Running>>,
    ready: Cell<bool>,
    queue: RefCell<Vec<JsValue>>,
    waiting: RefCell<BTreeMap<u64, Handler>>,
    next_id: Cell<u64>,
    panic: RefCell<Option<Failure>>,
    opened: RefCell<Option<(OpenRequest, js_sys::Array)>>,
    kept: RefCell<Vec<(Request, Rc<Reply>)>>,
}

struct Running {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

/// An answer that came, and who waits for it.
type Slot = (Option<Rc<Reply>>, Option<Waker>);

impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Client {
    /// Starts a worker.
    pub fn start() -> Self {
        let client = Self(Rc::default());
        client.spawn();
        client
    }

    /// A second worker with the same files open, for long work beside the first.
    pub fn beside(&self) -> Self {
        let client = Self::start();
        if let Some((request, objects)) = &*self.0.opened.borrow() {
            client.open(request.clone(), objects.clone(), Rc::new(|_| {}));
        }
        client
    }

    /// Ends the worker. Nobody is answered any more.
    pub fn end(&self) {
        self.0.waiting.borrow_mut().clear();
        if let Some(running) = self.0.worker.borrow_mut().take() {
            running.worker.terminate();
        }
    }

    fn spawn(&self) {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let Ok(worker) = Worker::new_with_options("worker.js", &options) else {
            let why = "this browser starts no module workers";
            *self.0.panic.borrow_mut() = Some(Failure::bug(why));
            return;
        };
        self.0.ready.set(false);
        let own = self.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |e: MessageEvent| {
            own.receive(&e.data());
        });
        let own = self.clone();
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |e: ErrorEvent| {
            e.prevent_default();
            own.died(e.message());
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        *self.0.worker.borrow_mut() =
            Some(Running { worker, _on_message: on_message, _on_error: on_error });
    }

    fn receive(&self, data: &JsValue) {
        let Some(envelope) = Envelope::from_js(data) else {
            return;
        };
        let reply = from_js::<Reply>(envelope.body)
            .unwrap_or_else(|e| Reply::Failed(Failure::bug(format!("an answer got lost: {e}"))));
        match (envelope.id, reply) {
            (READY, Reply::Failed(failure)) => *self.0.panic.borrow_mut() = Some(failure),
            (READY, _) => {
                self.0.ready.set(true);
                for message in self.0.queue.take() {
                    self.post(message);
                }
            }
            (id, reply @ Reply::Progress(_)) => {
                let handler = self.0.waiting.borrow().get(&id).cloned();
                handler.into_iter().for_each(|h| h(reply.clone()));
            }
            (id, reply) => {
                let handler = self.0.waiting.borrow_mut().remove(&id);
                handler.into_iter().for_each(|h| h(reply.clone()));
            }
        }
    }

    /// The worker stopped: everybody who waits is told, and a new one opens what was open.
    fn died(&self, message: String) {
        let failure = self.0.panic.take().unwrap_or_else(|| Failure::bug(message));
        // One that never listened will not do so a second time.
        let listened = self.0.ready.get();
        if let Some(running) = self.0.worker.borrow_mut().take() {
            running.worker.terminate();
        }
        let waiting = self.0.waiting.take();
        self.0.queue.borrow_mut().clear();
        if listened {
            self.spawn();
            let opened = self.0.opened.borrow().clone();
            if let Some((request, objects)) = opened {
                self.open(request, objects, Rc::new(|_| {}));
            }
        }
        for handler in waiting.into_values() {
            handler(Reply::Failed(failure.clone()));
        }
    }

    fn post(&self, message: JsValue) {
        if !self.0.ready.get() {
            self.0.queue.borrow_mut().push(message);
        } else if let Some(running) = &*self.0.worker.borrow() {
            // A message of plain values and files can always be posted.
            let _ = running.worker.post_message(&message);
        }
    }

    fn send(&self, request: &Request, objects: js_sys::Array, handler: Handler) -> u64 {
        let id = self.0.next_id.get() + 1;
        self.0.next_id.set(id);
        match to_js(request) {
            Ok(body) if self.0.worker.borrow().is_some() => {
                self.0.waiting.borrow_mut().insert(id, handler);
                self.post(Envelope { id, body, objects }.to_js());
            }
            Ok(_) => {
                let failure = self.0.panic.borrow().clone();
                let failure = failure.unwrap_or_else(|| Failure::bug("the engine did not start"));
                handler(Reply::Failed(failure));
            }
            Err(e) => handler(Reply::Failed(Failure::bug(e))),
        }
        id
    }

    /// Opens files (`web_sys::File`) or bytes (`Uint8Array`), one for each name.
    pub fn open(&self, request: OpenRequest, objects: js_sys::Array, handler: Handler) {
        self.0.kept.borrow_mut().clear();
        *self.0.opened.borrow_mut() = Some((request.clone(), objects.clone()));
        self.send(&Request::Open(request), objects, handler);
    }

    /// The files and the request of the last opening.
    pub fn opened(&self) -> Option<(OpenRequest, js_sys::Array)> {
        self.0.opened.borrow().clone()
    }

    /// Forgets what is open.
    pub fn forget(&self) {
        self.0.kept.borrow_mut().clear();
        *self.0.opened.borrow_mut() = None;
    }

    /// Asks; `handler` may hear progress before the answer.
    pub fn ask_with(&self, request: &Request, handler: Handler) {
        self.send(request, js_sys::Array::new(), handler);
    }

    /// The answer to a question that was asked before.
    pub fn kept(&self, request: &Request) -> Option<Rc<Reply>> {
        let kept = self.0.kept.borrow();
        kept.iter().find(|(r, _)| r == request).map(|(_, a)| a.clone())
    }

    /// Asks and waits. Answers that are no failures are kept.
    pub fn ask(&self, request: Request) -> impl Future<Output = Rc<Reply>> + use<> {
        let slot: Rc<RefCell<Slot>> = Rc::default();
        match self.kept(&request) {
            Some(reply) => slot.borrow_mut().0 = Some(reply),
            None => {
                let (own, out, asked) = (self.clone(), slot.clone(), request.clone());
                let handler = Rc::new(move |reply: Reply| {
                    let reply = Rc::new(reply);
                    own.keep(&asked, &reply);
                    let mut slot = out.borrow_mut();
                    slot.0 = Some(reply);
                    if let Some(waker) = slot.1.take() {
                        waker.wake();
                    }
                });
                self.send(&request, js_sys::Array::new(), handler);
            }
        }
        std::future::poll_fn(move |cx| {
            let mut slot = slot.borrow_mut();
            match slot.0.take() {
                Some(reply) => Poll::Ready(reply),
                None => {
                    slot.1 = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
    }

    fn keep(&self, request: &Request, reply: &Rc<Reply>) {
        if matches!(**reply, Reply::Failed(_) | Reply::Bytes(_)) {
            return;
        }
        let mut kept = self.0.kept.borrow_mut();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((request.clone(), reply.clone()));
    }
}
