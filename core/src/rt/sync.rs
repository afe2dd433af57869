//! Locks for tasks of one executor.

use super::exec::{Rt, Waiter};
use core::cell::{Cell, RefCell};
use core::task::Poll;
use std_alloc::collections::VecDeque;
use std_alloc::rc::Rc;

/// Counts permits; who finds none waits its turn, first come, first served.
#[derive(Clone)]
pub struct Semaphore(Rc<SemaphoreInner>);

struct SemaphoreInner {
    rt: Rt,
    permits: Cell<u32>,
    waiters: RefCell<VecDeque<Waiter>>,
}

/// One permit; dropping it gives it back.
pub struct Permit(Semaphore);

impl Semaphore {
    /// A semaphore with `permits` permits.
    pub fn new(rt: &Rt, permits: u32) -> Self {
        let (permits, waiters) = (Cell::new(permits), RefCell::default());
        Self(Rc::new(SemaphoreInner { rt: rt.clone(), permits, waiters }))
    }

    /// Waits for a permit.
    pub async fn acquire(&self) -> Permit {
        core::future::poll_fn(|cx| {
            let inner = &self.0;
            match inner.permits.get() {
                0 => {
                    inner.waiters.borrow_mut().push_back(inner.rt.waiter(cx));
                    Poll::Pending
                }
                n => {
                    inner.permits.set(n - 1);
                    Poll::Ready(Permit(self.clone()))
                }
            }
        })
        .await
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let inner = &self.0.0;
        inner.permits.set(inner.permits.get() + 1);
        if let Some(waiter) = inner.waiters.borrow_mut().pop_front() {
            inner.rt.wake(waiter);
        }
    }
}
