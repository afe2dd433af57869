//! Runs of the whole world through the executor.

use super::*;
use std_alloc::format;
use std_alloc::string::ToString;
use std_alloc::vec;

const SIZE: u64 = 1 << 20;

fn image(byte: u8) -> SparseImage {
    SparseImage::from_bytes(&vec![byte; SIZE as usize])
}

/// Two devices, 200 reads from eight tasks; the world, the end and the sum of all bytes.
fn run(seed: u64, faults: &[Fault]) -> (World, Instant, u64) {
    let driver = SimDriver::new([image(1), image(2)], seed);
    let world = driver.world();
    faults.iter().for_each(|f| world.add_fault(f.clone()));
    let rt = Rt::new(driver);
    let device = |id| Device::new(&rt, DevId(id), format!("d{id}"), SIZE);
    let devices = [device(0), device(1)];
    let reader = |task: u64| {
        let devices = devices.clone();
        async move {
            let (mut rng, mut sum) = (Prng::new(task), 0);
            for _ in 0..25 {
                let at = rng.below(SIZE / 512 - 64) * 512;
                let len = 512 * (1 + rng.below(64) as u32);
                let read = devices[rng.below(2) as usize].read(at, len).await;
                sum += read.map_or(0, |b| b.iter().map(|&b| u64::from(b)).sum());
            }
            sum
        }
    };
    let sum = rt.block_on(async {
        let tasks: Vec<_> = (0..8).map(|t| rt.spawn("reader", reader(t))).collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.join().await;
        }
        sum
    });
    (world, rt.now(), sum)
}

#[test]
fn a_seed_is_a_run() {
    let (world, end, sum) = run(7, &[]);
    let (again, end_again, sum_again) = run(7, &[]);
    assert_eq!(world.trace_hash(), again.trace_hash());
    assert_eq!((end, sum), (end_again, sum_again));
    let (other, _, other_sum) = run(8, &[]);
    assert_ne!(world.trace_hash(), other.trace_hash());
    assert_eq!(sum, other_sum);
    let stats = [0, 1].map(|id| world.stats(DevId(id)).unwrap());
    assert_eq!(stats[0].latency.count() + stats[1].latency.count(), 200);
    assert_eq!(stats[0].bytes + 2 * stats[1].bytes, sum);
    assert!(world.stats(DevId(2)).is_none());
}

/// The same on every target: natively and in WebAssembly this number must not differ.
#[test]
fn the_trace_of_seed_1_is_known() {
    assert_eq!(run(1, &[]).0.trace_hash(), 0xCFF2_DBD1_3E30_17A4);
}

#[test]
fn faults_do_what_they_say() {
    let all = 0..SIZE;
    let check = |kind, errors, sum: fn(u64) -> u64| {
        let device = DevId(0);
        let (world, _, found) = run(3, &[Fault { device, kind }]);
        let stats = world.stats(device).unwrap();
        let other = world.stats(DevId(1)).unwrap();
        assert_eq!(stats.errors, if errors { stats.latency.count() } else { 0 });
        assert_eq!(found, sum(stats.bytes) + 2 * other.bytes);
    };
    check(FaultKind::Error(all.clone()), true, |_| 0);
    check(FaultKind::Offline(Instant(0)), true, |_| 0);
    check(FaultKind::Flip(all, 0x11), false, |bytes| 0x10 * bytes);
    check(FaultKind::Offline(Instant::NEVER), false, |bytes| bytes);
}

#[test]
fn a_range_and_a_time_bound_a_fault() {
    let driver = SimDriver::new([image(1)], 1);
    let world = driver.world();
    let rt = Rt::new(driver);
    let disk = Device::new(&rt, DevId(0), "disk".to_string(), SIZE);
    let fault = |kind| world.add_fault(Fault { device: DevId(0), kind });
    fault(FaultKind::Flip(10..12, 0xFE));
    fault(FaultKind::Error(4096..4097));
    fault(FaultKind::Offline(Instant(10_000_000)));
    let long = Device::new(&rt, DevId(0), "long".to_string(), SIZE + 1);
    assert_eq!(rt.block_on(long.read(SIZE, 1)), Err(DevError::OutOfRange));
    rt.block_on(async {
        assert_eq!(disk.read(8, 6).await.unwrap(), [1, 1, 0xFF, 0xFF, 1, 1]);
        assert_eq!(disk.read(4000, 97).await, Err(DevError::Io));
        assert_eq!(disk.read(4097, 1).await.unwrap(), [1]);
        rt.call(Cmd::WakeAt(Instant(10_000_000))).await.unwrap();
        assert_eq!(rt.now(), Instant(10_000_000));
        assert_eq!(disk.read(0, 1).await, Err(DevError::Offline));
    });
    let gone = Device::new(&rt, DevId(9), "none".to_string(), SIZE);
    assert_eq!(rt.block_on(gone.read(0, 1)), Err(DevError::Offline));
}

#[test]
fn turning_to_a_time_moves_the_clock_there() {
    let (rt, devices) = devices([("disk".to_string(), image(5))], 1);
    let disk = devices[0].clone();
    let task = rt.spawn("reader", async move { disk.read(0, 4).await });
    assert!(rt.turn(Instant(1000)));
    assert_eq!((rt.now(), task.try_take()), (Instant(1000), None));
    assert!(!rt.turn(Instant(1_000_000)));
    assert_eq!(task.try_take(), Some(Ok(vec![5; 4])));
    assert!(!rt.turn(Instant(2_000_000)));
    assert_eq!(rt.now(), Instant(2_000_000));
}
