//! Every real pool image: what the shared README says of it, and the same answers as `zdb`.
//!
//! The images come from OpenZFS's own test suite, versions 1 to 5000, both byte orders and mixed.
//! Without the shared folder or without `zdb` the tests say what they skip.

mod common;

use common::engine::{Opened, open, refusal};
use common::images::unpacked;
use common::report::{Outcome, Report};
use common::zdb::Zdb;
use common::{answered, compare, complaints, judged, zdb};
use std::path::{Path, PathBuf};
use tidepool::base::PoolErrorKind;
use tidepool::pool::CheckOptions;
use tidepool::view::{DeviceView, VdevView};

/// One pool of the images.
struct Image {
    pool: &'static str,
    members: &'static [&'static str],
    version: u64,
    /// Byte order of the best uberblock.
    endian: &'static str,
    health: &'static str,
    /// Files below the root of the root data set, folders not counted.
    files: Option<usize>,
}

const fn image(
    pool: &'static str,
    members: &'static [&'static str],
    version: u64,
    endian: &'static str,
    files: Option<usize>,
) -> Image {
    Image { pool, members, version, endian, health: "online", files }
}

const MIRROR: Image = image(
    "pool-v1mirror",
    &["zfs-pool-v1mirror1", "zfs-pool-v1mirror2", "zfs-pool-v1mirror3"],
    1,
    "big",
    Some(301),
);
const RAIDZ: Image = image(
    "pool-v1raidz",
    &["zfs-pool-v1raidz1", "zfs-pool-v1raidz2", "zfs-pool-v1raidz3"],
    1,
    "big",
    Some(301),
);
const STRIPE: Image = image(
    "pool-v1stripe",
    &["zfs-pool-v1stripe1", "zfs-pool-v1stripe2", "zfs-pool-v1stripe3"],
    1,
    "big",
    Some(301),
);
const RAIDZ2: Image = image(
    "pool-v3raidz2",
    &["zfs-pool-v3raidz21", "zfs-pool-v3raidz22", "zfs-pool-v3raidz23"],
    3,
    "little",
    Some(1),
);
const BROKEN_MIRROR: Image = Image {
    health: "degraded",
    ..image("zfs-broken-mirror", &["zfs-broken-mirror1", "zfs-broken-mirror2"], 2, "big", Some(0))
};
const ZSTD: Image = image("testpool_zstd", &["testpool_zstd"], 5000, "little", None);
const CRYPT: Image = image("cryptv0", &["cryptv0"], 5000, "little", None);
const RECEIVED: Image = image("testpool_13709", &["13709_reproducer"], 5000, "little", None);
const UNCLEAN: Image = image("unclean_export", &["unclean_export"], 5000, "little", Some(0));
const UNSUPPORTED: &[&str] = &["zfs-pool-v999"];

/// Every image that can be opened.
const IMAGES: &[Image] = &[
    image("v1-pool", &["zfs-pool-v1"], 1, "big", Some(301)),
    image("v4-pool", &["zfs-pool-v4"], 4, "little", Some(1)),
    image("v6-pool", &["zfs-pool-v6"], 6, "little", Some(1)),
    image("v8-pool", &["zfs-pool-v8"], 8, "little", Some(1)),
    image("v10-pool", &["zfs-pool-v10"], 10, "little", Some(0)),
    image("v12-pool", &["zfs-pool-v12"], 12, "little", Some(0)),
    image("v15-pool", &["zfs-pool-v15"], 15, "big", Some(0)),
    MIRROR,
    RAIDZ,
    STRIPE,
    RAIDZ2,
    BROKEN_MIRROR,
    UNCLEAN,
    CRYPT,
    RECEIVED,
    ZSTD,
];

impl Image {
    /// Runs `test` with the folder of the members, or notes that they are missing.
    fn with_folder(&self, report: &mut Report, test: impl FnOnce(&mut Report, &Path)) {
        match unpacked(self.members) {
            Ok(folder) => test(report, &folder),
            Err(reason) => report.skipped(format!("{}: {reason}", self.pool)),
        }
    }

    /// Runs `test` with the opened pool too. A pool that does not open is a difference.
    fn with_pool(&self, report: &mut Report, test: impl FnOnce(&mut Report, &Path, &Opened)) {
        self.with_folder(report, |report, folder| match open(&[folder.to_owned()]) {
            Ok(opened) => test(report, folder, &opened),
            Err(error) => report.require(self.pool, false, || format!("does not open: {error}")),
        });
    }

    fn paths(&self, folder: &Path) -> Vec<PathBuf> {
        self.members.iter().map(|name| folder.join(name)).collect()
    }
}

fn zdb_or_skip(report: &mut Report) -> Option<Zdb> {
    let found = Zdb::find();
    if found.is_none() {
        report.skipped("everything: zdb is not installed");
    }
    found
}

#[test]
fn every_image_is_what_the_readme_says() {
    let mut report = Report::new("images: what the README says");
    for image in IMAGES {
        image.with_pool(&mut report, |report, _, opened| {
            let view = opened.overview();
            let ours = (view.name.as_str(), view.version, view.endian.as_str());
            let expect = (image.pool, image.version, image.endian);
            report.require(image.pool, ours == expect, || format!("{ours:?}, not {expect:?}"));
            report.require(image.pool, view.health == image.health, || {
                format!("health {} instead of {}", view.health, image.health)
            });
            let Some(expect) = image.files else { return };
            let Some(tree) = answered(report, image.pool, opened.tree(image.pool)) else {
                return;
            };
            let files = tree.iter().filter(|(_, f)| f.kind != "dir").count();
            report.require(image.pool, files == expect, || format!("{files} files, not {expect}"));
        });
    }
    report.finish();
}

#[test]
fn every_healthy_image_is_clean_and_sums_up_as_zdb_says() {
    let mut report = Report::new("images: check against zdb -bc");
    let judge = Zdb::find();
    if judge.is_none() {
        report.skipped("the sums of zdb -bc: zdb is not installed");
    }
    for image in IMAGES {
        image.with_pool(&mut report, |report, folder, opened| {
            let check = opened.check(&CheckOptions::default());
            let Some(check) = answered(report, image.pool, check) else {
                return;
            };
            report.require(image.pool, check.clean || image.health != "online", || {
                format!("not clean: {}", complaints(&check))
            });
            if let Some(judge) = &judge {
                let theirs = judge.blocks(folder, "-bc", image.pool);
                let Some(theirs) = judged(report, image.pool, theirs) else {
                    return;
                };
                report.compared("zdb -bc sums", image.pool, compare::blocks(&check, &theirs));
            }
        });
    }
    report.finish();
}

#[test]
fn maps_equal_those_of_zdb() {
    let mut report = Report::new("images: map against zdb -mmm");
    let Some(judge) = zdb_or_skip(&mut report) else {
        return report.finish();
    };
    for image in IMAGES {
        image.with_pool(&mut report, |report, folder, opened| {
            let Some(ours) = answered(report, image.pool, opened.map()) else {
                return;
            };
            let theirs = judge.metaslabs(folder, image.pool);
            let Some(theirs) = judged(report, image.pool, theirs) else {
                return;
            };
            report.compared("zdb -mmm metaslabs", image.pool, compare::map(&ours, &theirs));
        });
    }
    report.finish();
}

#[test]
fn data_sets_and_objects_equal_those_of_zdb() {
    let mut report = Report::new("images: data sets and objects against zdb -dd");
    let Some(judge) = zdb_or_skip(&mut report) else {
        return report.finish();
    };
    for image in IMAGES {
        if image.version <= 14 {
            let version = image.version;
            report.skipped(format!("{}: zdb -d aborts on version {version}", image.pool));
            continue;
        }
        image.with_pool(&mut report, |report, folder, opened| {
            let pool = image.pool;
            let Some(theirs) = judged(report, pool, judge.datasets(folder, pool)) else {
                return;
            };
            let Some(ours) = answered(report, pool, opened.datasets()) else {
                return;
            };
            report.compared("zdb -d data sets", pool, compare::datasets(&ours, &theirs));
            for dataset in &theirs {
                let ours = opened.objects(&dataset.name);
                let Some(ours) = answered(report, &dataset.name, ours) else {
                    continue;
                };
                let outcome = compare::objects(&dataset.name, &ours, &dataset.rows);
                report.compared("zdb -dd objects", pool, outcome);
            }
        });
    }
    report.finish();
}

#[test]
fn files_equal_those_of_zdb() {
    let mut report = Report::new("images: file contents against zdb -r");
    let Some(judge) = zdb_or_skip(&mut report) else {
        return report.finish();
    };
    for image in IMAGES {
        image.with_pool(&mut report, |report, folder, opened| {
            let Some(datasets) = answered(report, image.pool, opened.datasets()) else {
                return;
            };
            let live =
                datasets.iter().filter(|d| d.kind == "filesystem" && !d.encrypted && !d.snapshot);
            for dataset in live {
                let outcome = compare_files(&judge, folder, opened, &dataset.name);
                report.compared("zdb -r files", image.pool, outcome);
            }
        });
    }
    report.finish();
}

fn compare_files(judge: &Zdb, folder: &Path, opened: &Opened, dataset: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let tree = match opened.tree(dataset) {
        Ok(tree) => tree,
        Err(error) => {
            outcome.require(false, || format!("{dataset}: {error}"));
            return outcome;
        }
    };
    let files = tree.into_iter().filter(|(_, f)| f.kind == "file");
    let files = files.map(|(path, file)| (path, file.size)).collect();
    for (path, size) in compare::sample_files(files) {
        let ours = opened.contents(dataset, &path).map_err(|e| e.to_string());
        let theirs = judge.file(folder, dataset, &path);
        let same = ours.is_ok() && ours == theirs;
        outcome.require(same, || {
            let length = |r: &Result<Vec<u8>, String>| match r {
                Ok(bytes) => format!("{} bytes", bytes.len()),
                Err(error) => error.clone(),
            };
            let (ours, theirs) = (length(&ours), length(&theirs));
            format!("{dataset}:{path} ({size} bytes): ours {ours}, zdb's {theirs}")
        });
    }
    outcome
}

#[test]
fn labels_and_configurations_equal_those_of_zdb() {
    let mut report =
        Report::new("images: labels, uberblocks and configuration against zdb -l, -lu, -C");
    let Some(judge) = zdb_or_skip(&mut report) else {
        return report.finish();
    };
    for image in IMAGES {
        image.with_pool(&mut report, |report, folder, opened| {
            let devices = opened.overview().devices;
            for path in image.paths(folder) {
                let path = path.to_string_lossy();
                let device = devices.iter().find(|d| d.name == path);
                report.require(image.pool, device.is_some(), || format!("{path} is not listed"));
                let Some(device) = device else { continue };
                compare_labels(report, &judge, image.pool, device);
            }
            let theirs = judge.config(folder, image.pool);
            let Some(theirs) = judged(report, image.pool, theirs) else {
                return;
            };
            let outcome = compare::config(&opened.pool.config(), &theirs);
            report.compared("zdb -C lines", image.pool, outcome);
        });
    }
    report.finish();
}

fn compare_labels(report: &mut Report, judge: &Zdb, pool: &str, device: &DeviceView) {
    let text = judge.run(&["-l", &device.name]).stdout;
    report.compared("zdb -l devices", pool, compare::labels(device, &text));
    let theirs = zdb::parse_uberblocks(&judge.run(&["-lu", &device.name]).stdout);
    report.compared("zdb -lu uberblocks", pool, compare::uberblocks(device, &theirs));
}

/// Opens the pool without the members in `without` and compares everything with the whole pool.
fn open_without(report: &mut Report, image: &Image, whole: &Opened, kept: &[PathBuf]) {
    let names: Vec<_> = kept.iter().filter_map(|p| p.file_name()?.to_str()).collect();
    let what = format!("only {}", names.join(" and "));
    let opened = open(kept).map_err(|e| e.at(&what));
    let Some(opened) = answered(report, image.pool, opened) else {
        return;
    };
    let health = opened.overview().health;
    report.require(image.pool, health == "degraded", || format!("{what}: health {health}"));
    let (Some(ours), Some(expect)) = (
        answered(report, image.pool, opened.fingerprint().map_err(|e| e.at(&what))),
        answered(report, image.pool, whole.fingerprint()),
    ) else {
        return;
    };
    let differences = ours.differences(&expect);
    report.require(image.pool, differences.is_empty(), || format!("{what}: {differences:?}"));
    let check = opened.check(&CheckOptions::default()).map_err(|e| e.at(&what));
    let Some(check) = answered(report, image.pool, check) else {
        return;
    };
    let sound = check.bad_blocks.is_empty() && check.leaks.is_empty() && check.doubles.is_empty();
    report.require(image.pool, sound, || format!("{what}: {}", complaints(&check)));
}

#[test]
fn members_may_be_missing_as_far_as_redundancy_reaches() {
    let mut report = Report::new("images: members missing");
    // Each case is the members that stay.
    let cases: [(&Image, &[&[usize]]); 4] = [
        (&MIRROR, &[&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2]]),
        (&RAIDZ, &[&[0, 1], &[0, 2], &[1, 2]]),
        (&RAIDZ2, &[&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2]]),
        (&BROKEN_MIRROR, &[&[1]]),
    ];
    for (image, cases) in cases {
        image.with_pool(&mut report, |report, folder, whole| {
            let paths = image.paths(folder);
            for stay in cases {
                let kept: Vec<_> = stay.iter().map(|&i| paths[i].clone()).collect();
                open_without(report, image, whole, &kept);
            }
        });
    }
    report.finish();
}

#[test]
fn too_many_missing_members_are_named() {
    let mut report = Report::new("images: too many members missing");
    // Labels of version 1 name their own top-level vdev and no other. What the uberblock's sum of
    // guids has beyond theirs is the guid of one missing disk, but not those of two.
    let cases: [(&Image, &[&[usize]], bool); 3] = [
        (&STRIPE, &[&[0, 1], &[0, 2], &[1, 2]], true),
        (&STRIPE, &[&[0], &[1], &[2]], false),
        (&RAIDZ, &[&[0], &[1], &[2]], true),
    ];
    for (image, cases, named) in cases {
        image.with_pool(&mut report, |report, folder, whole| {
            let paths = image.paths(folder);
            let guids = leaf_guids(&whole.overview().vdev_tree, &paths);
            for stay in cases {
                let kept: Vec<_> = stay.iter().map(|&i| paths[i].clone()).collect();
                let error = refusal(open(&kept));
                let text = error.as_ref().map(ToString::to_string).unwrap_or_default();
                let kind = error.map(|e| e.kind());
                report.require(image.pool, kind == Some(PoolErrorKind::Missing), || {
                    format!("with {stay:?}: {kind:?} {text}")
                });
                let missing = (0..paths.len()).filter(|i| named && !stay.contains(i));
                for guid in missing.filter_map(|i| guids.get(i)) {
                    report.require(image.pool, text.contains(&guid.to_string()), || {
                        format!("with {stay:?}: {text:?} does not name {guid}")
                    });
                }
            }
        });
    }
    report.finish();
}

/// Guids of the leaves, in the order of `paths`.
fn leaf_guids(root: &VdevView, paths: &[PathBuf]) -> Vec<u64> {
    fn leaves<'a>(vdev: &'a VdevView, all: &mut Vec<&'a VdevView>) {
        match vdev.children.is_empty() {
            true => all.push(vdev),
            false => vdev.children.iter().for_each(|child| leaves(child, all)),
        }
    }
    let mut all = Vec::new();
    leaves(root, &mut all);
    let guid = |path: &PathBuf| {
        let path = path.to_string_lossy();
        let leaf = all.iter().find(|leaf| leaf.device.as_deref() == Some(&*path));
        leaf.map(|leaf| leaf.guid.0)
    };
    paths.iter().filter_map(guid).collect()
}

#[test]
fn an_unknown_version_is_refused() {
    let mut report = Report::new("images: version 999");
    match unpacked(UNSUPPORTED) {
        Err(reason) => report.skipped(reason),
        Ok(folder) => {
            let error = refusal(open(&[folder]));
            let text = error.as_ref().map(ToString::to_string).unwrap_or_default();
            let kind = error.map(|e| e.kind());
            let refused = kind == Some(PoolErrorKind::Unsupported) && text.contains("999");
            report.require("v999-pool", refused, || format!("{kind:?}: {text}"));
        }
    }
    report.finish();
}

#[test]
fn encrypted_data_sets_are_listed_and_named() {
    let mut report = Report::new("images: encrypted data sets");
    let cases: [(&Image, &[&str], &[&str]); 2] = [
        (
            &CRYPT,
            &["cryptv0/testfs", "cryptv0/testfs@snap1", "cryptv0/testvol", "cryptv0/testvol@snap1"],
            &["cryptv0"],
        ),
        (
            &RECEIVED,
            &[
                "testpool_13709/encroot",
                "testpool_13709/encroot/fs",
                "testpool_13709/encroot/recvfs",
                "testpool_13709/encroot/recvfs@snap",
            ],
            &["testpool_13709", "testpool_13709/sendfs", "testpool_13709/sendfs@snap"],
        ),
    ];
    for (image, encrypted, plain) in cases {
        image.with_pool(&mut report, |report, _, opened| {
            let Some(datasets) = answered(report, image.pool, opened.datasets()) else {
                return;
            };
            let mut named: Vec<_> = datasets.iter().filter(|d| d.encrypted).collect();
            named.sort_by(|a, b| a.name.cmp(&b.name));
            let names: Vec<_> = named.iter().map(|d| d.name.as_str()).collect();
            report.require(image.pool, names == encrypted, || format!("encrypted: {names:?}"));
            for name in plain {
                let tree = opened.tree(name).map_err(|e| e.at(name));
                answered(report, image.pool, tree);
            }
            for dataset in named.iter().filter(|d| d.kind == "filesystem") {
                let error = refusal(opened.list(&dataset.name, "/"));
                let text = error.as_ref().map(ToString::to_string).unwrap_or_default();
                let kind = error.map(|e| e.kind());
                let told = kind == Some(PoolErrorKind::Encrypted) && text.contains(&dataset.name);
                report.require(image.pool, told, || format!("{kind:?}: {text}"));
            }
        });
    }
    CRYPT.with_pool(&mut report, |report, _, opened| {
        let view = opened.overview();
        let told = view.errata == 3 || view.notes.iter().any(|n| n.contains("errat"));
        report.require(CRYPT.pool, told, || format!("errata {}: {:?}", view.errata, view.notes));
    });
    report.finish();
}

#[test]
fn special_cases_are_told() {
    let mut report = Report::new("images: what makes an image special");
    UNCLEAN.with_pool(&mut report, |report, _, opened| {
        let view = opened.overview();
        report.require(UNCLEAN.pool, view.state == "active", || format!("state {}", view.state));
        let told = view.notes.iter().any(|n| n.contains("export") || n.contains("host"));
        report.require(UNCLEAN.pool, told, || format!("notes {:?}", view.notes));
    });
    BROKEN_MIRROR.with_pool(&mut report, |report, _, opened| {
        let view = opened.overview();
        let text = format!("{:?}", view.vdev_tree);
        let told = text.contains("small") || view.notes.iter().any(|n| n.contains("small"));
        report.require(BROKEN_MIRROR.pool, told, || format!("{:?} {text}", view.notes));
    });
    ZSTD.with_pool(&mut report, |report, _, opened| {
        let check = |path: (&str, &str), size: usize| {
            let bytes = opened.contents(path.0, path.1).map(|b| b.len());
            (bytes == Ok(size), format!("{path:?}: {bytes:?}"))
        };
        for (path, size) in [
            (("testpool_zstd/ppc64_fbsd", "/zstd"), 146_040),
            (("testpool_zstd/x86_64", "/zstd"), 780_248),
        ] {
            let (holds, text) = check(path, size);
            report.require(ZSTD.pool, holds, || text);
        }
    });
    report.finish();
}
