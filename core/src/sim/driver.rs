//! The driver: virtual clock, heap of answers, faults, trace.

use super::fault::{Fault, FaultKind, overlap};
use super::model::{Busy, DeviceModel};
use crate::base::{Instant, Prng};
use crate::dev::{Device, SparseImage};
use crate::obs::Histogram;
use crate::rt::{Cmd, DevError, DevId, DevOp, Done, Driver, Rt, Tag};
use core::cell::RefCell;
use std_alloc::collections::BTreeMap;
use std_alloc::rc::Rc;
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// What one device has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceStats {
    /// Nanoseconds from command to answer, of every answer.
    pub latency: Histogram,
    /// Bytes read.
    pub bytes: u64,
    /// Answers that were errors.
    pub errors: u64,
}

struct SimDevice {
    image: SparseImage,
    busy: Busy,
    stats: DeviceStats,
}

struct Event {
    tag: Tag,
    since: Instant,
    /// `None` for a wake-up.
    read: Option<(DevId, u64, u32)>,
}

/// State of a simulated world.
struct State {
    now: Instant,
    sequence: u64,
    events: BTreeMap<(Instant, u64), Event>,
    devices: Vec<SimDevice>,
    faults: Vec<Fault>,
    rng: Prng,
    trace: u64,
}

/// A handle on the world behind a [`SimDriver`], to add faults and to look. Cheap to clone.
#[derive(Clone)]
pub struct World(Rc<RefCell<State>>);

/// Answers the engine's commands from images in virtual time.
pub struct SimDriver(World);

/// An executor over simulated devices with the default model, and the devices in order. Images
/// come with the name that messages give them.
pub fn devices(
    images: impl IntoIterator<Item = (String, SparseImage)>,
    seed: u64,
) -> (Rt, Vec<Device>) {
    let (names, images): (Vec<_>, Vec<_>) = images.into_iter().unzip();
    let sizes: Vec<u64> = images.iter().map(SparseImage::size).collect();
    let rt = Rt::new(SimDriver::new(images, seed));
    let numbered = (0u32..).zip(names).zip(sizes);
    let devices =
        numbered.map(|((id, name), size)| Device::new(&rt, DevId(id), name, size)).collect();
    (rt, devices)
}

impl SimDriver {
    /// A world of `images` as devices 0, 1, ... like [`DeviceModel::NVME`].
    pub fn new(images: impl IntoIterator<Item = SparseImage>, seed: u64) -> Self {
        Self::with_models(images.into_iter().map(|i| (i, DeviceModel::NVME)), seed)
    }

    /// A world of images that each behave by a model of their own.
    pub fn with_models(
        devices: impl IntoIterator<Item = (SparseImage, DeviceModel)>,
        seed: u64,
    ) -> Self {
        let device = |(image, model)| SimDevice {
            image,
            busy: Busy::new(model),
            stats: DeviceStats::default(),
        };
        Self(World(Rc::new(RefCell::new(State {
            now: Instant::default(),
            sequence: 0,
            events: BTreeMap::new(),
            devices: devices.into_iter().map(device).collect(),
            faults: Vec::new(),
            rng: Prng::new(seed),
            trace: 0,
        }))))
    }

    /// The world behind this driver.
    pub fn world(&self) -> World {
        self.0.clone()
    }
}

impl World {
    /// From now on `fault` holds, for answers still to come too.
    pub fn add_fault(&self, fault: Fault) {
        self.0.borrow_mut().faults.push(fault);
    }

    /// Hash over time, tag, place and outcome of every answer so far.
    pub fn trace_hash(&self) -> u64 {
        self.0.borrow().trace
    }

    /// What `device` has done; `None` when there is no such device.
    pub fn stats(&self, device: DevId) -> Option<DeviceStats> {
        let state = self.0.borrow();
        Some(state.devices.get(device.0 as usize)?.stats.clone())
    }
}

impl Driver for SimDriver {
    fn now(&self) -> Instant {
        self.0.0.borrow().now
    }

    fn submit(&mut self, tag: Tag, cmd: Cmd) {
        self.0.0.borrow_mut().submit(tag, cmd);
    }

    fn next(&mut self, until: Instant) -> Option<(Tag, Done)> {
        self.0.0.borrow_mut().next(until)
    }
}

impl State {
    fn submit(&mut self, tag: Tag, cmd: Cmd) {
        let (end, read) = match cmd {
            Cmd::WakeAt(time) => (time.max(self.now), None),
            Cmd::Dev(id, DevOp::Read { off, len }) => {
                let device = self.devices.get_mut(id.0 as usize);
                let end = device.map(|d| d.busy.schedule(self.now, len, &mut self.rng));
                (end.unwrap_or(self.now), Some((id, off, len)))
            }
        };
        let since = self.now;
        let event = Event { tag, since, read };
        self.events.insert((end, self.sequence), event);
        self.sequence += 1;
    }

    fn next(&mut self, until: Instant) -> Option<(Tag, Done)> {
        let first = self.events.first_entry().filter(|e| e.key().0 <= until);
        let Some(first) = first else {
            if until != Instant::NEVER {
                self.now = self.now.max(until);
            }
            return None;
        };
        let ((time, _), event) = first.remove_entry();
        self.now = time;
        let done = match event.read {
            None => Ok(Vec::new()),
            Some((id, off, len)) => self.finish(id, off, len, event.since),
        };
        let (id, off, len) = event.read.unwrap_or((DevId(u32::MAX), 0, 0));
        let outcome = done.as_ref().map_or_else(|&e| 1 + e as u64, |_| 0);
        let place = [u64::from(id.0), off, u64::from(len), outcome];
        for word in [time.0, u64::from(event.tag.0)].into_iter().chain(place) {
            self.trace = Prng::new(self.trace ^ word).next_u64();
        }
        Some((event.tag, done))
    }

    fn finish(&mut self, id: DevId, off: u64, len: u32, since: Instant) -> Done {
        let Some(device) = self.devices.get_mut(id.0 as usize) else {
            return Err(DevError::Offline);
        };
        let faults = self.faults.iter().filter(|f| f.device == id);
        let done = answer(&device.image, faults.map(|f| &f.kind), self.now, off, len);
        let stats = &mut device.stats;
        stats.latency.add(self.now.since(since));
        match &done {
            Ok(bytes) => stats.bytes += bytes.len() as u64,
            Err(_) => stats.errors += 1,
        }
        done
    }
}

/// What a read gives under `faults`: gone before broken, broken before damaged.
fn answer<'a>(
    image: &SparseImage,
    faults: impl Iterator<Item = &'a FaultKind> + Clone,
    now: Instant,
    off: u64,
    len: u32,
) -> Done {
    let is_gone = |fault: &FaultKind| matches!(fault, FaultKind::Offline(from) if now >= *from);
    if faults.clone().any(is_gone) {
        return Err(DevError::Offline);
    }
    let mut bytes = image.read(off, len).ok_or(DevError::OutOfRange)?;
    for fault in faults.clone() {
        if matches!(fault, FaultKind::Error(range) if overlap(range, off, len).is_some()) {
            return Err(DevError::Io);
        }
    }
    for fault in faults {
        let FaultKind::Flip(range, mask) = fault else {
            continue;
        };
        let hit = overlap(range, off, len).and_then(|r| bytes.get_mut(r));
        hit.into_iter().flatten().for_each(|b| *b ^= mask);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
