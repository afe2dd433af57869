//! Input: a number of a structure, flags, then its bytes: bonus buffers, log records, history.

use super::nvlist;
use super::put::{Put, endian};
use tidepool::base::Endian;
use tidepool::format as f;
use tidepool::zil::describe_record;

pub(crate) fn run(data: &[u8]) -> bool {
    let [kind, flags, bytes @ ..] = data else {
        return false;
    };
    let endian = endian(*flags);
    match kind % 10 {
        0 => f::DslDirPhys::parse(bytes, endian).is_ok(),
        1 => f::DslDatasetPhys::parse(bytes, endian).is_ok(),
        2 => f::DeadlistPhys::parse(bytes, endian).is_ok(),
        3 => f::BpobjPhys::parse(bytes, endian).is_ok(),
        4 => f::SpaceMapPhys::parse(bytes, endian).is_ok(),
        5 => f::FileAttributes::from_znode(bytes, endian).is_ok(),
        6 => attributes(bytes),
        7 => log(bytes, endian),
        8 => history(bytes, endian),
        _ => gang(bytes),
    }
}

/// The header at the start of a vdev, of a gang born in txg 4.
fn gang(bytes: &[u8]) -> bool {
    let mut words = [0; 16];
    words[10] = 4;
    f::parse_gang_header(bytes, &f::Blkptr::from_words(words)).is_ok()
}

/// Number, name, length and layout of the attributes that the seed has.
fn tables() -> f::SaTables {
    let entry = |name: &str, ints: Vec<u64>| f::ZapEntry {
        name: name.as_bytes().to_vec(),
        value: f::ZapValue { int_size: 8, ints },
        cd: 0,
        hash: None,
    };
    let attribute = |name, number: u64, length: u64| entry(name, vec![number | length << 24]);
    let registry = [
        attribute("ZPL_MODE", 5, 8),
        attribute("ZPL_SIZE", 6, 8),
        attribute("ZPL_MTIME", 1, 16),
        attribute("ZPL_SYMLINK", 17, 0),
        attribute("ZPL_DXATTR", 20, 0),
    ];
    let layouts = [entry("2", vec![5, 6, 1]), entry("3", vec![5, 6, 17, 20])];
    f::SaTables::parse(&registry, &layouts).expect("sound tables")
}

fn attributes(bytes: &[u8]) -> bool {
    let tables = tables();
    let mut found = f::FileAttributes::default();
    if let Ok((_, parts)) = tables.split(bytes) {
        let total: usize = parts.iter().map(|(_, b)| b.len()).sum();
        assert!(total <= bytes.len(), "attributes overlap");
    }
    found.absorb_sa(&tables, bytes).is_ok()
}

fn log(bytes: &[u8], endian: Endian) -> bool {
    let _ = f::ZilHeader::parse(bytes, endian);
    let (records, damage) = f::parse_zil_records(bytes, endian);
    for record in &records {
        assert!(describe_record(record, endian).len() < 4096 + 4 * bytes.len());
    }
    !records.is_empty() && damage.is_none()
}

fn history(bytes: &[u8], endian: Endian) -> bool {
    if let Ok(phys) = f::HistoryPhys::parse(bytes, endian) {
        for offset in [0, 1, u64::MAX] {
            let _ = phys.physical(offset);
        }
    }
    let (mut rest, mut good) = (bytes, false);
    while let Some((record, length)) = f::parse_history_record(rest) {
        assert!(length > 0, "no progress");
        good |= record.is_ok();
        rest = rest.get(length..).unwrap_or(&[]);
    }
    good
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (flags, endian) in [(0, Endian::Little), (1, Endian::Big)] {
        let mut seed = |kind: u8, bytes: &[u8]| seeds.push([&[kind, flags], bytes].concat());
        let counted = |len: usize| {
            let mut out = Put::zeros(len, endian);
            (0..len as u64 / 8).for_each(|i| {
                out.u64(8 * i as usize, i + 1);
            });
            out.bytes
        };
        seed(0, &counted(256));
        seed(1, &counted(320));
        seed(2, &counted(320));
        seed(3, &counted(56));
        seed(4, &counted(320));
        seed(5, &counted(264));
        let mut sa = Put::zeros(56, endian);
        sa.u32(0, 0x2F_505A).u16(4, 3 | 2 << 10).u16(6, 6).u16(8, 10);
        sa.u64(16, 0o100_644).u64(24, 5).at(32, b"target");
        seed(6, &sa.bytes);
        let mut log = Put::zeros(136, endian);
        log.words(0, &[9, 72, 4, 1, 34, 0, 8]).at(64, b"contents");
        log.words(72, &[5, 64, 4, 2, 34]).at(112, b"name");
        seed(7, &log.bytes);
    }
    let packed = nvlist::sample().to_native(Endian::Little);
    let length = (packed.len() as u64).to_le_bytes();
    seeds.push([&[8, 0], length.as_slice(), &packed].concat());
    seeds
}
