//! One flipped bit in each kind of block of a real pool, and what is said of it.
//!
//! Needs the image `testpool_zstd` beside the project; says so when it is not there.

mod common;

use common::engine;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use tidepool::base::ObjectId;
use tidepool::pool::CheckOptions;
use tidepool::view::CheckView;

const FRONT_RESERVE: u64 = 4 << 20;
const DATASET: &str = "testpool_zstd/x86_64";

fn flip(image: &Path, offsets: &[u64]) {
    let file = OpenOptions::new().read(true).write(true).open(image).expect("the copy opens");
    for &offset in offsets {
        let mut byte = [0];
        file.read_exact_at(&mut byte, offset).expect("inside the image");
        byte[0] ^= 0x40;
        file.write_all_at(&byte, offset).expect("inside the image");
    }
}

/// Device offsets inside every copy that a block pointer in `zdb`'s short form names.
fn copies(pointer: &str) -> Vec<u64> {
    let dva = |word: &str| {
        let offset = word.strip_prefix("0:")?.split(':').next()?;
        u64::from_str_radix(offset, 16).ok()
    };
    pointer.split_whitespace().filter_map(dva).map(|o| FRONT_RESERVE + o + 9).collect()
}

/// Flipped bits that flip back when it goes.
struct Damaged<'a> {
    image: &'a Path,
    offsets: Vec<u64>,
}

impl<'a> Damaged<'a> {
    fn new(image: &'a Path, offsets: Vec<u64>) -> Self {
        assert!(!offsets.is_empty(), "there is something to damage");
        flip(image, &offsets);
        Self { image, offsets }
    }
}

impl Drop for Damaged<'_> {
    fn drop(&mut self) {
        flip(self.image, &self.offsets);
    }
}

fn check(image: &Path, all_copies: bool) -> CheckView {
    let pool = engine::open(&[PathBuf::from(image)]).expect("the pool opens");
    let options = CheckOptions { all_copies, ..CheckOptions::default() };
    pool.check(&options).expect("the walk ends")
}

fn blocks_of(image: &Path, dataset: &str, id: u64) -> Vec<String> {
    let host = tidepool_host::open_devices(&[PathBuf::from(image)]).expect("the image opens");
    let options = tidepool::pool::OpenOptions::default();
    let open = tidepool::pool::Pool::open(&host.devices, &options);
    let pool = host.rt.block_on(open).expect("the pool opens");
    host.rt.block_on(pool.object(dataset, ObjectId(id), true)).expect("the object is there").blocks
}

#[test]
fn every_kind_of_damage_is_named() {
    let folder = match common::images::unpacked(&["testpool_zstd"]) {
        Ok(folder) => folder,
        Err(why) => return println!("skipped: {why}"),
    };
    let source = std::fs::read_dir(&folder).expect("a folder").flatten().next().expect("an image");
    let scratch = common::images::scratch("damage");
    std::fs::create_dir_all(&scratch).expect("a scratch folder");
    let image = scratch.join("testpool_zstd");
    std::fs::copy(source.path(), &image).expect("a copy");
    assert!(check(&image, true).clean, "the image itself is clean");

    let blocks = blocks_of(&image, DATASET, 2);
    let find = |level: &str| blocks.iter().find(|b| b.contains(level)).expect("such a block");
    data_block(&image, find(" L0 "));
    indirect_block(&image, find(" L1 "));
    space_map(&image);
    label_and_uberblock(&image);
    assert!(check(&image, true).clean, "all damage is mended again");
    std::fs::remove_dir_all(&scratch).expect("the scratch folder goes");
}

fn data_block(image: &Path, pointer: &str) {
    let _damage = Damaged::new(image, copies(pointer));
    let view = check(image, false);
    let [bad] = view.bad_blocks.as_slice() else { panic!("{:?}", view.bad_blocks) };
    assert_eq!((bad.dataset.as_str(), bad.object, bad.level, bad.block), (DATASET, 2, 0, 0));
    assert_eq!(bad.path.as_deref(), Some("/zstd"));
    assert!(bad.problem.contains("checksum mismatch"), "{}", bad.problem);
    println!("data block: {}: {}", bad.path.as_deref().unwrap_or(""), bad.problem);
}

fn indirect_block(image: &Path, pointer: &str) {
    let all = copies(pointer);
    assert!(all.len() > 1, "metadata has two copies");
    {
        let _damage = Damaged::new(image, vec![all[0]]);
        let view = check(image, false);
        assert!(view.bad_blocks.is_empty() && !view.clean, "{view:?}");
        let said = view.problems.join(" ");
        assert!(said.contains("another replica served"), "{said}");
        let deep = check(image, true);
        let [copy] = deep.bad_copies.as_slice() else { panic!("{:?}", deep.bad_copies) };
        assert_eq!((copy.object, copy.level), (2, 1));
        println!("indirect block, one copy: {said}");
    }
    let _damage = Damaged::new(image, all);
    let view = check(image, false);
    let [bad] = view.bad_blocks.as_slice() else { panic!("{:?}", view.bad_blocks) };
    assert_eq!((bad.object, bad.level, bad.path.as_deref()), (2, 1, Some("/zstd")));
    assert!(view.leaks.is_empty(), "what lies behind is not called a leak");
    assert!(!view.not_checked.is_empty(), "what was not reached is told");
    println!("indirect block, all copies: {}", bad.problem);
}

fn space_map(image: &Path) {
    let block = blocks_of(image, "mos", 72);
    let _damage = Damaged::new(image, copies(&block[0]));
    let said = check(image, false).problems.join(" ");
    assert!(said.contains("vdev 0 metaslab 0") && said.contains("space map 72"), "{said}");
    let pool = engine::open(&[image.into()]).expect("the pool opens");
    let map = pool.map().expect("the map of what can be read");
    let broken = map.vdevs[0].metaslabs.iter().filter(|m| m.problem.is_some());
    assert_eq!(broken.map(|m| m.id).collect::<Vec<_>>(), [0]);
    println!("space map: {said}");
}

fn label_and_uberblock(image: &Path) {
    let overview = |image: &Path| {
        let pool = engine::open(&[image.into()]).expect("the pool opens");
        pool.overview()
    };
    let before = overview(image);
    let labels = &before.devices[0].labels;
    let slot = labels[0].uberblocks.iter().find(|u| u.chosen).expect("one is chosen").slot;
    {
        let _damage = Damaged::new(image, vec![labels[0].offset + 0x4000 + 200]);
        let after = overview(image);
        let problem = after.devices[0].labels[0].problem.clone().expect("label 0 is bad");
        assert!(after.devices[0].labels[1..].iter().all(|l| l.problem.is_none()));
        assert!(problem.contains("expected a trailer"), "{problem}");
        println!("label: {problem}");
    }
    let place = |offset: u64| offset + 0x2_0000 + slot * labels[0].slot_size + 16;
    {
        let _damage = Damaged::new(image, vec![place(labels[0].offset)]);
        assert_eq!(overview(image).txg, before.txg, "another label has the same uberblock");
    }
    let _damage = Damaged::new(image, labels.iter().map(|l| place(l.offset)).collect());
    match engine::open(&[image.into()]) {
        Ok(pool) => {
            let txg = pool.overview().txg;
            assert!(txg < before.txg, "an older uberblock serves");
            println!("uberblock, all labels: opened at txg {txg} instead of {}", before.txg);
        }
        Err(e) => {
            assert!(e.to_string().contains("txg"), "{e}");
            println!("uberblock, all labels: {e}");
        }
    }
}
