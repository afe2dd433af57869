//! Lists against bytes that OpenZFS's own library packed, and against hostile ones.
//!
//! [`XDR`] and [`NATIVE`] are one list with every type, packed by libnvpair 2.3.2 on x86.

use super::*;
use crate::base::Prng;
use std_alloc::string::ToString;
use std_alloc::vec;

const XDR: &str = "
    010100000000000000000001000000180000001800000004666c616700000001000000000000001c00000020
    00000004627974650000000200000001ffffffc80000001c0000002000000003693136000000000300000001
    fffffffe0000001c00000020000000037531360000000004000000010000ffff0000001c0000002000000003
    693332000000000500000001fffffffd0000001c0000002000000003753332000000000600000001ee6b2800
    000000200000002000000003693634000000000700000001fffffffffffffffc000000200000002000000003
    753634000000000800000001ffffffffffffffff000000240000002000000006737472696e67000000000009
    00000001000000036162630000000020000000200000000562797465730000000000000a0000000301fe0300
    000000280000002000000004693136730000000b0000000300000003ffffffff000000020000000300000024
    0000002000000004753136730000000c0000000200000002000000010000ffff000000200000002000000004
    693332730000000d0000000100000001fffffffb000000280000002800000004753332730000000e00000003
    0000000300000007ee6b2800000000090000002c0000002800000004693634730000000f0000000200000002
    fffffffffffffff700000000000000090000002c000000280000000475363473000000100000000200000002
    000000000000000b000000000000000c000000340000004000000007737472696e6773000000001100000003
    00000001780000000000000000000007736576656e373700000000240000002000000006687274696d650000
    00000012000000010000011f71fb04cb0000004800000030000000046c697374000000130000000100000000
    000000010000002000000020000000016b000000000000080000000100000000000000010000000000000000
    0000008400000058000000056c69737473000000000000140000000200000000000000010000002000000020
    000000016b000000000000080000000100000000000000010000000000000000000000000000000100000028
    000000280000000b6c6f6e6765722d6e616d6500000000090000000100000001760000000000000000000000
    0000001c0000002000000003796573000000001500000001000000010000001c00000020000000026e6f0000
    0000001500000001000000000000001c0000002000000002693800000000001600000001fffffffa0000001c
    0000002000000002753800000000001700000001fffffffa000000280000002000000005626f6f6c73000000
    0000001800000002000000020000000100000000000000240000002000000003693873000000001900000002
    00000002fffffff900000007000000280000002000000003753873000000001a000000030000000300000008
    ffffffff00000009000000240000002000000006646f75626c6500000000001b000000013ff8000000000000
    0000000000000000
";

const NATIVE: &str = "
    00010000000000000100000018000000050000000000000001000000666c6167000000002000000005000000
    01000000020000006279746500000000c8000000000000002000000004000000010000000300000069313600
    00000000feff000000000000200000000400000001000000040000007531360000000000ffff000000000000
    200000000400000001000000050000006933320000000000fdffffff00000000200000000400000001000000
    06000000753332000000000000286bee00000000200000000400000001000000070000006936340000000000
    fcffffffffffffff200000000400000001000000080000007536340000000000ffffffffffffffff20000000
    070000000100000009000000737472696e67000061626300000000002000000006000000030000000a000000
    627974657300000001fe0300000000002000000005000000030000000b0000006931367300000000ffff0200
    030000002000000005000000020000000c00000075313673000000000100ffff000000002000000005000000
    010000000d0000006933327300000000fbffffff000000002800000005000000030000000e00000075333273
    000000000700000000286bee09000000000000002800000005000000020000000f0000006936347300000000
    f7ffffffffffffff09000000000000002800000005000000020000001000000075363473000000000b000000
    000000000c0000000000000040000000080000000300000011000000737472696e6773000000000000000000
    00000000000000000000000000000000780000736576656e3737000000000000200000000700000001000000
    12000000687274696d650000cb04fb711f010000300000000500000001000000130000006c69737400000000
    000000000100000000000000000000000000000000000000200000000200000001000000080000006b000000
    00000000010000000000000000000000580000000600000002000000140000006c6973747300000000000000
    0000000000000000000000000000000001000000000000000000000000000000000000000000000001000000
    00000000000000000000000000000000200000000200000001000000080000006b0000000000000001000000
    0000000000000000280000000c00000001000000090000006c6f6e6765722d6e616d65000000000076000000
    0000000000000000200000000400000001000000150000007965730000000000010000000000000020000000
    0300000001000000150000006e6f000000000000000000000000000020000000030000000100000016000000
    6938000000000000fa00000000000000200000000300000001000000170000007538000000000000fa000000
    0000000020000000060000000200000018000000626f6f6c7300000001000000000000002000000004000000
    02000000190000006938730000000000f9070000000000002000000004000000030000001a00000075387300
    0000000008ff0900000000002000000007000000010000001b000000646f75626c650000000000000000f83f
    00000000
";

/// The text that libnvpair prints for the list, in the types it prints.
const TEXT: &str = "    flag
    byte: 200
    i16: -2
    u16: 65535
    i32: -3
    u32: 4000000000
    i64: -4
    u64: 18446744073709551615
    string: 'abc'
    bytes[0]: 1
    bytes[1]: 254
    bytes[2]: 3
    i16s[0]: -1
    i16s[1]: 2
    i16s[2]: 3
    u16s[0]: 1
    u16s[1]: 65535
    i32s[0]: -5
    u32s[0]: 7
    u32s[1]: 4000000000
    u32s[2]: 9
    i64s[0]: -9
    i64s[1]: 9
    u64s[0]: 11
    u64s[1]: 12
    strings[0]: 'x'
    strings[1]: ''
    strings[2]: 'seven77'
    list:
        k: 1
    lists[0]:
        k: 1
    lists[1]:
        longer-name: 'v'
    yes: true
    no: false
    i8: -6
    u8: 250
    i8s[0]: -7
    i8s[1]: 7
    u8s[0]: 8
    u8s[1]: 255
    u8s[2]: 9
";

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let digit = |b: u8| char::from(b).to_digit(16).unwrap() as u8;
    let pairs = digits.chunks(2);
    pairs.map(|p| digit(p[0]) << 4 | digit(p[1])).collect()
}

#[test]
fn both_forms_of_every_type_give_the_same_list() {
    let list = Nvlist::parse(&unhex(XDR)).unwrap();
    assert_eq!(Nvlist::parse(&unhex(NATIVE)).unwrap(), list);
    assert_eq!(list.iter().count(), 28);
    let kinds = list.iter().filter_map(|(_, value)| match value {
        NvValue::Int(kind, _) | NvValue::Ints(kind, _) => Some(*kind),
        _ => None,
    });
    let expect = [2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 18, 22, 23, 24, 25, 26, 27];
    assert_eq!(kinds.collect::<Vec<_>>(), expect);
    assert_eq!(list.u64("double"), Some(1.5f64.to_bits()));
    assert_eq!(list.u64("hrtime"), Some(1_234_567_890_123));
    assert_eq!(list.ints("bools"), Some([1, 0].as_slice()));
    assert!(list.has("flag") && !list.has("flags"));
    assert_eq!(list.require_list("list").unwrap().u64("k"), Some(1));
    let error = list.require_text("u64").unwrap_err().to_string();
    assert!(error.ends_with("found no u64"), "{error}");
}

#[test]
fn it_prints_as_openzfs_prints() {
    let mut list = Nvlist::parse(&unhex(XDR)).unwrap();
    list.pairs.retain(|(name, _)| !["hrtime", "bools", "double"].contains(&name.as_str()));
    assert_eq!(list.to_string(), TEXT);
    let deeper = list.indented(8).to_string();
    assert!(deeper.starts_with("        flag\n        byte: 200\n"));
}

#[test]
fn packing_gives_the_bytes_of_openzfs() {
    let list = Nvlist::parse(&unhex(XDR)).unwrap();
    assert_eq!(list.to_xdr(), unhex(XDR));
    let packed = list.to_native(Endian::Little);
    let golden = unhex(NATIVE);
    let differing: Vec<_> = (0..golden.len()).filter(|&i| packed.get(i) != golden.get(i)).collect();
    assert_eq!((packed.len(), differing), (golden.len(), vec![]));
    let big = list.to_native(Endian::Big);
    assert_eq!(big[..12], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(big[12..36], *b"\0\0\0\x18\0\x05\0\0\0\0\0\0\0\0\0\x01flag\0\0\0\0");
    assert_eq!(Nvlist::parse(&big), Ok(list));
}

#[test]
fn every_truncation_is_an_error() {
    for packed in [unhex(XDR), unhex(NATIVE)] {
        for cut in 0..packed.len() {
            assert!(Nvlist::parse(&packed[..cut]).is_err(), "cut at {cut}");
        }
    }
}

#[test]
fn nonsense_ends_in_a_list_or_an_error() {
    let mut rng = Prng::new(1);
    for packed in [unhex(XDR), unhex(NATIVE)] {
        for _ in 0..20_000 {
            let mut bad = packed.clone();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bad.len() as u64) as usize;
                bad[at] = rng.next_u64() as u8;
            }
            let _ = Nvlist::parse(&bad);
        }
    }
}

#[test]
fn depth_and_counts_are_bounded() {
    let nested = |levels: usize| {
        (0..levels).fold(Nvlist::default(), |inner, _| {
            Nvlist::from_pairs(vec![("in".into(), NvValue::List(inner))])
        })
    };
    let check = |levels, expect: bool| {
        let list = nested(levels);
        assert_eq!(Nvlist::parse(&list.to_xdr()).is_ok(), expect, "{levels} XDR");
        let native = list.to_native(Endian::Big);
        assert_eq!(Nvlist::parse(&native).is_ok(), expect, "{levels} native");
    };
    check(32, true);
    check(33, false);
    check(5000, false);
    let array = Nvlist::from_pairs(vec![("n".into(), NvValue::Ints(16, vec![7]))]);
    let mut packed = array.to_xdr();
    let count = packed.len() - 8 - 8 - 4;
    packed[count..count + 4].fill(0xFF);
    packed[count - 4..count].fill(0xFF);
    let error = Nvlist::parse(&packed).unwrap_err().to_string();
    assert!(error.contains("a count that fits the bytes left"), "{error}");
}

#[test]
fn a_name_may_be_long_but_not_endless() {
    let check = |len, good: bool| {
        let list = Nvlist::from_pairs(vec![("n".repeat(len), NvValue::Flag)]);
        let packed = [list.to_xdr(), list.to_native(Endian::Little), list.to_native(Endian::Big)];
        for bytes in packed {
            assert_eq!(Nvlist::parse(&bytes).is_ok(), good, "{len} bytes");
        }
    };
    check(512, true);
    check(513, false);
}
