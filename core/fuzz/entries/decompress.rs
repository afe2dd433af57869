//! Input: compression number, two bytes of length, then packed bytes.

use tidepool::codec::{Compression, compress, decompress};

const STEP: usize = 16;

pub(crate) fn run(data: &[u8]) -> bool {
    let [id, high, low, packed @ ..] = data else {
        return false;
    };
    let Some(kind) = Compression::from_id(*id) else {
        return false;
    };
    let lsize = (usize::from(u16::from_be_bytes([*high, *low])) + 1) * STEP;
    let unpacked = decompress(kind, packed, lsize);
    if let Ok(bytes) = &unpacked {
        assert_eq!(bytes.len(), lsize, "{kind} gave another length");
    }
    // What the packer makes of any bytes must come back, whatever they are.
    if let Some(again) = compress(kind, packed, usize::MAX) {
        let back = decompress(kind, &again, packed.len());
        assert!(back.is_ok_and(|b| b == packed), "{kind} does not give back what it packed");
    }
    unpacked.is_ok()
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let text = b"the tide comes in, the tide goes out; ".repeat(9);
    let mut data = [text.as_slice(), &[0; 150], b"end"].concat();
    data.resize(data.len().next_multiple_of(STEP), 7);
    let kinds = (0..=16u8).filter_map(Compression::from_id);
    let packed = kinds.filter_map(|kind| Some((kind, compress(kind, &data, usize::MAX)?)));
    let seed = |(kind, packed): (Compression, Vec<u8>)| {
        let steps = (data.len() / STEP - 1) as u16;
        [&[kind.id()], steps.to_be_bytes().as_slice(), &packed].concat()
    };
    packed.map(seed).collect()
}
