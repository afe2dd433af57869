//! Hostile bytes: seeded damage to small good inputs, through every parser.
//!
//! Nothing may panic, hang, or take memory out of proportion. `TIDEPOOL_HOSTILE` sets the seconds
//! for each entry; without it a short fixed number of rounds runs, the same in every run. A failure
//! prints its seed and writes its input, to be fed again with `TIDEPOOL_HOSTILE_INPUT=entry:file`.

#[path = "../../fuzz/entries/mod.rs"]
mod entries;
mod memory;
mod mutate;

use entries::{ENTRIES, Entry};
use mutate::mutate;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tidepool::base::Prng;

#[global_allocator]
static MEMORY: memory::Counting = memory::Counting;

const ROUNDS: u64 = 4000;
/// Longest time for one input, with room for a slow and busy machine.
const TIME_MAX: Duration = Duration::from_secs(10);
/// Most memory for one input. One block of a pool may be 16 MiB, a read 64 MiB.
const MEMORY_MAX: usize = 512 << 20;

fn corpus(entry: &Entry) -> PathBuf {
    let fuzz = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    fuzz.join("corpus").join(entry.name)
}

/// Runs one input within its bounds; what was wrong, if anything.
fn bounded(entry: &Entry, input: &[u8]) -> Result<bool, String> {
    let (start, used) = (Instant::now(), memory::mark());
    let accepted = catch_unwind(AssertUnwindSafe(|| (entry.run)(input)));
    let (time, peak) = (start.elapsed(), memory::peak_since(used));
    let accepted = accepted.map_err(|_| "it panics".to_string())?;
    if time > TIME_MAX {
        return Err(format!("it takes {time:?}"));
    }
    if peak > MEMORY_MAX {
        return Err(format!("it takes {} MiB", peak >> 20));
    }
    Ok(accepted)
}

fn fail(entry: &Entry, what: &str, input: &[u8]) -> ! {
    let name = format!("tidepool-hostile-{}-{}", entry.name, std::process::id());
    let path = std::env::temp_dir().join(name);
    let kept = std::fs::write(&path, input).map(|()| path.display().to_string());
    panic!("{}, {} bytes kept in {kept:?}: {what}", entry.name, input.len());
}

/// Damages the seeds of `entry` until rounds or time are over.
fn torment(entry: &Entry) {
    let seconds = std::env::var("TIDEPOOL_HOSTILE").ok().and_then(|s| s.parse().ok());
    let until = seconds.map(|s| Instant::now() + Duration::from_secs(s));
    let seeds = (entry.seeds)();
    let mut accepted = 0u64;
    let mut round = 0u64;
    while until.map_or(round < ROUNDS, |until| Instant::now() < until) {
        let mut rng = Prng::new(round);
        let input = mutate(&seeds, &mut rng);
        match bounded(entry, &input) {
            Ok(good) => accepted += u64::from(good),
            Err(what) => fail(entry, &format!("round {round}: {what}"), &input),
        }
        round += 1;
    }
    let name = entry.name;
    println!("{name}: {round} inputs, {accepted} of them accepted");
    assert!(accepted > 0 && accepted < round, "{name}: damage must sometimes be seen, not always");
}

macro_rules! torments {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            let entry = ENTRIES.iter().find(|e| e.name == stringify!($name));
            torment(entry.expect("an entry of that name"));
        })*

        #[test]
        fn every_entry_is_tormented() {
            let names: Vec<_> = ENTRIES.iter().map(|e| e.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

torments!(block, decompress, explain, label, nvlist, pool, records, space_map, tree, zap);

/// `corpus/` is what the builders build; `TIDEPOOL_WRITE_CORPUS=1` writes it.
#[test]
fn seeds_are_accepted_and_committed() {
    let write = std::env::var_os("TIDEPOOL_WRITE_CORPUS").is_some();
    for entry in ENTRIES {
        let seeds = (entry.seeds)();
        for (index, seed) in seeds.iter().enumerate() {
            assert_eq!(bounded(entry, seed), Ok(true), "{} seed {index}", entry.name);
            let path = corpus(entry).join(format!("seed-{index}"));
            if write {
                std::fs::create_dir_all(corpus(entry)).expect("a folder for seeds");
                std::fs::write(&path, seed).expect("a file for a seed");
            }
            let committed = std::fs::read(&path).unwrap_or_default();
            assert!(committed == *seed, "{} is not what its builder builds", path.display());
        }
    }
}

/// Empty, short and extreme inputs.
#[test]
fn plain_bytes_do_no_harm() {
    for entry in ENTRIES {
        for byte in [0, 1, 0x7F, 0x80, 0xFF] {
            for len in (0..40).chain([512, 1024, 4096, 40_000]) {
                let input = vec![byte; len];
                if let Err(what) = bounded(entry, &input) {
                    fail(entry, &what, &input);
                }
            }
        }
    }
}

/// Feeds one kept input again.
#[test]
fn a_kept_input_again() {
    let Ok(kept) = std::env::var("TIDEPOOL_HOSTILE_INPUT") else {
        return;
    };
    let (name, path) = kept.split_once(':').expect("entry:file");
    let accepted = entries::run(name, &std::fs::read(path).expect("a kept input"));
    println!("{name}: accepted {accepted}");
}
