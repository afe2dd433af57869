//! Texts that nobody would paste.

use crate::base::Prng;
use crate::report::{explain, print};
use std_alloc::string::String;
use std_alloc::vec::Vec;

/// Lines that open a family each; mixed up below.
const SEEDS: [&str; 40] = [
    "Metaslabs:",
    "\tvdev 18446744073709551615 special",
    "\tvdev 0 metaslabs 3 fragmentation 100%",
    "metaslabs 187 offset spacemap free",
    "metaslab 3 offset ffffffffffffffff spacemap 5 free 16E",
    "metaslab 4 offset 0 spacemap 0 free 0",
    "On-disk histogram: fragmentation 99999",
    "63: 18446744073709551615 ****",
    "99: 1 *",
    "smp_alloc = 0xffffffffffffffff",
    "segments 9 maxsize 9E freepct 200%",
    "9 5 0x01 60 4320 8934272774 4241608239489766",
    "18446744073709551615 18446744073709551615 C 1 2 3 4 5 18446744073709551615 1 1 1",
    "1 C 18446744073709551615 1 1 1 1 18446744073709551615 1 1",
    "pool alloc free read write read write",
    "tank 1E 9999999E 1 2 3 4",
    "tank - - - - - -",
    "logs - - - - - -",
    "1ns 1 2 3 4 5 6 7 8 9",
    "137s 9E 9E 9E 9E 9E 9E 9E 9E 9E",
    "req_size ind agg ind agg ind agg ind agg ind agg",
    "512 1 2 3 4 5 6 7 8 9 10",
    "NAME SIZE ALLOC FREE CAP DEDUP HEALTH",
    "tank 0 0 0 0% 1.00x ONLINE",
    "dmu_tx_assigned 4 18446744073709551615",
    "zil_itx_count 4 0",
    "1 us 4 0",
    "metaslab_shift: 64",
    "asize: 18446744073709551615",
    "guid_sum = 18446744073709551615",
    "bp count: 0 ganged count: 9",
    "leaked space: vdev 0, offset 0xffffffffffffffff, size 18446744073709551615",
    "0 L0 0:ffffffffffffffff:ffffffffffffffff 20000L/20000P F=1 B=1/1",
    "1 9E 9E 9E 9E 9E 9E 9E 9E",
    "1674644885 metaslab.c:1:f(): metaslab_load: ms_id 1, loading_time 18446744073709551615 ms, \
     ms_max_size 0, old_weight ffffffffffffffff, new_weight 0",
    "Jan 99 99999 23:59:61.9 ereport.fs.zfs.delay",
    "zio_delay = 0xffffffffffffffff",
    "9999999-99-99.99:99:99 [txg:1] set",
    "write: IOPS=0, BW=0KiB/s",
    "8,0 0 1 0.0 1 Q W 18446744073709551615 + 18446744073709551615 [x]",
];

fn survives(text: &str) {
    let view = explain(text);
    assert!(!view.kind.is_empty());
    assert!(!view.verdict.is_empty(), "{text}");
    assert!(view.not_understood.len() <= 22_000);
    assert!(!print(&view, 1).is_empty());
}

#[test]
fn nothing_and_next_to_nothing() {
    for text in ["", " ", "\n", "\0", "\u{feff}", "-", "---", "\u{1b}[", "\u{1b}", "a", "\r\r\r"] {
        let view = explain(text);
        assert_eq!(view.kind, "unknown");
        assert!(view.next_step.contains("zdb -m"), "{}", view.next_step);
    }
}

#[test]
fn each_opening_line_alone_and_cut_anywhere() {
    for seed in SEEDS {
        for at in 0..=seed.len() {
            survives(seed.get(..at).unwrap_or(""));
        }
    }
}

#[test]
fn opening_lines_in_any_order() {
    let mut prng = Prng::new(7);
    for _ in 0..400 {
        let mut text = String::new();
        for _ in 0..prng.below(30) {
            let line = SEEDS.get(prng.below(40) as usize).copied().unwrap_or("");
            text.push_str(line);
            let end = ["\n", " ", "\t", "\r\n", "                                             "];
            text.push_str(end.get(prng.below(5) as usize).copied().unwrap_or("\n"));
        }
        survives(&text);
    }
}

#[test]
fn letters_digits_and_signs_at_random() {
    let signs: Vec<char> =
        "0123456789abcdefxKMGT%:=[]()<>,.-*_ \n\t\u{1F600}\u{e4}\u{0}#$'\"".chars().collect();
    let mut prng = Prng::new(11);
    for _ in 0..300 {
        let text: String = (0..200)
            .map(|_| signs.get(prng.below(signs.len() as u64) as usize).copied().unwrap_or(' '))
            .collect();
        survives(&text);
    }
}

#[test]
fn long_texts_stay_linear() {
    for seed in SEEDS {
        let text: String = (0..4000).flat_map(|_| [seed, "\n"]).collect();
        survives(&text);
        let line: String = (0..4000).flat_map(|_| [seed, " "]).collect();
        survives(&line);
    }
}

#[test]
fn a_text_beyond_the_limit_is_cut_and_says_so() {
    let text = "x".repeat((16 << 20) + 5);
    let view = explain(&text);
    assert!(view.findings.iter().any(|f| f.text.contains("very long")));
    let many = "\n".repeat(400_010);
    let view = explain(&many);
    assert!(view.findings.iter().any(|f| f.text.contains("very long")));
}
