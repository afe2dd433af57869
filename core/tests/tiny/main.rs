//! The whole engine over a pool built in memory: what it must say of a good one, of one with parts
//! missing, and that hostile contents under good checksums never stop it.

mod build;

use build::{LEAF_GUID, POOL_GUID, SIZE, TEXT, TXG, pool};
use tidepool::base::{Endian, ObjectId, PoolErrorKind, Prng, Txg};
use tidepool::dev::{Device, SparseImage};
use tidepool::pool::{CheckOptions, OpenOptions, Pool, scan};
use tidepool::rt::Rt;
use tidepool::sim::devices;

fn quiet(endian: Endian) -> SparseImage {
    pool(endian, &mut |_, _| {})
}

fn world(image: SparseImage) -> (Rt, Vec<Device>) {
    devices([("disk".to_owned(), image)], 1)
}

fn open(image: SparseImage) -> (Rt, Pool) {
    let (rt, devices) = world(image);
    let opened = rt.block_on(Pool::open(&devices, &OpenOptions::default()));
    (rt, opened.unwrap())
}

#[test]
fn a_small_pool_of_either_order_is_told_in_full() {
    for endian in [Endian::Little, Endian::Big] {
        let (rt, pool) = open(quiet(endian));
        let overview = pool.overview();
        assert_eq!(overview.name, "tiny");
        assert_eq!(overview.guid.0, POOL_GUID);
        assert_eq!((overview.health.as_str(), overview.state.as_str()), ("online", "exported"));
        assert_eq!((overview.txg, overview.version), (Txg(TXG), 5000));
        assert_eq!(overview.notes, Vec::<String>::new());
        assert_eq!(overview.vdev_tree.children[0].guid.0, LEAF_GUID);
        assert_eq!(overview.vdev_tree.children[0].device.as_deref(), Some("disk"));
        let datasets = rt.block_on(pool.datasets()).unwrap();
        let [only] = datasets.as_slice() else { panic!("{datasets:?}") };
        assert_eq!(
            (only.name.as_str(), only.kind.as_str(), only.objects),
            ("tiny", "filesystem", 4)
        );
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(only.properties, [pair("atime", "off"), pair("compression", "lz4")]);
        let files = rt.block_on(pool.list("tiny", "/")).unwrap();
        assert_eq!(files.len(), 1);
        assert_eq!((files[0].name.as_str(), files[0].kind.as_str()), ("file.txt", "file"));
        assert_eq!((files[0].uid, files[0].size), (1000, TEXT.len() as u64));
        let bytes = rt.block_on(pool.read("tiny", "/file.txt", 4, 9)).unwrap();
        assert_eq!(bytes, &TEXT[4..13]);
        let object = rt.block_on(pool.object("tiny", ObjectId(3), true)).unwrap();
        assert!(object.details.contains(&"path /file.txt".to_owned()), "{object:?}");
        assert_eq!(object.blocks.len(), 1);
    }
}

#[test]
fn space_and_checks_agree_to_the_byte() {
    let (rt, pool) = open(quiet(Endian::Big));
    let map = rt.block_on(pool.map()).unwrap();
    let metaslabs = &map.vdevs[0].metaslabs;
    assert_eq!(metaslabs.len(), 3);
    let used = metaslabs[0].size - metaslabs[0].free;
    assert_eq!((metaslabs[0].segments, metaslabs[1].free), (1, 16 << 20));
    let space = &pool.overview().space[0];
    assert_eq!((space.size, space.allocated), (48 << 20, used));
    let segments = rt.block_on(pool.segments(0, 0)).unwrap();
    assert_eq!((segments[0].start, segments[0].end), (used, 16 << 20));
    let strip = rt.block_on(pool.strip(0, 0, 0..used * 2, 2, 5)).unwrap();
    assert_eq!(strip.cells, [0, used]);
    let options = CheckOptions::default();
    let check = rt.block_on(pool.check(&options, &mut |_| true)).unwrap();
    assert!(check.clean, "{check:#?}");
    assert_eq!((check.allocated, check.space_map_allocated), (used, used));
}

#[test]
fn what_is_not_there_is_named() {
    let (rt, pool) = open(quiet(Endian::Little));
    let check = |kind: PoolErrorKind, words: &str, error: tidepool::base::PoolError| {
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    };
    let not_found = PoolErrorKind::NotFound;
    check(not_found, "tiny/a", rt.block_on(pool.list("tiny/a", "/")).unwrap_err());
    check(not_found, "tinyx", rt.block_on(pool.list("tinyx", "/")).unwrap_err());
    check(not_found, "there is no /b", rt.block_on(pool.stat("tiny", "/b/c")).unwrap_err());
    check(not_found, "/file.txt is no", rt.block_on(pool.stat("tiny", "file.txt/c")).unwrap_err());
    check(not_found, "no number 3", rt.block_on(pool.segments(0, 3)).unwrap_err());
    check(not_found, "vdev 7", rt.block_on(pool.segments(7, 0)).unwrap_err());
    check(not_found, "object 99", rt.block_on(pool.object("mos", ObjectId(99), true)).unwrap_err());
    let read = rt.block_on(pool.read("tiny", "/", 0, 1)).unwrap_err();
    check(PoolErrorKind::Usage, "it is a dir", read);
    assert!(rt.block_on(pool.tree_node(0, 0, &[4])).is_err());
    assert!(rt.block_on(pool.history()).unwrap().is_empty());
    assert!(rt.block_on(pool.logs()).unwrap().is_empty());
}

#[test]
fn a_pool_opens_from_any_one_label_and_says_which_are_bad() {
    for keep in 0..4u64 {
        let mut image = quiet(Endian::Little);
        let offsets = [0, 256 << 10, SIZE - (512 << 10), SIZE - (256 << 10)];
        for (index, offset) in (0u64..).zip(offsets) {
            if index != keep {
                image.write(offset + (20 << 10), &[0xFF; 100]);
            }
        }
        let (_, pool) = open(image);
        let notes = pool.overview().notes;
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes.iter().all(|n| n.contains("is bad")), "{notes:?}");
    }
}

#[test]
fn options_choose_and_refusals_explain() {
    let check = |options: OpenOptions, images: Vec<SparseImage>, words: &str| {
        let named = images.into_iter().map(|i| ("disk".to_owned(), i));
        let (rt, devices) = devices(named, 1);
        let error = rt.block_on(Pool::open(&devices, &options)).err().unwrap();
        assert!(error.to_string().contains(words), "{error}");
    };
    let good = || vec![quiet(Endian::Little)];
    let name = |n: &str| OpenOptions { name: Some(n.to_owned()), ..OpenOptions::default() };
    check(name("other"), good(), "no such pool; here are tiny");
    check(OpenOptions::default(), Vec::new(), "no device is given");
    check(OpenOptions::default(), vec![SparseImage::new(1000)], "holds no pool");
    check(OpenOptions::default(), vec![SparseImage::new(SIZE)], "holds no pool");
    let old = OpenOptions { txg: Some(Txg(TXG - 1)), ..OpenOptions::default() };
    check(old, good(), "no uberblock of txg 8 or older");
}

/// Everything that a pool can be asked.
async fn ask_everything(devices: &[Device]) {
    let _ = scan(devices).await;
    let Ok(pool) = Pool::open(devices, &OpenOptions::default()).await else {
        return;
    };
    let _ = (pool.overview(), pool.config());
    let _ = pool.map().await;
    let _ = pool.strip(0, 0, 0..u64::MAX, 100, 100).await;
    let _ = pool.tree_node(0, 0, &[]).await;
    let _ = (pool.datasets().await, pool.history().await, pool.logs().await);
    for set in ["mos", "tiny"] {
        let _ = pool.objects(set, ObjectId(0), 100).await;
        for id in 0..16 {
            let _ = pool.object(set, ObjectId(id), true).await;
        }
    }
    let _ = pool.list("tiny", "/").await;
    let _ = pool.read("tiny", "/file.txt", 0, 1 << 20).await;
    let options = CheckOptions { all_copies: true, sizes: true, ..CheckOptions::default() };
    let _ = pool.check(&options, &mut |_| true).await;
}

#[test]
fn hostile_contents_with_good_checksums_never_stop_it() {
    let seeds = std::env::var("TIDEPOOL_SEEDS").ok().and_then(|s| s.parse().ok());
    for seed in 0..seeds.unwrap_or(400u64) {
        let mut rng = Prng::new(seed);
        let endian = Endian::from_little_bit(seed % 2 == 0);
        let target = rng.below(24) as u32;
        let image = pool(endian, &mut |number, bytes| {
            if number == target {
                torment(&mut rng, bytes);
            }
        });
        let (rt, devices) = world(image);
        rt.block_on(ask_everything(&devices));
    }
}

/// Changes a few bytes or words, mostly where something stands, to values that hurt.
fn torment(rng: &mut Prng, bytes: &mut [u8]) {
    const EVIL: [u64; 8] = [0, 1, u64::MAX, 1 << 63, 1 << 62, 0xFFFF_FFFF, 1 << 40, 1 << 56];
    let used: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i] != 0).collect();
    for _ in 0..=rng.below(3) {
        let pick = |rng: &mut Prng, n: usize| rng.below(n.max(1) as u64) as usize;
        let at = match rng.below(4) {
            0 => pick(rng, bytes.len()),
            _ => used.get(pick(rng, used.len())).copied().unwrap_or(0),
        };
        match rng.below(3) {
            0 => bytes[at] = rng.next_u64() as u8,
            1 => bytes[at] ^= 1 << rng.below(8),
            _ => {
                let word = EVIL[pick(rng, EVIL.len())].to_le_bytes();
                let from = at / 8 * 8;
                bytes[from..from + 8].copy_from_slice(&word);
            }
        }
    }
}
