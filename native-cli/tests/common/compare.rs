//! Holds the engine's views against `zdb`'s words, thing by thing.

use super::report::Outcome;
use super::zdb;
use std::collections::BTreeMap;
use tidepool::view::{
    CheckView, DatasetView, DeviceView, LabelView, MapView, MetaslabView, ObjectView,
};

/// OpenZFS keeps segments below this size out of the tree that it counts and picks from.
const BY_SIZE_SHIFT: u64 = 14;

/// Every metaslab of `map` against `zdb -mmmP`. `zdb` loads metaslabs without the log space maps,
/// so in a pool that has some its free segments are not those of now.
pub fn map(map: &MapView, theirs: &[zdb::Metaslab]) -> Outcome {
    let mut outcome = Outcome::default();
    let ours: Vec<_> =
        map.vdevs.iter().flat_map(|vdev| vdev.metaslabs.iter().map(|m| (vdev.id, m))).collect();
    outcome.equal("metaslabs", ours.len(), theirs.len());
    for ((vdev, ours), theirs) in ours.iter().zip(theirs) {
        let mut converted = as_zdb(*vdev, ours, theirs);
        if map.log_space_maps > 0 {
            converted.big_segments = theirs.big_segments;
            converted.max_size = theirs.max_size;
            converted.histogram.clone_from(&theirs.histogram);
        }
        outcome.equal("metaslab", &converted, theirs);
    }
    outcome
}

/// Our view in `zdb`'s shape. What `zdb` does not print is taken over from it.
fn as_zdb(vdev: u64, ours: &MetaslabView, theirs: &zdb::Metaslab) -> zdb::Metaslab {
    let counts = |histogram: &[u64]| -> BTreeMap<u64, u64> {
        let rows = (0..).zip(histogram.iter().copied());
        rows.filter(|(_, count)| *count != 0).collect()
    };
    let histogram = counts(&ours.histogram);
    let big = histogram.range(BY_SIZE_SHIFT..).map(|(_, count)| count).sum();
    let has_map = theirs.allocated.is_some();
    zdb::Metaslab {
        vdev,
        id: ours.id,
        offset: ours.offset,
        space_map: ours.space_map.0,
        free: ours.free_flushed,
        big_segments: theirs.big_segments.map(|_| big),
        max_size: theirs.max_size.map(|_| match ours.max_size >> BY_SIZE_SHIFT {
            0 => 0,
            _ => ours.max_size,
        }),
        histogram,
        histogram_stored: match theirs.histogram_stored.is_empty() {
            true => BTreeMap::new(),
            false => counts(&ours.histogram_stored),
        },
        fragmentation: theirs.fragmentation.and(ours.fragmentation),
        length: has_map.then_some(ours.space_map_length),
        allocated: has_map.then(|| ours.size.wrapping_sub(ours.free_flushed)),
        unflushed_txg: theirs.unflushed_txg.map(|_| ours.unflushed_txg.0),
    }
}

/// Names, numbers and sizes of all data sets.
pub fn datasets(ours: &[DatasetView], theirs: &[zdb::Dataset]) -> Outcome {
    let mut outcome = Outcome::default();
    let theirs: BTreeMap<_, _> =
        theirs.iter().filter(|d| d.name != "mos").map(|d| (d.name.as_str(), d)).collect();
    let names = |all: &mut dyn Iterator<Item = String>| {
        let mut names: Vec<_> = all.collect();
        names.sort();
        names
    };
    outcome.equal(
        "names",
        names(&mut ours.iter().map(|d| d.name.clone())),
        names(&mut theirs.keys().map(|&name| name.to_owned())),
    );
    for ours in ours {
        let Some(theirs) = theirs.get(ours.name.as_str()) else {
            continue;
        };
        let kind = match theirs.kind.as_str() {
            "ZPL" => "filesystem",
            "ZVOL" => "volume",
            _ => "other",
        };
        outcome.equal(
            &format!("{}: kind, id, cr_txg, referenced, objects", ours.name),
            (ours.kind.as_str(), ours.id.0, ours.creation_txg.0, ours.referenced, ours.objects),
            (kind, theirs.id, theirs.creation_txg, theirs.referenced, theirs.objects),
        );
        outcome.require(ours.problem.is_none(), || format!("{}: {:?}", ours.name, ours.problem));
    }
    outcome
}

/// Every object of one data set: shape, sizes and kind.
pub fn objects(dataset: &str, ours: &[ObjectView], theirs: &[zdb::Object]) -> Outcome {
    let mut outcome = Outcome::default();
    let ours: Vec<_> = ours
        .iter()
        .filter(|o| o.id.0 != 0)
        .map(|o| zdb::Object {
            id: o.id.0,
            numbers: [
                o.levels,
                o.indirect_size,
                o.block_size,
                // zdb counts whole sectors.
                (o.used + 256) / 512 * 512,
                o.dnode_size,
                o.size,
            ],
            kind: o.kind.clone(),
        })
        .collect();
    outcome.equal(&format!("{dataset}: objects"), ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        outcome.equal(&format!("{dataset}: object"), ours, theirs);
    }
    outcome
}

/// The sums of a walk over every block, and the verdict.
pub fn blocks(check: &CheckView, theirs: &zdb::Blocks) -> Outcome {
    let mut outcome = Outcome::default();
    outcome.equal("bp count", check.blocks, theirs.count);
    outcome.equal("bp logical", check.logical, theirs.logical);
    outcome.equal("bp physical", check.physical, theirs.physical);
    outcome.equal("bp allocated", check.allocated, theirs.allocated);
    outcome.equal("ganged count", check.gangs, theirs.gangs);
    outcome.equal("embedded", check.embedded, theirs.embedded);
    let clean = theirs.no_leaks && !theirs.leaked;
    outcome.equal("no leaks", check.leaks.is_empty() && check.doubles.is_empty(), clean);
    outcome
}

/// The text of `zdb -l` for one device.
pub fn labels(device: &DeviceView, theirs: &str) -> Outcome {
    let mut outcome = Outcome::default();
    outcome.equal("zdb -l", label_text(&device.labels).as_str(), theirs);
    outcome
}

/// Our labels in the form of `zdb -l`: each distinct configuration once.
fn label_text(labels: &[LabelView]) -> String {
    let rule = "-".repeat(36);
    let mut text = String::new();
    let good = labels.iter().filter(|l| l.problem.is_none());
    let mut printed: Vec<&str> = Vec::new();
    for label in good.clone() {
        if printed.contains(&label.config.as_str()) {
            continue;
        }
        printed.push(&label.config);
        let same = good.clone().filter(|l| l.config == label.config);
        let indexes: String = same.map(|l| format!("{} ", l.index)).collect();
        text += &format!("{rule}\nLABEL {} \n{rule}\n{}", label.index, label.config);
        text += &format!("    labels = {indexes}\n");
    }
    for label in labels.iter().filter(|l| l.problem.is_some()) {
        text += &format!("failed to unpack label {}\n", label.index);
    }
    text
}

/// The uberblocks of one device, by slot and contents, with the labels that hold them.
pub fn uberblocks(device: &DeviceView, theirs: &[zdb::Uberblock]) -> Outcome {
    let mut outcome = Outcome::default();
    let mut ours: BTreeMap<(u64, u64, u64, u64, u64), Vec<u64>> = BTreeMap::new();
    for label in device.labels.iter().filter(|l| l.problem.is_none()) {
        for u in label.uberblocks.iter().filter(|u| u.problem.is_none()) {
            let key = (u.slot, u.txg.0, u.guid_sum, u.timestamp, u.version);
            ours.entry(key).or_default().push(label.index);
        }
    }
    let theirs: BTreeMap<_, _> = theirs
        .iter()
        .map(|(slot, txg, sum, time, version, labels)| {
            ((*slot, *txg, *sum, *time, *version), labels.clone())
        })
        .collect();
    outcome.equal("uberblocks", ours.len(), theirs.len());
    for (key, labels) in &theirs {
        outcome.equal("uberblock and labels", ours.get(key), Some(labels));
    }
    outcome
}

/// The configuration, whatever the indentation around it.
pub fn config(ours: &str, theirs: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let (ours, theirs) = (dedented(ours), dedented(theirs));
    outcome.equal("lines of the configuration", ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        outcome.equal("line", ours, theirs);
    }
    outcome
}

fn dedented(text: &str) -> Vec<&str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<_> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    let least = lines.iter().map(|l| indent(l)).min().unwrap_or(0);
    lines.iter().map(|l| &l[least..]).collect()
}

/// Up to five files of a list, the largest among them and the rest spread over the sizes. `zdb -r`
/// refuses empty ones.
pub fn sample_files(mut files: Vec<(String, u64)>) -> Vec<(String, u64)> {
    files.retain(|(_, size)| *size > 0);
    files.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let last = files.len().saturating_sub(1);
    let mut picked: Vec<usize> = (0..5).map(|i| last * i / 4).collect();
    picked.dedup();
    picked.iter().filter_map(|&i| files.get(i).cloned()).collect()
}
