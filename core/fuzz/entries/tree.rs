//! Input: flags, then pieces of a pool: sector, length, bytes. The pieces are laid on a simulated
//! device and walked as object set, data sets, space maps, file system, log and check. No pointer
//! of the seeds has a checksum, so damage reaches the code behind it.

use super::put::{self, Put, Shape, dnode, pointer};
use super::{space_map, zap};
use std::cell::Cell;
use tidepool::base::{Endian, Guid, ObjectId};
use tidepool::cache::Reader;
use tidepool::dev::SparseImage;
use tidepool::dmu::{Objset, for_each_entry, for_each_pointer, zap_entries, zap_lookup};
use tidepool::dsl::walk_datasets;
use tidepool::format::Blkptr;
use tidepool::scan::{CheckInput, CheckOptions, check_pool};
use tidepool::spa::{LogSpaceMaps, MetaslabTable};
use tidepool::vdev::{FRONT_RESERVE, Leaf, TopVdev, Vdev, VdevKind};
use tidepool::zil::walk_chain;
use tidepool::zio::Zio;
use tidepool::zpl::{FileKind, FileSystem};

const SPACE: u64 = 1 << 20;
const OBJECTS_MAX: usize = 32;
const ENTRIES_MAX: usize = 64;

pub(crate) fn run(data: &[u8]) -> bool {
    let [flags, pieces @ ..] = data else {
        return false;
    };
    let mut image = SparseImage::new(FRONT_RESERVE + SPACE);
    lay(&mut image, &split(pieces), SPACE / 512);
    let (rt, devices) = tidepool::sim::devices([("image".to_string(), image)], 1);
    let leaf = Leaf::new(Guid(1), "image".into(), devices.first().cloned());
    let kind = VdevKind::Leaf(leaf.into());
    let top = TopVdev {
        id: 0,
        vdev: Vdev { kind, guid: Guid(1) },
        ashift: 9,
        asize: SPACE,
        metaslab_shift: 18,
        metaslab_array: ObjectId(11),
        class: "normal".into(),
    };
    let reader = Reader::new(Zio::new(&rt, vec![top]));
    let root = Blkptr::from_words(pointer(11, 0, 0, 1024, put::endian(*flags)));
    rt.block_on(async {
        match Objset::open(&reader, &root).await {
            Ok(objset) => walk(&objset).await,
            Err(_) => false,
        }
    })
}

/// Sectors and what stands there.
pub(crate) type Pieces = Vec<(u64, Vec<u8>)>;

/// Sector, length, bytes, again and again until the bytes end.
pub(crate) fn split(mut bytes: &[u8]) -> Pieces {
    let mut pieces = Vec::new();
    while let [s0, s1, n0, n1, rest @ ..] = bytes {
        let sector = u64::from(u16::from_be_bytes([*s0, *s1]));
        let len = usize::from(u16::from_be_bytes([*n0, *n1])).min(rest.len());
        let (piece, tail) = rest.split_at(len);
        pieces.push((sector, piece.to_vec()));
        bytes = tail;
    }
    pieces
}

/// Lays the pieces below sector `limit` behind the labels; what passes the end is left out.
pub(crate) fn lay(image: &mut SparseImage, pieces: &[(u64, Vec<u8>)], limit: u64) {
    for (sector, bytes) in pieces.iter().filter(|(sector, _)| *sector < limit) {
        let at = FRONT_RESERVE + sector * 512;
        if at + bytes.len() as u64 <= image.size() {
            image.write(at, bytes);
        }
    }
}

async fn walk(objset: &Objset) -> bool {
    let accepted = objects(objset).await;
    let directory = zap_entries(objset, ObjectId(1)).await.unwrap_or_default();
    let entry = |name: &str| {
        let entry = directory.iter().find(|e| e.name == name.as_bytes());
        ObjectId(entry.and_then(|e| e.value.u64()).unwrap_or(0))
    };
    let root_dir = entry("root_dataset");
    let (datasets, _) = walk_datasets(objset, root_dir, "tank").await;
    assert!(datasets.len() <= 4096, "a small image gives {} data sets", datasets.len());
    if let Ok(files) = FileSystem::open(objset).await {
        file_system(&files).await;
    }
    let zio = objset.reader().zio();
    let log = walk_chain(zio, &objset.phys().zil).await;
    assert!(!log.end.is_empty());
    let log_maps = Some(entry("com.delphix:log_spacemap_zap")).filter(|id| id.0 != 0);
    let logs = LogSpaceMaps::load(objset, log_maps, zio.tops()).await;
    let table = MetaslabTable::load(objset, &zio.tops()[0], Some(ObjectId(1))).await;
    let input = CheckInput {
        pool: "tank".into(),
        txg: tidepool::base::Txg(100),
        mos: objset.clone(),
        directory,
        root_dir,
        datasets,
        tables: vec![table],
        logs,
    };
    let options = CheckOptions { all_copies: true, sizes: true, ..CheckOptions::default() };
    let view = check_pool(&input, options, &mut |_| true).await;
    drop(view);
    accepted
}

/// Every object as everything it could be.
async fn objects(objset: &Objset) -> bool {
    let (mut from, mut count) = (ObjectId(0), 0);
    while let Ok(Some((id, dnode))) = objset.next_object(from).await {
        assert!(id >= from, "objects go backwards");
        from = ObjectId(id.0.saturating_add(1));
        let _ = objset.read(&dnode, 0, 1 << 20).await;
        let _ = objset.read(&dnode, u64::MAX - 1000, 1 << 20).await;
        let _ = zap_lookup(objset, id, b"a name").await;
        let _ = zap_entries(objset, id).await;
        let calls = Cell::new(0u64);
        let _ = for_each_pointer(objset, id, &mut |_| calls.set(calls.get() + 1)).await;
        let _ = for_each_entry(objset, id, 0, 9, &mut |_| calls.set(calls.get() + 1)).await;
        assert!(calls.get() < 1 << 20, "a small image gives {} records", calls.get());
        count += 1;
        if count == OBJECTS_MAX || id.0 == u64::MAX {
            break;
        }
    }
    count > 0
}

async fn file_system(files: &FileSystem) {
    let Ok(entries) = files.entries(files.root()).await else {
        return;
    };
    for entry in entries.iter().take(ENTRIES_MAX) {
        let _ = files.lookup(&format!("/{}/x", entry.name)).await;
        let _ = files.path_of(entry.object).await;
        let Ok(node) = files.node(entry.object).await else {
            continue;
        };
        let _ = files.read(&node, 100, 1 << 16).await;
        let _ = files.xattrs(&node).await;
        if node.kind() == FileKind::Symlink {
            let _ = files.link_target(&node).await;
        }
    }
}

/// One dnode of the seed.
fn object(kind: u8, size: u64, max_block: u64, at: u64, bonus: (u8, &[u8]), e: Endian) -> Vec<u8> {
    let levels = if max_block > 1 { 2 } else { 1 };
    let stored = if levels > 1 { 1024 } else { size };
    let shape = Shape {
        kind,
        levels,
        block_size: size,
        max_block,
        pointers: &[pointer(kind, levels - 1, at, stored, e)],
        bonus_kind: bonus.0,
        bonus: bonus.1,
    };
    dnode(&shape, e)
}

fn words(len: usize, words: &[(usize, u64)], e: Endian) -> Vec<u8> {
    let mut out = Put::zeros(len, e);
    words.iter().for_each(|&(at, word)| {
        out.u64(at, word);
    });
    out.bytes
}

/// The dnodes of objects 0 to 14; object 0 is a free slot, object 14 the pool configuration with
/// its length as bonus.
fn dnodes(e: Endian, length: &[u8]) -> Vec<u8> {
    let dir = words(256, &[(8, 4), (32, 5), (80, 6)], e);
    let mut dataset = Put::zeros(320, e);
    dataset.words(0, &[2, 0, 0, 0, 5, 0, 0, 4, 7]).words(128, &pointer(11, 0, 0, 1024, e));
    let file = |mode, size, parent| words(264, &[(72, mode), (80, size), (88, parent), (96, 1)], e);
    let bpobj = words(56, &[(0, 2), (32, 8), (40, 1)], e);
    let map = words(320, &[(0, 8), (8, 56), (16, 512)], e);
    let none: (u8, &[u8]) = (0, &[]);
    let all = [
        vec![0; 512],
        object(1, 1024, 0, 0x4000, none, e),
        object(12, 512, 0, 0x4400, (12, &dir), e),
        object(5, 512, 0, 0x4800, (6, &bpobj), e),
        object(16, 512, 0, 0x4400, (16, &dataset.bytes), e),
        object(13, 512, 0, 0x4400, none, e),
        object(15, 512, 0, 0x4400, none, e),
        object(50, 512, 0, 0x4400, none, e),
        object(8, 512, 0, 0x4A00, (7, &map), e),
        object(20, 512, 0, 0x4C00, (17, &file(0o40_755, 3, 9)), e),
        object(19, 512, 9, 0x5000, (17, &file(0o100_644, 4000, 9)), e),
        object(2, 512, 0, 0x4E00, none, e),
        object(42, 512, 1, 0x5400, none, e),
        object(27, 512, 0, 0x5800, none, e),
        object(3, 4096, 0, 0x8000, (4, length), e),
    ];
    all.concat()
}

/// All pieces of a pool whose configuration is `config`, with its length as a bonus.
pub(crate) fn pool_pieces(e: Endian, length: &[u8], config: Vec<u8>) -> Pieces {
    let meta = Shape {
        kind: 10,
        levels: 1,
        block_size: 8192,
        max_block: 0,
        pointers: &[pointer(10, 0, 0x2000, 8192, e)],
        bonus_kind: 0,
        bonus: &[],
    };
    let mut objset = Put::zeros(720, e);
    objset.at(0, &dnode(&meta, e)).u64(704, 2);
    objset.words(512 + 16, &pointer(9, 0, 0x6000, 4096, e));
    let directory = [
        ("com.delphix:log_spacemap_zap", 13),
        ("com.delphix:ms_unflushed_phys_txgs", 11),
        ("root_dataset", 2),
        ("ROOT", 9),
        ("VERSION", 3),
        ("sync_bplist", 3),
        ("config", 14),
    ];
    let pointers = [19u8, 10].map(|kind| pointer(kind, 0, 0x4800, 512, e));
    let mut list = Put::zeros(256, e);
    list.words(0, &pointers[0]).words(128, &pointers[1]);
    let mut indirect = Put::zeros(512, e);
    indirect.words(0, &pointers[0]).words(384, &pointers[0]);
    let pieces = vec![
        (0, objset.bytes),
        (0x2000, dnodes(e, length)),
        (0x4000, zap::micro(&directory, e)),
        (0x4400, zap::micro(&[("a", 2)], e)),
        (0x4800, list.bytes),
        (0x4A00, space_map::entries(e)),
        (0x4C00, zap::micro(&[("file", 8 << 60 | 10), ("dir", 4 << 60 | 9)], e)),
        (0x4E00, words(32, &[(0, 8)], e)),
        (0x5000, indirect.bytes),
        (0x5400, zap::fat(e)),
        (0x5800, zap::micro(&[("4d", 8)], e)),
        (0x8000, config),
    ];
    pieces.into_iter().map(|(at, bytes)| (at / 512, bytes)).collect()
}

/// The input that `split` takes apart.
pub(crate) fn join(flags: u8, pieces: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut out = vec![flags];
    for (sector, bytes) in pieces {
        match *sector < SPACE / 512 {
            true => sparse(&mut out, *sector, bytes),
            false => run_of(&mut out, *sector, bytes),
        }
    }
    out
}

fn run_of(out: &mut Vec<u8>, sector: u64, bytes: &[u8]) {
    out.extend_from_slice(&(sector as u16).to_be_bytes());
    out.extend_from_slice(&(bytes.len() as u16).to_be_bytes());
    out.extend_from_slice(bytes);
}

/// Writes a piece as runs without long stretches of zeros, sector by sector.
fn sparse(out: &mut Vec<u8>, sector: u64, bytes: &[u8]) {
    for (index, chunk) in (0u64..).zip(bytes.chunks(512)) {
        let used = chunk.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        if used > 0 {
            run_of(out, sector + index, &chunk[..used]);
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let seed = |flags, e| join(flags, &pool_pieces(e, &[0; 8], Vec::new()));
    vec![seed(0, Endian::Little), seed(1, Endian::Big)]
}
