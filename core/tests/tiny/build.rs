//! A whole pool in memory, small enough to understand: one file vdev, one file system, one file.
//!
//! ```text
//!   labels -> uberblock -> MOS -> object directory, configuration, root directory, $MOS, head
//!                                 data set, metaslab array, space map, two empty lists
//!                              -> ZPL -> master node, root directory, file, delete queue
//! ```
//!
//! Blocks are stored uncompressed, one copy each, with fletcher4. A space map must name the space
//! of everything, itself too, so a pool is built twice: once to measure, once for good. `damage`
//! may change the contents of any block before its checksum is taken, so that hostile contents
//! arrive with a good checksum.

use tidepool::base::{Endian, Txg};
use tidepool::codec::{fletcher4, seal_embedded};
use tidepool::dev::SparseImage;
use tidepool::format::{Blkptr, NvValue, Nvlist, Uberblock};

pub(crate) const SIZE: u64 = 64 << 20;
pub(crate) const POOL_GUID: u64 = 0x1111_2222_3333_4444;
pub(crate) const LEAF_GUID: u64 = 0x5555_6666_7777_8888;
pub(crate) const TXG: u64 = 9;
pub(crate) const TEXT: &[u8] = b"The tide pool is small, and everything in it is in sight.\n";
const FRONT: u64 = 4 << 20;
const BLOCK: usize = 512;

/// Changes the contents of block number `.0` before they are sealed.
pub(crate) type Damage<'a> = dyn FnMut(u32, &mut Vec<u8>) + 'a;

/// Figures that only a finished pool knows.
#[derive(Clone, Copy, Default)]
struct Figures {
    mos: u64,
    data: u64,
}

struct Builder<'a> {
    image: SparseImage,
    endian: Endian,
    next: u64,
    count: u32,
    damage: &'a mut Damage<'a>,
}

/// A pool in byte order `endian`.
pub(crate) fn pool(endian: Endian, damage: &mut Damage<'_>) -> SparseImage {
    let mut quiet = |_: u32, _: &mut Vec<u8>| {};
    let (_, figures) = build(endian, Figures::default(), &mut quiet);
    build(endian, figures, &mut |n, bytes| damage(n, bytes)).0
}

fn build(endian: Endian, figures: Figures, damage: &mut Damage<'_>) -> (SparseImage, Figures) {
    let mut b = Builder {
        image: SparseImage::new(SIZE),
        endian,
        next: 0,
        count: 0,
        damage: &mut |n, bytes| damage(n, bytes),
    };
    let (zpl, objects) = b.file_system();
    let data = b.next;
    let mos = b.mos(zpl, objects, figures);
    let found = Figures { mos: b.next - data, data };
    b.labels(mos);
    (b.image, found)
}

impl Builder<'_> {
    fn words(&self, words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|&w| self.endian.bytes_u64(w)).collect()
    }

    fn half(&self, n: u16) -> [u8; 2] {
        match self.endian {
            Endian::Little => n.to_le_bytes(),
            Endian::Big => n.to_be_bytes(),
        }
    }

    /// Stores a block of type `kind` and answers the pointer to it.
    fn block(&mut self, kind: u8, fill: u64, mut bytes: Vec<u8>) -> Blkptr {
        let size = bytes.len().next_multiple_of(BLOCK);
        bytes.resize(size, 0);
        (self.damage)(self.count, &mut bytes);
        bytes.resize(size, 0);
        self.count += 1;
        let sum = fletcher4(self.endian, &bytes);
        self.image.write(FRONT + self.next, &bytes);
        let sectors = size as u64 / 512;
        let mut words = [0; 16];
        words[0] = sectors;
        words[1] = self.next / 512;
        let little = u64::from(self.endian == Endian::Little);
        let sizes = (sectors - 1) | (sectors - 1) << 16;
        words[6] = sizes | 2 << 32 | 7 << 40 | u64::from(kind) << 48 | little << 63;
        words[10] = TXG;
        words[11] = fill;
        words[12..].copy_from_slice(&sum);
        self.next += size as u64;
        Blkptr::from_words(words)
    }

    /// An object of one block.
    fn object(&mut self, kind: u8, bonus_kind: u8, bonus: &[u8], data: Vec<u8>) -> Vec<u8> {
        let size = data.len().next_multiple_of(BLOCK).max(BLOCK);
        let bp = match data.is_empty() {
            true => Blkptr::HOLE,
            false => self.block(kind, 1, data),
        };
        self.dnode(kind, size, bonus_kind, bonus, 0, bp)
    }

    fn dnode(
        &self,
        kind: u8,
        block: usize,
        bonus_kind: u8,
        bonus: &[u8],
        last: u64,
        bp: Blkptr,
    ) -> Vec<u8> {
        let mut d = vec![kind, 17, 1, 1, bonus_kind, 0, 2, 1];
        d.extend_from_slice(&self.half((block / 512) as u16));
        d.extend_from_slice(&self.half(bonus.len() as u16));
        d.resize(16, 0);
        d.extend_from_slice(&self.words(&[last, bp.asize()]));
        d.resize(64, 0);
        d.extend_from_slice(&bp.to_bytes(self.endian));
        d.extend_from_slice(bonus);
        assert!(d.len() <= 512, "the bonus fits");
        d.resize(512, 0);
        d
    }

    fn micro_zap(&self, entries: &[(&str, u64)]) -> Vec<u8> {
        let mut zap = self.words(&[0x8000_0000_0000_0003, 7, 0, 0, 0, 0, 0, 0]);
        for (name, value) in entries {
            zap.extend_from_slice(&self.words(&[*value]));
            zap.extend_from_slice(&[0; 6]);
            let mut field = [0; 50];
            field[..name.len()].copy_from_slice(name.as_bytes());
            zap.extend_from_slice(&field);
        }
        zap
    }

    fn zap(&mut self, kind: u8, entries: &[(&str, u64)]) -> Vec<u8> {
        let zap = self.micro_zap(entries);
        self.object(kind, 0, &[], zap)
    }

    /// An object set of `kind` over `objects`, the first of which is number 1.
    fn objset(&mut self, kind: u64, objects: &[Option<Vec<u8>>]) -> Blkptr {
        let mut slots = vec![0; 512];
        for object in objects {
            slots.extend_from_slice(object.as_deref().unwrap_or(&[0; 512]));
        }
        slots.resize(slots.len().next_multiple_of(16 << 10), 0);
        let count = objects.iter().flatten().count() as u64;
        let bp = self.block(10, count, slots);
        let mut root = self.dnode(10, 16 << 10, 0, &[], 0, bp);
        root.resize(704, 0);
        root.extend_from_slice(&self.words(&[kind]));
        root.resize(1024, 0);
        self.block(11, count, root)
    }

    fn znode(&self, mode: u64, size: u64, links: u64) -> Vec<u8> {
        let mut words = [0; 33];
        words[2..4].copy_from_slice(&[1_700_000_000, 5]);
        words[8..14].copy_from_slice(&[TXG, mode, size, 2, links, 0]);
        words[16..18].copy_from_slice(&[1000, 100]);
        self.words(&words)
    }

    fn file_system(&mut self) -> (Blkptr, u64) {
        let master = self.zap(21, &[("ROOT", 2), ("VERSION", 4), ("DELETE_QUEUE", 4)]);
        let entries = self.micro_zap(&[("file.txt", 3 | 8 << 60)]);
        let bonus = self.znode(0o040_755, 3, 2);
        let root = self.object(20, 17, &bonus, entries);
        let bonus = self.znode(0o100_644, TEXT.len() as u64, 1);
        let file = self.object(19, 17, &bonus, TEXT.to_vec());
        let queue = self.zap(22, &[]);
        let objects = [master, root, file, queue].map(Some);
        (self.objset(2, &objects), objects.len() as u64)
    }

    fn directory(&mut self, words: &[(usize, u64)]) -> Vec<u8> {
        self.bonus_only(12, 32, words)
    }

    fn bonus_only(&mut self, kind: u8, length: usize, words: &[(usize, u64)]) -> Vec<u8> {
        let mut bonus = vec![0; length];
        for &(index, word) in words {
            bonus[index] = word;
        }
        let bonus = self.words(&bonus);
        self.object(kind, kind, &bonus, Vec::new())
    }

    fn head(&mut self, zpl: Blkptr, used: u64) -> Vec<u8> {
        let mut words = vec![(0, 2), (4, 9), (6, 1_700_000_000), (7, 1), (8, 10), (14, 77)];
        words.extend([(9, used), (10, used), (11, used), (12, used)]);
        let bytes = zpl.to_bytes(self.endian);
        words.extend((16..).zip(self.endian.words(&bytes)));
        self.bonus_only(16, 40, &words)
    }

    fn mos(&mut self, zpl: Blkptr, _objects: u64, f: Figures) -> Blkptr {
        let directory = [
            ("root_dataset", 2),
            ("config", 3),
            ("features_for_read", 4),
            ("features_for_write", 5),
            ("deflate", 1),
            ("sync_bplist", 14),
            ("free_bpobj", 15),
        ];
        let all = f.data + f.mos;
        let root = [(0, 1_700_000_000), (1, 7), (4, 8), (10, 6), (5, all), (6, all), (7, all)];
        let parts = [(12, 1), (13, f.data), (15, f.mos)];
        let own = [(2, 2), (5, f.mos), (6, f.mos), (7, f.mos), (12, 1), (13, f.mos)];
        let config = self.config();
        let packed = self.words(&[config.len() as u64]);
        let array = self.words(&[13, 0, 0]);
        let entry = (all / 512).saturating_sub(1);
        let map = self.words(&[entry]);
        let map_head = self.words(&[13, 8, all]);
        let objects = [
            self.zap(1, &directory),
            self.directory(&[&root[..], &parts].concat()),
            self.object(3, 4, &packed, config),
            self.zap(196, &[]),
            self.zap(196, &[]),
            self.zap(15, &[("compression", 15), ("atime", 0)]),
            self.head(zpl, f.data),
            self.zap(13, &[("$MOS", 11)]),
            self.zap(14, &[]),
            self.bonus_only_typed(50, 51, 40),
            self.directory(&own),
            self.object(2, 0, &[], array),
            self.object(8, 7, &map_head, map),
            self.bonus_only_typed(5, 6, 6),
            self.bonus_only_typed(5, 6, 6),
        ];
        self.objset(1, &objects.map(Some))
    }

    fn bonus_only_typed(&mut self, kind: u8, bonus_kind: u8, words: usize) -> Vec<u8> {
        let bonus = self.words(&vec![0; words]);
        let data = if kind == 50 { self.micro_zap(&[]) } else { Vec::new() };
        self.object(kind, bonus_kind, &bonus, data)
    }

    fn leaf(&self) -> Nvlist {
        list(&[
            ("type", text("file")),
            ("id", number(0)),
            ("guid", number(LEAF_GUID)),
            ("path", text("/pool/disk")),
            ("metaslab_array", number(12)),
            ("metaslab_shift", number(24)),
            ("ashift", number(9)),
            ("asize", number(SIZE - 0x48_0000)),
            ("is_log", number(0)),
        ])
    }

    fn common(&self) -> Vec<(&'static str, NvValue)> {
        vec![
            ("version", number(5000)),
            ("name", text("tiny")),
            ("state", number(1)),
            ("txg", number(TXG)),
            ("pool_guid", number(POOL_GUID)),
            ("hostname", text("nowhere")),
            ("vdev_children", number(1)),
        ]
    }

    fn config(&self) -> Vec<u8> {
        let root = list(&[
            ("type", text("root")),
            ("id", number(0)),
            ("guid", number(POOL_GUID)),
            ("children", NvValue::Lists(vec![self.leaf()])),
        ]);
        let mut pairs = self.common();
        pairs.push(("vdev_tree", NvValue::List(root)));
        list(&pairs).to_xdr()
    }

    fn labels(&mut self, rootbp: Blkptr) {
        let mut pairs = self.common();
        pairs.push(("top_guid", number(LEAF_GUID)));
        pairs.push(("guid", number(LEAF_GUID)));
        pairs.push(("vdev_tree", NvValue::List(self.leaf())));
        pairs.push(("features_for_read", NvValue::List(Nvlist::default())));
        let mut config = list(&pairs).to_xdr();
        config.resize(112 << 10, 0);
        let uberblock = uberblock(self.endian, rootbp);
        for label in [0, 256 << 10, SIZE - (512 << 10), SIZE - (256 << 10)] {
            let mut config = config.clone();
            seal_embedded(&mut config, [label + (16 << 10), 0, 0, 0], self.endian);
            self.image.write(label + (16 << 10), &config);
            let slot = label + (128 << 10) + TXG * 1024;
            self.image.write(slot, &uberblock.to_slot(1024, slot));
        }
    }
}

fn uberblock(endian: Endian, rootbp: Blkptr) -> Uberblock {
    Uberblock {
        endian,
        version: 5000,
        txg: Txg(TXG),
        guid_sum: POOL_GUID.wrapping_add(LEAF_GUID),
        timestamp: 1_700_000_123,
        rootbp,
        software_version: 5000,
        has_mmp: false,
        mmp_delay: 0,
        mmp_seq: 0,
        mmp_config: 0,
        checkpoint_txg: Txg(0),
        raidz_reflow_info: 0,
    }
}

pub(crate) fn list(pairs: &[(&str, NvValue)]) -> Nvlist {
    let pairs = pairs.iter().map(|(n, v)| ((*n).to_owned(), v.clone()));
    Nvlist::from_pairs(pairs.collect())
}

pub(crate) fn number(n: u64) -> NvValue {
    NvValue::Int(8, n)
}

pub(crate) fn text(s: &str) -> NvValue {
    NvValue::Text(s.to_owned())
}
