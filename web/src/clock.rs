//! One `requestAnimationFrame` loop for the whole page.
//!
//! Painters are queued and run once in the next frame, in order; nothing runs while nothing has
//! changed. With `?perf` in the address the loop never stops and writes down how long frames take.

use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;

type Job = Box<dyn FnOnce()>;

/// Frames remembered for the read-out.
const FRAMES: usize = 600;

thread_local! {
    static JOBS: RefCell<Vec<Job>> = const { RefCell::new(Vec::new()) };
    static SCHEDULED: Cell<bool> = const { Cell::new(false) };
    static PERF: RefCell<Option<Perf>> = const { RefCell::new(None) };
}

#[derive(Default)]
struct Perf {
    last: f64,
    frames: Vec<f64>,
    painting: Vec<f64>,
}

/// Runs `job` in the next frame.
pub fn next_frame(job: impl FnOnce() + 'static) {
    JOBS.with_borrow_mut(|jobs| jobs.push(Box::new(job)));
    schedule();
}

fn schedule() {
    if SCHEDULED.replace(true) {
        return;
    }
    let tick = Closure::once_into_js(move |time: f64| {
        SCHEDULED.set(false);
        frame(time);
    });
    if let Some(window) = web_sys::window() {
        // Fails only in a document that is not shown; the next job tries again.
        let _ = window.request_animation_frame(tick.unchecked_ref());
    }
}

fn frame(time: f64) {
    let start = now();
    for job in JOBS.take() {
        job();
    }
    let painted = now() - start;
    let running = PERF.with_borrow_mut(|perf| perf.as_mut().map(|p| p.note(time, painted)));
    if running.is_some() {
        schedule();
    }
}

fn now() -> f64 {
    let performance = web_sys::window().and_then(|w| w.performance());
    performance.map_or(0.0, |p| p.now())
}

impl Perf {
    fn note(&mut self, time: f64, painted: f64) {
        if self.last > 0.0 {
            push(&mut self.frames, time - self.last);
            push(&mut self.painting, painted);
        }
        self.last = time;
        if self.frames.len().is_multiple_of(15) {
            publish(&self.frames, &self.painting);
        }
    }
}

fn push(list: &mut Vec<f64>, value: f64) {
    if list.len() == FRAMES {
        list.remove(0);
    }
    list.push(value);
}

/// Puts `{ frames, median, p99, worst, paintMedian, paintWorst }` (milliseconds) where a test or a
/// console finds it: `window.__tidepool_perf`.
fn publish(frames: &[f64], painting: &[f64]) {
    let out = js_sys::Object::new();
    let set = |name: &str, value: f64| {
        // A plain object takes any property.
        let _ = js_sys::Reflect::set(&out, &name.into(), &value.into());
    };
    set("frames", frames.len() as f64);
    set("median", quantile(frames, 0.5));
    set("p99", quantile(frames, 0.99));
    set("worst", quantile(frames, 1.0));
    set("paintMedian", quantile(painting, 0.5));
    set("paintWorst", quantile(painting, 1.0));
    if let Some(window) = web_sys::window() {
        let _ = js_sys::Reflect::set(&window, &"__tidepool_perf".into(), &out);
    }
}

fn quantile(list: &[f64], share: f64) -> f64 {
    let mut sorted = list.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or(0.0)
}

/// Whether the page measures itself; then canvases paint in every frame, changed or not.
pub fn measuring() -> bool {
    PERF.with_borrow(Option::is_some)
}

/// Starts measuring; the loop runs from now on.
pub fn measure() {
    PERF.with_borrow_mut(|p| *p = Some(Perf::default()));
    schedule();
}
