//! Fresh pools of OpenZFS's torture test: the same metaslabs, data sets, objects and sums as `zdb`,
//! and the same answers with as many members missing as redundancy covers.
//!
//! `ztest` attaches, detaches, removes and expands vdevs, deduplicates, gangs, clones and rolls
//! back at random, so each run meets another pool. To repeat one, set `TIDEPOOL_ZTEST_POOLS` to
//! the folder that a failed run left: `tmp/scratch` below the target folder.

mod common;

use common::engine::{Fingerprint, Opened, open};
use common::report::Report;
use common::zdb::Zdb;
use common::ztest::{Layout, Oracle};
use common::{answered, compare, complaints, judged};
use std::path::{Path, PathBuf};
use tidepool::pool::CheckOptions;
use tidepool::view::VdevView;

const fn layout(
    name: &'static str,
    ashift: &'static str,
    mirror: &'static str,
    children: &'static str,
    parity: &'static str,
    special: &'static str,
) -> Layout {
    Layout { name, ashift, mirror, children, parity, special }
}

const LAYOUTS: [Layout; 6] = [
    layout("zsingle", "9", "0", "1", "1", "off"),
    layout("zmirror", "12", "2", "1", "1", "off"),
    layout("zraid1", "9", "0", "3", "1", "off"),
    layout("zraid2", "12", "0", "5", "2", "off"),
    layout("zraid3", "9", "0", "6", "3", "off"),
    layout("zspecial", "12", "2", "1", "1", "on"),
];

#[test]
#[ignore = "removed vdevs and Edon-R are not read yet"]
fn pools_of_the_torture_test_read_as_zdb_reads_them() {
    let mut report = Report::new("ztest pools: map, data sets, objects and sums against zdb");
    let (Some(judge), Some(oracle)) = tools(&mut report) else {
        return report.finish();
    };
    for layout in &LAYOUTS {
        let folder = oracle.ztest(layout);
        let Some(folder) = judged(&mut report, layout.name, folder) else {
            continue;
        };
        compare_pool(&mut report, &judge, &folder, layout.name);
    }
    report.finish();
}

/// One pool: its name, and what it is made of.
type Case = (&'static str, &'static str, &'static str, &'static [(&'static str, usize)]);

#[test]
fn pools_of_the_library_read_as_zdb_reads_them() {
    let mut report = Report::new("libzpool pools: map, data sets, objects and sums against zdb");
    let (Some(judge), Some(oracle)) = tools(&mut report) else {
        return report.finish();
    };
    let cases: [Case; 4] = [
        ("lbare", "none", "9", &[("file", 1), ("file", 1)]),
        ("lmixed", "all", "12", &[("raidz1", 3), ("log", 1), ("special", 1)]),
        ("lwide", "all", "9", &[("raidz2", 6)]),
        ("lbig", "all", "16", &[("mirror", 2), ("mirror", 3)]),
    ];
    for (name, features, ashift, vdevs) in cases {
        let folder = oracle.pool(name, features, ashift, vdevs);
        let Some(folder) = judged(&mut report, name, folder) else {
            continue;
        };
        compare_pool(&mut report, &judge, &folder, name);
    }
    report.finish();
}

fn tools(report: &mut Report) -> (Option<Zdb>, Option<Oracle>) {
    let judge = Zdb::find();
    if judge.is_none() {
        report.skipped("everything: zdb is not installed");
        return (None, None);
    }
    let oracle = Oracle::build();
    if let Err(reason) = &oracle {
        report.skipped(format!("everything: {reason}"));
    }
    (judge, oracle.ok())
}

fn compare_pool(report: &mut Report, judge: &Zdb, folder: &Path, pool: &str) {
    let Some(whole) = answered(report, pool, open(&[folder.to_owned()])) else {
        return;
    };
    compare_with_zdb(report, judge, folder, pool, &whole);
    let expect = whole.fingerprint();
    let Some(expect) = answered(report, pool, expect) else {
        return;
    };
    let cases = spare_members(&whole.overview().vdev_tree);
    if cases.is_empty() {
        report.skipped(format!("{pool}: no redundancy, so no member can be missing"));
    }
    for without in cases {
        compare_without(report, folder, pool, &without, &expect);
    }
}

fn compare_with_zdb(report: &mut Report, judge: &Zdb, folder: &Path, pool: &str, whole: &Opened) {
    if let (Some(ours), Some(theirs)) =
        (answered(report, pool, whole.map()), judged(report, pool, judge.metaslabs(folder, pool)))
    {
        report.compared("zdb -mmm metaslabs", pool, compare::map(&ours, &theirs));
    }
    if let (Some(ours), Some(theirs)) = (
        answered(report, pool, whole.datasets()),
        judged(report, pool, judge.datasets(folder, pool)),
    ) {
        report.compared("zdb -d data sets", pool, compare::datasets(&ours, &theirs));
        for dataset in &theirs {
            let ours = whole.objects(&dataset.name);
            let Some(ours) = answered(report, pool, ours) else {
                continue;
            };
            let outcome = compare::objects(&dataset.name, &ours, &dataset.rows);
            report.compared("zdb -dd objects", pool, outcome);
        }
    }
    if let (Some(ours), Some(theirs)) = (
        answered(report, pool, whole.check(&CheckOptions::default())),
        judged(report, pool, judge.blocks(folder, "-bcc", pool)),
    ) {
        report.compared("zdb -bcc sums", pool, compare::blocks(&ours, &theirs));
        report.require(pool, ours.clean, || format!("not clean: {}", complaints(&ours)));
    }
}

/// Sets of devices that may be missing at once: in every top-level vdev as many as it can spare,
/// the first ones, the last ones, and one alone.
fn spare_members(root: &VdevView) -> Vec<Vec<String>> {
    let pick = |from_end: bool, most: usize| -> Vec<String> {
        let mut all = Vec::new();
        for top in &root.children {
            let spare = match top.kind.as_str() {
                "mirror" => top.children.len() - 1,
                "raidz" => top.nparity as usize,
                _ => 0,
            };
            let mut devices: Vec<_> = top.children.iter().filter_map(leaf_device).collect();
            if from_end {
                devices.reverse();
            }
            all.extend(devices.into_iter().take(spare.min(most)));
        }
        all
    };
    let mut cases = vec![pick(false, 1), pick(false, usize::MAX), pick(true, usize::MAX)];
    cases.retain(|case| !case.is_empty());
    cases.dedup();
    cases
}

/// The device of a leaf, or of the first leaf below a replacing or spare vdev.
fn leaf_device(vdev: &VdevView) -> Option<String> {
    match &vdev.device {
        Some(device) => Some(device.clone()),
        None => vdev.children.iter().find_map(leaf_device),
    }
}

fn compare_without(
    report: &mut Report,
    folder: &Path,
    pool: &str,
    without: &[String],
    expect: &Fingerprint,
) {
    let Ok(list) = std::fs::read_dir(folder) else {
        return;
    };
    let paths = list.filter_map(|entry| Some(entry.ok()?.path()));
    let kept: Vec<PathBuf> =
        paths.filter(|path| !without.contains(&path.to_string_lossy().into_owned())).collect();
    let names: Vec<_> = without.iter().filter_map(|w| w.rsplit('/').next()).collect();
    let what = format!("without {}", names.join(" and "));
    let opened = open(&kept).map_err(|e| e.at(&what));
    let Some(opened) = answered(report, pool, opened) else {
        return;
    };
    let health = opened.overview().health;
    report.require(pool, health == "degraded", || format!("{what}: health {health}"));
    let ours = opened.fingerprint().map_err(|e| e.at(&what));
    let Some(ours) = answered(report, pool, ours) else {
        return;
    };
    let differences = ours.differences(expect);
    report.require(pool, differences.is_empty(), || format!("{what}: {differences:?}"));
    let check = opened.check(&CheckOptions::default()).map_err(|e| e.at(&what));
    let Some(check) = answered(report, pool, check) else {
        return;
    };
    let sound = check.bad_blocks.is_empty() && check.leaks.is_empty() && check.doubles.is_empty();
    report.require(pool, sound, || format!("{what}: {}", complaints(&check)));
    report.compared("answers with members missing", pool, Default::default());
}
