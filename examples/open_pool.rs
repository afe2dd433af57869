//! Opens a real pool and looks around in it.
//!
//! ```text
//! cargo run --release -p tidepool-examples --example open_pool -- /dev/sdb1 /dev/sdc1
//! cargo run --release -p tidepool-examples --example open_pool -- folder/of/images
//! ```
//!
//! Without a path it opens the sample pool of the playground. Nothing is ever written to the
//! devices: they are opened read-only, and the engine has no command to write.

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::path::PathBuf;
use std::process::ExitCode;
use tidepool::base::{ObjectId, Result, nice_bytes};
use tidepool::pool::{self, CheckOptions, OpenOptions, Pool};
use tidepool::view::{MetaslabView, VdevView};
use tidepool_examples::SamplePool;
use tidepool_host::Host;

fn main() -> ExitCode {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    // The sample must outlive its use: dropping it removes the unpacked images.
    let mut sample = None;
    if paths.is_empty() {
        match SamplePool::unpack() {
            Ok(unpacked) => {
                paths.push(unpacked.folder().to_owned());
                sample = Some(unpacked);
            }
            Err(why) => {
                println!("skipped: open_pool has no pool to open: {why}");
                return ExitCode::SUCCESS;
            }
        }
    }
    let done = look_around(&paths);
    drop(sample);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn look_around(paths: &[PathBuf]) -> Result<()> {
    // The host turns paths into devices and brings the executor that waits for their answers.
    let host = tidepool_host::open_devices(paths)?;

    // A scan reads labels only. It never fails: what is wrong stands in its views.
    let scan = host.rt.block_on(pool::scan(&host.devices));
    for found in &scan.pools {
        println!("found {} ({}, {})", found.name, found.state, found.health);
    }

    // Opening picks the best uberblock and reads the true configuration behind it. Options would
    // name one of several pools, or an older transaction group.
    let options = OpenOptions::default();
    let pool = host.rt.block_on(Pool::open(&host.devices, &options))?;
    let overview = pool.overview();
    println!("\n{} at txg {}:", overview.name, overview.txg);
    print_tree(&overview.vdev_tree, 1);

    space(&host, &pool)?;
    contents(&host, &pool)?;
    check(&host, &pool)
}

/// The vdev tree: each vdev tells its health and, when something is wrong, what.
fn print_tree(vdev: &VdevView, depth: usize) {
    let indent = "  ".repeat(depth);
    println!("{indent}{} {} {}", vdev.name, vdev.health, vdev.problem);
    for child in &vdev.children {
        print_tree(child, depth + 1);
    }
}

/// Every metaslab is in the map: here is the one with the largest free segment of each vdev, which
/// is where OpenZFS would try a large block first.
fn space(host: &Host, pool: &Pool) -> Result<()> {
    let map = host.rt.block_on(pool.map())?;
    for vdev in &map.vdevs {
        let count = vdev.metaslabs.len();
        let (free, size) = (nice_bytes(vdev.free), nice_bytes(vdev.size));
        println!("\n{}: {free} free of {size} in {count} metaslabs", vdev.name);
        let roomiest = |m: &&MetaslabView| m.max_size;
        let Some(best) = vdev.metaslabs.iter().max_by_key(roomiest) else {
            continue;
        };
        let largest = nice_bytes(best.max_size);
        println!("  metaslab {} could hold a block of {largest}", best.id);
        let segments = host.rt.block_on(pool.segments(vdev.id, best.id))?;
        for segment in segments.iter().take(3) {
            let size = nice_bytes(segment.end - segment.start);
            println!("  free at byte {}: {size}", segment.start);
        }
    }
    Ok(())
}

/// Data sets, and a few entries of each: files of a file system, objects of anything else.
fn contents(host: &Host, pool: &Pool) -> Result<()> {
    for dataset in host.rt.block_on(pool.datasets())? {
        let used = nice_bytes(dataset.referenced);
        println!("\n{} ({}, {used})", dataset.name, dataset.kind);
        if dataset.encrypted {
            // Metadata are readable without the key, contents are not.
            println!("  encrypted");
        } else if dataset.kind == "filesystem" {
            for file in host.rt.block_on(pool.list(&dataset.name, "/"))?.iter().take(5) {
                println!("  {} {} bytes, {}", file.kind, file.size, file.name);
            }
        } else {
            let objects = pool.objects(&dataset.name, ObjectId(0), 5);
            for object in host.rt.block_on(objects)? {
                println!("  object {}: {}", object.id, object.kind);
            }
        }
    }
    Ok(())
}

/// Walks every block: checksums, leaks, double allocations, space maps, accounting.
fn check(host: &Host, pool: &Pool) -> Result<()> {
    // A long walk tells how far it is; `false` would stop it.
    let mut progress = |_| true;
    let options = CheckOptions::default();
    let found = host.rt.block_on(pool.check(&options, &mut progress))?;
    let verdict = if found.clean { "clean" } else { "damaged" };
    let read = nice_bytes(found.bytes_read);
    println!("\nchecked {} blocks, {read}: {verdict}", found.blocks);
    Ok(())
}
