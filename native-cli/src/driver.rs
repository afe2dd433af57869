//! The native half of the engine's [`Driver`]: positioned reads of files and block devices.
//!
//! Why not a thread for each read: on a warm page cache a read costs less than a hop to another
//! thread and back. So commands gather in one queue, and whoever has nothing better to do takes
//! the next one: the engine's own thread when it waits for an answer, and a few workers that are
//! woken only when several commands wait. A single read therefore never hops, while a deep queue
//! keeps several reads at the device and overlaps them with the engine's checksums.
//!
//! ```text
//!   submit --> queue --+--> the engine's thread, inside next()
//!                      +--> worker 1..n            --> answers --> next()
//! ```
//!
//! Invariants: files are opened read-only and nothing here can write; every tag submitted gets
//! exactly one answer, whole or an error; dropping the driver ends the workers.

use std::collections::{BinaryHeap, VecDeque};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;
use tidepool::base::Instant;
use tidepool::rt::{Cmd, DevError, DevId, DevOp, Done, Driver, Tag};

/// Threads that read beside the engine's own.
const WORKERS: usize = 4;

/// Waiting commands at which a sleeping worker is woken.
const WAKE_AT_QUEUED: usize = 2;

/// Failed reads that are remembered with the reason of the operating system.
const FAILURES_KEPT: usize = 100;

/// A read that the operating system refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailure {
    /// Which device.
    pub device: DevId,
    /// First byte of the read.
    pub offset: u64,
    /// Bytes of the read.
    pub len: u32,
    /// The operating system's words.
    pub reason: String,
}

/// Failed reads since the driver was made, the first hundred of them. Cheap to clone.
#[derive(Clone, Default)]
pub struct ReadFailures(Arc<Mutex<Vec<ReadFailure>>>);

impl ReadFailures {
    /// The failures so far, in the order they came.
    pub fn get(&self) -> Vec<ReadFailure> {
        lock(&self.0).clone()
    }

    fn note(&self, failure: ReadFailure) {
        let mut kept = lock(&self.0);
        if kept.len() < FAILURES_KEPT {
            kept.push(failure);
        }
    }
}

/// Reads files and block devices for one engine.
pub struct NativeDriver {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    timers: BinaryHeap<(std::cmp::Reverse<u64>, u32)>,
    started: std::time::Instant,
}

struct Shared {
    files: Vec<File>,
    failures: ReadFailures,
    state: Mutex<State>,
    /// Rings when a command waits that a sleeping worker should take, or at the end.
    work: Condvar,
    /// Rings when an answer is there and the engine's thread sleeps.
    answer: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Read>,
    answers: VecDeque<(Tag, Done)>,
    /// Reads taken by workers and not answered yet.
    running: usize,
    asleep: usize,
    engine_waits: bool,
    ended: bool,
}

#[derive(Clone, Copy)]
struct Read {
    tag: Tag,
    device: DevId,
    offset: u64,
    len: u32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("invariant: no thread panics with a lock held")
}

impl NativeDriver {
    /// A driver over `files`: the device with id `n` is the `n`th of them.
    pub fn new(files: Vec<File>) -> Self {
        let shared = Shared {
            files,
            failures: ReadFailures::default(),
            state: Mutex::default(),
            work: Condvar::new(),
            answer: Condvar::new(),
        };
        Self {
            shared: Arc::new(shared),
            workers: Vec::new(),
            timers: BinaryHeap::new(),
            started: std::time::Instant::now(),
        }
    }

    /// Where failed reads are told with their reason.
    pub fn failures(&self) -> ReadFailures {
        self.shared.failures.clone()
    }

    fn start_workers(&mut self) {
        for _ in self.workers.len()..WORKERS {
            let shared = self.shared.clone();
            let worker = std::thread::Builder::new()
                .name("tidepool-read".into())
                .spawn(move || shared.work());
            match worker {
                Ok(worker) => self.workers.push(worker),
                // The engine's thread does all reads itself when there are no threads to be had.
                Err(_) => return,
            }
        }
    }

    fn due_timer(&mut self) -> Option<(Tag, Done)> {
        let now = self.now().0;
        let &(std::cmp::Reverse(at), tag) = self.timers.peek()?;
        (at <= now).then(|| {
            self.timers.pop();
            (Tag(tag), Ok(Vec::new()))
        })
    }

    /// How long the engine's thread may sleep; `None` for as long as it takes.
    fn patience(&self, until: Instant) -> Option<Duration> {
        let timer = self.timers.peek().map(|&(std::cmp::Reverse(at), _)| at);
        let end = timer.unwrap_or(u64::MAX).min(until.0);
        (end != u64::MAX).then(|| Duration::from_nanos(end.saturating_sub(self.now().0)))
    }
}

impl Driver for NativeDriver {
    fn now(&self) -> Instant {
        Instant(u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    fn submit(&mut self, tag: Tag, cmd: Cmd) {
        let (device, DevOp::Read { off, len }) = match cmd {
            Cmd::Dev(device, op) => (device, op),
            Cmd::WakeAt(at) => {
                self.timers.push((std::cmp::Reverse(at.0), tag.0));
                return;
            }
        };
        let read = Read { tag, device, offset: off, len };
        let mut state = lock(&self.shared.state);
        state.queue.push_back(read);
        if state.queue.len() < WAKE_AT_QUEUED {
            return;
        }
        if state.asleep > 0 {
            self.shared.work.notify_one();
        }
        drop(state);
        if self.workers.is_empty() {
            self.start_workers();
        }
    }

    fn next(&mut self, until: Instant) -> Option<(Tag, Done)> {
        loop {
            if let Some(done) = self.due_timer() {
                return Some(done);
            }
            let mut state = lock(&self.shared.state);
            if let Some(answer) = state.answers.pop_front() {
                return Some(answer);
            }
            if let Some(read) = state.queue.pop_front() {
                drop(state);
                return Some((read.tag, self.shared.read(read)));
            }
            let patience = self.patience(until);
            let idle = state.running == 0 && self.timers.is_empty();
            if idle || patience.is_some_and(|p| p.is_zero()) {
                return None;
            }
            state.engine_waits = true;
            let mut state = match patience {
                None => self.shared.answer.wait(state).expect("invariant: see lock"),
                Some(time) => {
                    let woken = self.shared.answer.wait_timeout(state, time);
                    woken.expect("invariant: see lock").0
                }
            };
            state.engine_waits = false;
        }
    }
}

impl Drop for NativeDriver {
    fn drop(&mut self) {
        lock(&self.shared.state).ended = true;
        self.shared.work.notify_all();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

impl Shared {
    /// A worker's life: takes commands until the driver is dropped.
    fn work(&self) {
        let mut state = lock(&self.state);
        while !state.ended {
            let Some(read) = state.queue.pop_front() else {
                state.asleep += 1;
                state = self.work.wait(state).expect("invariant: see lock");
                state.asleep -= 1;
                continue;
            };
            state.running += 1;
            drop(state);
            let done = self.read(read);
            state = lock(&self.state);
            state.running -= 1;
            state.answers.push_back((read.tag, done));
            if state.engine_waits {
                self.answer.notify_one();
            }
        }
    }

    fn read(&self, read: Read) -> Done {
        let Some(file) = self.files.get(read.device.0 as usize) else {
            return Err(DevError::Offline);
        };
        let mut bytes = vec![0; read.len as usize];
        let Err(error) = file.read_exact_at(&mut bytes, read.offset) else {
            return Ok(bytes);
        };
        self.failures.note(ReadFailure {
            device: read.device,
            offset: read.offset,
            len: read.len,
            reason: error.to_string(),
        });
        Err(match error.kind() {
            std::io::ErrorKind::UnexpectedEof => DevError::OutOfRange,
            _ => DevError::Io,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn sample(name: &str, bytes: &[u8]) -> File {
        let path = std::env::temp_dir().join(format!("tidepool-{}-{name}", std::process::id()));
        let mut file = File::create(&path).unwrap();
        file.write_all(bytes).unwrap();
        let opened = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        opened
    }

    fn read(off: u64, len: u32) -> Cmd {
        Cmd::Dev(DevId(0), DevOp::Read { off, len })
    }

    #[test]
    fn every_command_gets_its_own_answer_once() {
        let bytes: Vec<u8> = (0..100_000u32).map(|n| (n % 251) as u8).collect();
        let mut driver = NativeDriver::new(vec![sample("answers", &bytes)]);
        for round in 0..20u32 {
            let count = 1 + round * 10;
            for n in 0..count {
                driver.submit(Tag(n), read(u64::from(n) * 100, 100));
            }
            let mut seen = vec![false; count as usize];
            while let Some((tag, done)) = driver.next(Instant::NEVER) {
                let at = tag.0 as usize * 100;
                assert_eq!(done.unwrap(), bytes[at..at + 100]);
                assert!(!std::mem::replace(&mut seen[tag.0 as usize], true));
            }
            assert!(seen.iter().all(|&s| s), "round {round}");
        }
    }

    #[test]
    fn a_read_past_the_end_is_an_error_with_its_reason() {
        let mut driver = NativeDriver::new(vec![sample("end", b"short")]);
        driver.submit(Tag(7), read(3, 10));
        let (tag, done) = driver.next(Instant::NEVER).unwrap();
        assert_eq!((tag, done), (Tag(7), Err(DevError::OutOfRange)));
        let failures = driver.failures().get();
        assert_eq!((failures[0].offset, failures[0].len), (3, 10));
        driver.submit(Tag(8), Cmd::Dev(DevId(1), DevOp::Read { off: 0, len: 1 }));
        assert_eq!(driver.next(Instant::NEVER), Some((Tag(8), Err(DevError::Offline))));
    }

    #[test]
    fn timers_wait_and_deadlines_hold() {
        let mut driver = NativeDriver::new(Vec::new());
        assert_eq!(driver.next(Instant::NEVER), None);
        let late = driver.now().after(20_000_000);
        driver.submit(Tag(1), Cmd::WakeAt(late));
        assert_eq!(driver.next(driver.now().after(1_000_000)), None);
        assert_eq!(driver.next(Instant::NEVER), Some((Tag(1), Ok(Vec::new()))));
        assert!(driver.now() >= late);
    }
}
