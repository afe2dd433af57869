//! Input: a packed name-value list of any encoding.

use tidepool::base::Endian;
use tidepool::format::{NvValue, Nvlist};

pub(crate) fn run(data: &[u8]) -> bool {
    let Ok(list) = Nvlist::parse(data) else {
        return false;
    };
    assert!(list.to_string().len() <= 700 * (data.len() + 1), "text out of proportion");
    assert_eq!(Nvlist::parse(&list.to_xdr()).as_ref(), Ok(&list), "as XDR");
    for endian in [Endian::Little, Endian::Big] {
        // The native form ends texts at their first NUL, so the first round may cut them.
        let cut = Nvlist::parse(&list.to_native(endian)).expect("what was packed unpacks");
        assert_eq!(Nvlist::parse(&cut.to_native(endian)).as_ref(), Ok(&cut), "as {endian:?}");
    }
    true
}

/// A list with each kind of value, two lists deep.
pub(crate) fn sample() -> Nvlist {
    let leaf = |guid| {
        let pairs = [
            ("type", NvValue::Text("file".into())),
            ("guid", NvValue::Int(8, guid)),
            ("ashift", NvValue::Int(8, 12)),
        ];
        Nvlist::from_pairs(pairs.map(|(n, v)| (n.to_string(), v)).into())
    };
    let pairs = [
        ("name", NvValue::Text("tank".into())),
        ("txg", NvValue::Int(8, 77)),
        ("flag", NvValue::Flag),
        ("bool", NvValue::Bool(true)),
        ("small", NvValue::Int(23, 9)),
        ("bytes", NvValue::Bytes(vec![1, 2, 3])),
        ("words", NvValue::Ints(16, vec![1, 1 << 40])),
        ("halves", NvValue::Ints(12, vec![1, 2, 3])),
        ("texts", NvValue::Texts(vec!["a".into(), "bcd".into()])),
        ("vdev_tree", NvValue::List(leaf(5))),
        ("children", NvValue::Lists(vec![leaf(6), leaf(7)])),
    ];
    Nvlist::from_pairs(pairs.map(|(n, v)| (n.to_string(), v)).into())
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let list = sample();
    vec![list.to_xdr(), list.to_native(Endian::Little), list.to_native(Endian::Big)]
}
