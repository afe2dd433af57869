//! Input: flags, then pieces of a whole pool as in `tree`, label configurations and an uberblock
//! among them. Labels and ring slots are sealed; everything the facade offers is called.

use super::put::{self, Put, pointer};
use super::tree::{self, Pieces};
use tidepool::base::{Endian, ObjectId, Txg};
use tidepool::codec::seal_embedded;
use tidepool::dev::SparseImage;
use tidepool::format::{Blkptr, NvValue, Nvlist, Uberblock};
use tidepool::pool::{CheckOptions, OpenOptions, Pool, scan};
use tidepool::vdev::FRONT_RESERVE;
use tidepool::view;

const SIZE: u64 = 64 << 20;
/// Pieces at these sectors are no sectors: uberblock, configurations of devices 0 and 1.
const UBERBLOCK: u64 = 0xFFFD;
const CONFIGS: [u64; 2] = [0xFFFE, 0xFFFF];
const CONFIG_AT: u64 = 0x4000;
const CONFIG_SIZE: usize = 0x1_C000;
const RING_AT: u64 = 0x2_0000;
const SLOT: usize = 1024;
const LISTED_MAX: usize = 8;

pub(crate) fn run(data: &[u8]) -> bool {
    let [flags, pieces @ ..] = data else {
        return false;
    };
    let pieces = tree::split(pieces);
    let find = |at| pieces.iter().find(|(sector, _)| *sector == at);
    let configs = CONFIGS.map(find);
    let mut image = SparseImage::new(SIZE);
    tree::lay(&mut image, &pieces, UBERBLOCK);
    let mut images = Vec::new();
    for (index, config) in configs.into_iter().enumerate() {
        let Some((_, config)) = config else { continue };
        let mut image = image.clone();
        let uberblock = find(UBERBLOCK).map_or(&[][..], |(_, bytes)| bytes);
        label(&mut image, config, uberblock, put::endian(*flags));
        images.push((format!("device{index}"), image));
    }
    let (rt, devices) = tidepool::sim::devices(images, 1);
    rt.block_on(async {
        let found = scan(&devices).await;
        assert!(found.pools.len() <= devices.len());
        match Pool::open(&devices, &OpenOptions::default()).await {
            Ok(pool) => {
                look(&pool).await;
                true
            }
            Err(e) => {
                assert!(!e.message().is_empty() && matches!(e.exit_code(), 1..=3));
                false
            }
        }
    })
}

fn label(image: &mut SparseImage, config: &[u8], uberblock: &[u8], endian: Endian) {
    for (at, size, bytes) in [(CONFIG_AT, CONFIG_SIZE, config), (RING_AT, SLOT, uberblock)] {
        let mut area = vec![0; size];
        let len = bytes.len().min(size - 40);
        area[..len].copy_from_slice(&bytes[..len]);
        seal_embedded(&mut area, [at, 0, 0, 0], endian);
        image.write(at, &area);
    }
}

/// Asks everything that can be asked. What is wrong may be an error, never more than that.
async fn look(pool: &Pool) {
    let _ = (pool.overview(), pool.config());
    let _ = (pool.history().await, pool.logs().await);
    if let Ok(map) = pool.map().await {
        let _ = view::print_map(&map, 3, 80);
        let all = map.vdevs.iter().flat_map(|v| v.metaslabs.iter().map(|m| (v.id, m)));
        for (vdev, metaslab) in all.take(LISTED_MAX) {
            let id = metaslab.id;
            let range = metaslab.offset..metaslab.offset.saturating_add(metaslab.size);
            let _ = pool.strip(vdev, id, range, 100, 10).await;
            let _ = pool.segments(vdev, id).await;
            let _ = pool.tree_node(vdev, id, &[0]).await;
        }
    }
    for dataset in pool.datasets().await.iter().flatten().take(LISTED_MAX) {
        let name = dataset.name.as_str();
        for object in pool.objects(name, ObjectId(0), 20).await.iter().flatten() {
            let _ = pool.object(name, object.id, true).await;
        }
        let _ = pool.stat(name, "/dir/file").await;
        for file in pool.list(name, "/").await.iter().flatten().take(LISTED_MAX) {
            let _ = pool.read(name, &format!("/{}", file.name), 3, 4096).await;
        }
    }
    let options = CheckOptions { all_copies: true, sizes: true, ..CheckOptions::default() };
    let _ = pool.check(&options, &mut |_| true).await;
}

fn list(pairs: Vec<(&str, NvValue)>) -> Nvlist {
    Nvlist::from_pairs(pairs.into_iter().map(|(n, v)| (n.to_string(), v)).collect())
}

fn int(n: u64) -> NvValue {
    NvValue::Int(8, n)
}

/// The only top-level vdev: a file, or a mirror of two.
fn top(sides: u64) -> Nvlist {
    let file = |guid: u64| {
        let path = NvValue::Text(format!("/dev/{guid}"));
        vec![("type", NvValue::Text("file".into())), ("guid", int(guid)), ("path", path)]
    };
    let mut top = match sides {
        1 => file(11),
        _ => {
            let children = (11..11 + sides).map(|guid| list(file(guid))).collect();
            let children = NvValue::Lists(children);
            vec![("type", NvValue::Text("mirror".into())), ("guid", int(5)), ("children", children)]
        }
    };
    let rest = [("id", 0), ("ashift", 9), ("asize", SIZE - FRONT_RESERVE - (512 << 10))];
    let space = [("metaslab_array", 11), ("metaslab_shift", 24)];
    top.extend(rest.into_iter().chain(space).map(|(name, n)| (name, int(n))));
    list(top)
}

/// Label configuration of device `guid`, or that of the MOS for guid 0.
fn config(guid: u64, sides: u64) -> Vec<u8> {
    let root = || {
        let children = NvValue::Lists(vec![top(sides)]);
        let kind = NvValue::Text("root".into());
        list(vec![("type", kind), ("id", int(0)), ("guid", int(1)), ("children", children)])
    };
    let mut pairs = vec![("version", int(28)), ("name", NvValue::Text("tank".into()))];
    let numbers = [("state", 0), ("txg", 77), ("pool_guid", 1), ("vdev_children", 1)];
    pairs.extend(numbers.map(|(name, n)| (name, int(n))));
    if guid == 0 {
        pairs.push(("vdev_tree", NvValue::List(root())));
    } else {
        pairs.push(("guid", int(guid)));
        pairs.push(("top_guid", int(if sides == 1 { 11 } else { 5 })));
        pairs.push(("vdev_tree", NvValue::List(top(sides))));
    }
    list(pairs).to_xdr()
}

fn seed(flags: u8, sides: u64, e: Endian) -> Vec<u8> {
    let guids: u64 = 1 + (0..sides).map(|i| 11 + i).sum::<u64>() + if sides > 1 { 5 } else { 0 };
    let uberblock = Uberblock {
        endian: e,
        version: 28,
        txg: Txg(77),
        guid_sum: guids,
        timestamp: 1_700_000_000,
        rootbp: Blkptr::from_words(pointer(11, 0, 0, 1024, e)),
        software_version: 28,
        has_mmp: false,
        mmp_delay: 0,
        mmp_config: 0,
        mmp_seq: 0,
        checkpoint_txg: Txg(0),
        raidz_reflow_info: 0,
    };
    let packed = config(0, sides);
    let mut length = Put::zeros(8, e);
    length.u64(0, packed.len() as u64);
    let mut pieces: Pieces = tree::pool_pieces(e, &length.bytes, packed);
    pieces.push((UBERBLOCK, uberblock.to_slot(1024, 0)[..216].to_vec()));
    for side in 0..sides {
        pieces.push((CONFIGS[side as usize], config(11 + side, sides)));
    }
    tree::join(flags, &pieces)
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    vec![seed(0, 1, Endian::Little), seed(1, 2, Endian::Big)]
}
