//! The executor: a ready queue and a table of calls in flight.
//!
//! Tasks are readied by their number. Wakers serve one purpose only: to mark which part of a
//! [`Rt::join`] an answer is for, so that an answer polls one part and not the whole fan.

use super::driver::{Cmd, Done, Driver, Tag};
use crate::base::Instant;
use core::cell::{Cell, RefCell};
use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, Waker};
use std_alloc::boxed::Box;
use std_alloc::collections::{BTreeMap, VecDeque};
use std_alloc::rc::Rc;
use std_alloc::sync::Arc;
use std_alloc::task::Wake;
use std_alloc::vec::Vec;

/// Identity of a task; the future given to [`Rt::block_on`] is task 0.
type TaskId = u64;
const ROOT: TaskId = 0;

/// Handle of one executor with its driver. Cheap to clone; never leaves its thread.
#[derive(Clone)]
pub struct Rt(Rc<Inner>);

struct Inner {
    driver: RefCell<Box<dyn Driver>>,
    calls: RefCell<Calls>,
    tasks: RefCell<BTreeMap<TaskId, Task>>,
    ready: RefCell<VecDeque<TaskId>>,
    current: Cell<TaskId>,
    next_task: Cell<TaskId>,
}

struct Task {
    name: &'static str,
    future: Pin<Box<dyn Future<Output = ()>>>,
}

/// Who waits: a task, and the part of a join inside it.
pub(super) struct Waiter {
    task: TaskId,
    part: Waker,
}

/// Marks one part of a join as worth polling.
struct Part {
    ready: AtomicBool,
    parent: Waker,
}

impl Wake for Part {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ready.store(true, Ordering::Relaxed);
        self.parent.wake_by_ref();
    }
}

enum Call {
    Waiting(Waiter),
    Finished(Done),
    /// Nobody waits for the answer any more.
    Dropped,
    Free,
}

#[derive(Default)]
struct Calls {
    slots: Vec<Call>,
    free: Vec<u32>,
}

impl Calls {
    fn open(&mut self, waiter: Waiter) -> Tag {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Call::Free);
            u32::try_from(self.slots.len() - 1).expect("invariant: below 2^32 calls in flight")
        });
        *self.slot(Tag(index)) = Call::Waiting(waiter);
        Tag(index)
    }

    fn slot(&mut self, tag: Tag) -> &mut Call {
        self.slots.get_mut(tag.0 as usize).expect("invariant: a tag names an open call")
    }

    fn close(&mut self, tag: Tag) -> Call {
        let old = core::mem::replace(self.slot(tag), Call::Free);
        assert!(!matches!(old, Call::Free), "invariant: a call is closed once");
        self.free.push(tag.0);
        old
    }
}

impl Rt {
    /// An executor over `driver`.
    pub fn new(driver: impl Driver + 'static) -> Self {
        Self(Rc::new(Inner {
            driver: RefCell::new(Box::new(driver)),
            calls: RefCell::default(),
            tasks: RefCell::default(),
            ready: RefCell::default(),
            current: Cell::new(ROOT),
            next_task: Cell::new(ROOT + 1),
        }))
    }

    /// The driver's time.
    pub fn now(&self) -> Instant {
        self.0.driver.borrow().now()
    }

    /// Hands `cmd` to the driver and waits for the answer.
    pub fn call(&self, cmd: Cmd) -> impl Future<Output = Done> + use<> {
        CallFuture { rt: self.clone(), cmd: Some(cmd), tag: None }
    }

    /// Starts `future` as a task of its own. Dropping the handle lets it run on.
    pub fn spawn<T: 'static>(
        &self,
        name: &'static str,
        future: impl Future<Output = T> + 'static,
    ) -> JoinHandle<T> {
        let cell = Rc::new(RefCell::new(JoinState { value: None, waiter: None }));
        let (rt, out) = (self.clone(), cell.clone());
        let body = async move {
            let value = future.await;
            let mut state = out.borrow_mut();
            state.value = Some(value);
            if let Some(waiter) = state.waiter.take() {
                rt.wake(waiter);
            }
        };
        let id = self.0.next_task.replace(self.0.next_task.get() + 1);
        self.0.tasks.borrow_mut().insert(id, Task { name, future: Box::pin(body) });
        self.make_ready(id);
        JoinHandle { rt: self.clone(), state: cell }
    }

    /// Waits for all of `parts`, which may borrow from the caller.
    pub async fn join<T>(
        &self,
        parts: impl IntoIterator<Item = impl Future<Output = T>>,
    ) -> Vec<T> {
        let mut parts: Vec<_> =
            parts.into_iter().map(|p| (Some(Box::pin(p)), None, None::<Arc<Part>>)).collect();
        let mut running = parts.len();
        core::future::poll_fn(move |cx| {
            for (future, value, part) in &mut parts {
                let Some(pinned) = future else { continue };
                let part = part.get_or_insert_with(|| {
                    let (ready, parent) = (AtomicBool::new(true), cx.waker().clone());
                    Arc::new(Part { ready, parent })
                });
                if !part.ready.swap(false, Ordering::Relaxed) {
                    continue;
                }
                let waker = Waker::from(part.clone());
                if let Poll::Ready(v) = pinned.as_mut().poll(&mut Context::from_waker(&waker)) {
                    (*future, *value) = (None, Some(v));
                    running -= 1;
                }
            }
            if running > 0 {
                return Poll::Pending;
            }
            let done = core::mem::take(&mut parts).into_iter();
            Poll::Ready(done.map(|(_, v, _)| v.expect("invariant: a part ended")).collect())
        })
        .await
    }

    /// Lets every other ready task run once.
    pub async fn yield_now(&self) {
        let mut yielded = false;
        core::future::poll_fn(|cx| {
            if yielded {
                return Poll::Ready(());
            }
            yielded = true;
            self.wake(self.waiter(cx));
            Poll::Pending
        })
        .await;
    }

    /// Runs everything until `future` ends. Must not be called from inside a task.
    ///
    /// # Panics
    /// When all tasks wait and nothing is in flight: that is a bug of the engine, not of the input.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = core::pin::pin!(future);
        let mut cx = Context::from_waker(Waker::noop());
        self.make_ready(ROOT);
        loop {
            while let Some(id) = self.pop_ready() {
                self.0.current.set(id);
                if id != ROOT {
                    self.poll_task(id, &mut cx);
                } else if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
                    return value;
                }
            }
            assert!(self.complete_one(Instant::NEVER), "all tasks wait: {}", self.waiting());
        }
    }

    /// Runs spawned tasks and completions until `until` or until nothing is left to do; whether
    /// tasks are left.
    pub fn turn(&self, until: Instant) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            while let Some(id) = self.pop_ready() {
                self.0.current.set(id);
                self.poll_task(id, &mut cx);
                if self.now() >= until {
                    return true;
                }
            }
            if !self.complete_one(until) {
                return !self.0.tasks.borrow().is_empty();
            }
        }
    }

    fn make_ready(&self, id: TaskId) {
        self.0.ready.borrow_mut().push_back(id);
    }

    /// Whoever is polled now, to be woken later.
    pub(super) fn waiter(&self, cx: &Context<'_>) -> Waiter {
        Waiter { task: self.0.current.get(), part: cx.waker().clone() }
    }

    /// Readies a waiter.
    pub(super) fn wake(&self, waiter: Waiter) {
        waiter.part.wake();
        self.make_ready(waiter.task);
    }

    fn pop_ready(&self) -> Option<TaskId> {
        self.0.ready.borrow_mut().pop_front()
    }

    fn poll_task(&self, id: TaskId, cx: &mut Context<'_>) {
        // Taken out while it runs, so that it may spawn. A task readied twice is gone by now.
        let Some(mut task) = self.0.tasks.borrow_mut().remove(&id) else {
            return;
        };
        if task.future.as_mut().poll(cx).is_pending() {
            self.0.tasks.borrow_mut().insert(id, task);
        }
    }

    fn complete_one(&self, until: Instant) -> bool {
        let Some((tag, done)) = self.0.driver.borrow_mut().next(until) else {
            return false;
        };
        let mut calls = self.0.calls.borrow_mut();
        let slot = calls.slot(tag);
        match core::mem::replace(slot, Call::Free) {
            Call::Waiting(waiter) => {
                *slot = Call::Finished(done);
                drop(calls);
                self.wake(waiter);
            }
            Call::Dropped => {
                *slot = Call::Dropped;
                drop(calls.close(tag));
            }
            Call::Finished(_) | Call::Free => panic!("invariant: one answer to a command"),
        }
        true
    }

    fn waiting(&self) -> std_alloc::string::String {
        let tasks = self.0.tasks.borrow();
        let names: Vec<_> = tasks.values().map(|t| t.name).collect();
        names.join(", ")
    }
}

struct CallFuture {
    rt: Rt,
    cmd: Option<Cmd>,
    tag: Option<Tag>,
}

impl Future for CallFuture {
    type Output = Done;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Done> {
        let inner = self.rt.0.clone();
        if let Some(cmd) = self.cmd.take() {
            let waiter = self.rt.waiter(cx);
            let tag = inner.calls.borrow_mut().open(waiter);
            self.tag = Some(tag);
            inner.driver.borrow_mut().submit(tag, cmd);
            return Poll::Pending;
        }
        let tag = self.tag.expect("invariant: a call is not polled after its answer");
        let mut calls = inner.calls.borrow_mut();
        match calls.slot(tag) {
            Call::Waiting(waiter) => {
                *waiter = self.rt.waiter(cx);
                Poll::Pending
            }
            _ => match calls.close(tag) {
                Call::Finished(done) => {
                    drop(calls);
                    self.tag = None;
                    Poll::Ready(done)
                }
                _ => panic!("invariant: a polled call waits or is finished"),
            },
        }
    }
}

impl Drop for CallFuture {
    fn drop(&mut self) {
        let Some(tag) = self.tag else { return };
        let mut calls = self.rt.0.calls.borrow_mut();
        match calls.slot(tag) {
            slot @ Call::Waiting(_) => *slot = Call::Dropped,
            _ => drop(calls.close(tag)),
        }
    }
}

struct JoinState<T> {
    value: Option<T>,
    waiter: Option<Waiter>,
}

/// Waits for a spawned task.
#[must_use = "a task's result is lost when nobody joins it"]
pub struct JoinHandle<T> {
    rt: Rt,
    state: Rc<RefCell<JoinState<T>>>,
}

impl<T> JoinHandle<T> {
    /// The task's result, if it has ended; takes it out.
    pub fn try_take(&self) -> Option<T> {
        self.state.borrow_mut().value.take()
    }

    /// Waits until the task has ended.
    pub async fn join(self) -> T {
        core::future::poll_fn(|cx| {
            let mut state = self.state.borrow_mut();
            match state.value.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    state.waiter = Some(self.rt.waiter(cx));
                    Poll::Pending
                }
            }
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::super::driver::{DevId, DevOp};
    use super::*;
    use std_alloc::vec;

    /// Answers reads in reverse order of their offset, with the offset as the only byte.
    #[derive(Default)]
    struct Reversed(BTreeMap<u64, Tag>);

    impl Driver for Reversed {
        fn now(&self) -> Instant {
            Instant(0)
        }

        fn submit(&mut self, tag: Tag, cmd: Cmd) {
            let Cmd::Dev(_, DevOp::Read { off, .. }) = cmd else { panic!("only reads") };
            self.0.insert(off, tag);
        }

        fn next(&mut self, _: Instant) -> Option<(Tag, Done)> {
            self.0.pop_last().map(|(off, tag)| (tag, Ok(vec![off as u8])))
        }
    }

    fn read(rt: &Rt, off: u64) -> impl Future<Output = u8> + use<> {
        let call = rt.call(Cmd::Dev(DevId(0), DevOp::Read { off, len: 1 }));
        async move { call.await.unwrap()[0] }
    }

    #[test]
    fn parts_and_tasks_come_back_in_the_order_asked() {
        let rt = Rt::new(Reversed::default());
        let sum = rt.block_on(async {
            let parts = rt.join((0..5).map(|off| read(&rt, off))).await;
            assert_eq!(parts, [0, 1, 2, 3, 4]);
            let tasks: Vec<_> = (0..200).map(|off| rt.spawn("read", read(&rt, off))).collect();
            let mut sum = 0;
            for task in tasks {
                sum += u32::from(task.join().await);
            }
            sum
        });
        assert_eq!(sum, (0..200).sum::<u32>());
        assert!(!rt.turn(Instant::NEVER));
    }

    #[test]
    fn a_dropped_call_frees_its_slot_when_the_answer_comes() {
        let rt = Rt::new(Reversed::default());
        rt.block_on(async {
            let mut call = Box::pin(read(&rt, 1));
            let mut cx = Context::from_waker(Waker::noop());
            assert!(call.as_mut().poll(&mut cx).is_pending());
            drop(call);
            assert_eq!(read(&rt, 0).await, 0);
        });
    }
}
