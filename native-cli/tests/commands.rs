//! The commands on real pools: the fixed JSON forms, damage found, files brought out whole.

mod common;

use common::images::unpacked;
use serde_json::Value;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidepool"));
    command.args(args).env_remove("TIDEPOOL_PATH");
    command.output().expect("the program starts")
}

fn json(args: &[&str], code: i32) -> Value {
    let out = run(args);
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{args:?}: {said}");
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}"))
}

/// The folder of an image, or nothing where the images are not there.
fn image(members: &[&str]) -> Option<String> {
    match unpacked(members) {
        Ok(folder) => Some(folder.display().to_string()),
        Err(why) => {
            println!("skipped: commands on {}: {why}", members[0]);
            None
        }
    }
}

/// A folder for what a command writes, gone at the end of the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scratch-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const ZSTD: [&str; 1] = ["testpool_zstd"];
const V1: [&str; 1] = ["zfs-pool-v1"];

#[test]
fn a_map_has_the_fixed_form() {
    let Some(folder) = image(&ZSTD) else { return };
    let map = json(&["map", &folder, "--json"], 0);
    assert_eq!(map["pool"], "testpool_zstd");
    let vdev = &map["vdevs"][0];
    assert_eq!((&vdev["id"], &vdev["class"]), (&0.into(), &"normal".into()));
    let metaslabs = vdev["metaslabs"].as_array().unwrap();
    assert_eq!(metaslabs.len(), 15);
    let fields = [
        "id",
        "offset",
        "size",
        "space_map",
        "free",
        "fragmentation",
        "segments",
        "max_size",
        "weight",
        "histogram",
    ];
    for metaslab in metaslabs {
        for field in fields {
            assert!(metaslab.get(field).is_some(), "{field}");
        }
    }
    let one = json(&["map", &folder, "--metaslab", "0", "--json"], 0);
    let segments = one["segments"].as_array().unwrap();
    let free: u64 =
        segments.iter().map(|s| s["end"].as_u64().unwrap() - s["start"].as_u64().unwrap()).sum();
    assert_eq!(Some(free), metaslabs[0]["free"].as_u64());
    let out = run(&["map", &folder, "--metaslab", "99"]);
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn a_clean_pool_checks_clean() {
    let Some(folder) = image(&ZSTD) else { return };
    let check = json(&["check", &folder, "--sizes", "--all-copies", "--json"], 0);
    assert_eq!(check["clean"], true);
    for field in ["leaks", "doubles", "bad_blocks"] {
        assert_eq!(check[field].as_array().map(Vec::len), Some(0), "{field}");
    }
    assert!(check["sizes"]["kinds"].as_array().is_some_and(|k| k.len() > 3));
}

/// Where the first file of a pool has its first block, as bytes on the device.
fn first_file_block(folder: &str, dataset: &str) -> (u64, u64) {
    let objects = json(&["show", "objects", folder, "--dataset", dataset, "--json"], 0);
    let objects = objects.as_array().unwrap();
    let file = objects.iter().find(|o| o["kind"] == "ZFS plain file").unwrap();
    let id = file["id"].to_string();
    let show = ["show", "object", folder, "--dataset", dataset, "--id", &id, "--blocks", "--json"];
    let object = json(&show, 0);
    let blocks = object["blocks"].as_array().unwrap();
    let line = blocks.iter().filter_map(Value::as_str).find(|l| l.contains("L0 ")).unwrap();
    let dva = line.split_whitespace().find(|w| w.matches(':').count() == 2).unwrap();
    let mut parts = dva.split(':').skip(1).map(|p| u64::from_str_radix(p, 16).unwrap());
    // DVA offsets count from behind the two front labels and the boot block.
    (parts.next().unwrap() + (4 << 20), parts.next().unwrap())
}

#[test]
fn a_flipped_byte_is_found_and_named() {
    let Some(folder) = image(&V1) else { return };
    let scratch = Scratch::new("flip");
    let copy = scratch.path("disk");
    std::fs::copy(Path::new(&folder).join(V1[0]), &copy).unwrap();
    let (offset, _) = first_file_block(&folder, "v1-pool");
    let disk = OpenOptions::new().read(true).write(true).open(&copy).unwrap();
    let mut byte = [0];
    disk.read_exact_at(&mut byte, offset + 7).unwrap();
    disk.write_all_at(&[byte[0] ^ 0x10], offset + 7).unwrap();
    let check = json(&["check", &copy, "--json"], 1);
    assert_eq!(check["clean"], false);
    let bad = check["bad_blocks"].as_array().unwrap();
    assert_eq!(bad.len(), 1, "{bad:?}");
    assert_eq!(bad[0]["dataset"], "v1-pool");
    assert!(bad[0]["path"].is_string(), "{bad:?}");
    let text = run(&["check", &copy]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("DAMAGE FOUND"), "{text}");
    let quick = json(&["check", &copy, "--metadata-only", "--json"], 0);
    assert_eq!(quick["clean"], true);
}

#[test]
fn looking_never_writes() {
    let Some(folder) = image(&V1) else { return };
    let disk = Path::new(&folder).join(V1[0]);
    let before = std::fs::metadata(&disk).unwrap().modified().unwrap();
    for args in [&["scan", &folder][..], &["map", &folder], &["check", &folder]] {
        assert_eq!(run(args).status.code(), Some(0), "{args:?}");
    }
    let after = std::fs::metadata(&disk).unwrap().modified().unwrap();
    assert_eq!(before, after);
}

#[test]
fn a_file_comes_out_whole() {
    let Some(folder) = image(&ZSTD) else { return };
    let scratch = Scratch::new("get");
    let to = scratch.path("zstd");
    let target = "testpool_zstd/x86_64:/zstd";
    let get = ["get", target, &to, "--pool", &folder];
    assert_eq!(json(&[&get[..], &["--json"]].concat(), 0)["files"], 1);
    let bytes = std::fs::read(&to).unwrap();
    assert_eq!(bytes.len(), 780_248);
    assert!(bytes.starts_with(b"\x7fELF"));
    let again = run(&get);
    assert_eq!(again.status.code(), Some(1), "an existing file is kept");
    assert_eq!(run(&[&get[..], &["--force"]].concat()).status.code(), Some(0));
    let cat = run(&["cat", target, "--offset", "1000", "--length", "5000", "--pool", &folder]);
    assert_eq!(cat.stdout, bytes[1000..6000]);
}

#[test]
fn a_tree_comes_out_whole() {
    let Some(folder) = image(&V1) else { return };
    let scratch = Scratch::new("tree");
    let to = scratch.path("tree");
    let got = json(&["get", "v1-pool:", &to, "--pool", &folder, "--json"], 0);
    let list = json(&["ls", "v1-pool:/", "--pool", &folder, "--json"], 0);
    for file in list.as_array().unwrap() {
        let path = Path::new(&to).join(file["name"].as_str().unwrap());
        let found = std::fs::symlink_metadata(&path).unwrap();
        if file["kind"] == "file" {
            assert_eq!(Some(found.len()), file["size"].as_u64(), "{}", path.display());
        }
    }
    assert!(got["files"].as_u64().unwrap() >= 300, "{got}");
    assert_eq!(got["skipped"].as_array().map(Vec::len), Some(0), "{got}");
}

#[test]
fn what_is_refused_says_why_and_what_is_missing_is_named() {
    if let Some(folder) = image(&["zfs-pool-v999"]) {
        let out = run(&["map", &folder]);
        assert_eq!(out.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&out.stderr).contains("999"));
        let scan = json(&["scan", &folder, "--json"], 0);
        assert!(scan["pools"][0]["refusal"].is_string());
    }
    let stripe = ["zfs-pool-v1stripe1", "zfs-pool-v1stripe2", "zfs-pool-v1stripe3"];
    if let Some(folder) = image(&stripe) {
        let first = Path::new(&folder).join(stripe[0]).display().to_string();
        let scan = json(&["scan", &first, "--json"], 0);
        let refusal = scan["pools"][0]["refusal"].as_str().unwrap_or_default();
        assert!(refusal.chars().any(|c| c.is_ascii_digit()), "no guid in {refusal:?}");
        assert_ne!(run(&["map", &first]).status.code(), Some(0));
    }
}

#[test]
fn several_pools_need_a_name() {
    let (Some(v1), Some(zstd)) = (image(&V1), image(&ZSTD)) else {
        return;
    };
    let out = run(&["map", &v1, &zstd]);
    assert_eq!(out.status.code(), Some(2));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("v1-pool") && said.contains("testpool_zstd"), "{said}");
    let map = json(&["map", &v1, &zstd, "--pool", "v1-pool", "--json"], 0);
    assert_eq!(map["pool"], "v1-pool");
    let list = run(&["ls", "v1-pool:/", "--pool", &v1, &zstd, "-1"]);
    assert_eq!(list.status.code(), Some(0));
}

#[test]
fn every_aspect_is_shown_in_both_forms() {
    let Some(folder) = image(&ZSTD) else { return };
    for what in [
        "labels",
        "uberblocks",
        "config",
        "datasets",
        "objects",
        "features",
        "history",
        "zil",
        "properties",
    ] {
        let text = run(&["show", what, &folder]);
        assert_eq!(text.status.code(), Some(0), "{what}");
        assert!(!text.stdout.is_empty(), "{what}");
        json(&["show", what, &folder, "--json"], 0);
    }
    let old = json(&["show", "uberblocks", &folder, "--json"], 0);
    let ring = old[0]["labels"][0]["uberblocks"].as_array().unwrap();
    assert!(ring.len() > 1, "{ring:?}");
}
