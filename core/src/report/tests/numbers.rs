//! Words into numbers and back.

use crate::report::text::{
    bytes_text, cell, decimal, integer, is_rule, lines, nice, nice_slack, normalise, percent,
    time_ns, time_text, wrapped,
};
use std_alloc::string::String;
use std_alloc::vec::Vec;

#[test]
fn whole_numbers() {
    let check = |word: &str, expect: Option<u64>| assert_eq!(integer(word), expect, "{word}");
    check("0", Some(0));
    check("0x1f", Some(31));
    check("1,234,567", Some(1_234_567));
    check("1.234.567", Some(1_234_567));
    check("12,", Some(12));
    check("18446744072731425348", Some(18_446_744_072_731_425_348));
    check("18446744073709551616", None);
    check("1,23", None);
    check("1.5", None);
    check("", None);
    check("-3", None);
    check("0x", None);
    check("12a", None);
}

#[test]
fn counters_below_zero() {
    assert_eq!(wrapped(18_446_744_072_731_425_348), Some(-978_126_268));
    assert_eq!(wrapped(5), None);
}

#[test]
fn sizes_with_units() {
    let check = |word: &str, expect: Option<f64>| assert_eq!(nice(word), expect, "{word}");
    check("512", Some(512.0));
    check("16M", Some(16_777_216.0));
    check("1.5K", Some(1536.0));
    check("1,5K", Some(1536.0));
    check("4,64T", Some(4.64 * 1_099_511_627_776.0));
    check("1.2KiB", Some(1228.8));
    check("4096B", Some(4096.0));
    check("M", None);
    check("-", None);
    check("1.2.3M", None);
    check("12ms", None);
    assert_eq!(nice_slack("3.13G"), 1_073_741_824.0 / 100.0);
    assert_eq!(nice_slack("600M"), 1_048_576.0);
}

#[test]
fn times_and_percentages() {
    let check = |word: &str, expect: Option<f64>| assert_eq!(time_ns(word), expect, "{word}");
    check("105ns", Some(105.0));
    check("41ms", Some(41e6));
    check("1,5s", Some(1.5e9));
    check("2\u{b5}s", Some(2e3));
    check("2", None);
    check("sda", None);
    assert_eq!(percent("84.7%"), Some(84.7));
    assert_eq!(percent("-nan%"), None);
    assert_eq!(cell("-nan%"), Some(None));
    assert_eq!(cell("-"), Some(None));
    assert_eq!(cell("abc"), None);
    assert_eq!(decimal("11,4"), Some(11.4));
}

#[test]
fn numbers_for_people() {
    let check = |ns: f64, expect: &str| assert_eq!(time_text(ns), expect);
    check(105.0, "105 ns");
    check(281e6, "281 ms");
    check(9_676_628_100.0, "9.68 s");
    check(41.0 * 60e9, "41 min");
    assert_eq!(bytes_text(47_314_559_303.0), "44.1 GiB");
    assert_eq!(bytes_text(4_294_967_296.0), "4 GiB");
    assert_eq!(bytes_text(0.0), "0 B");
}

#[test]
fn what_terminals_add_is_taken_away() {
    let (text, cut) = normalise("\u{feff}a\tb\r\n\u{1b}[1;31mred\u{1b}[0m\0x\rnew\u{a0}y");
    let lines: Vec<&str> = text.lines().collect();
    assert!(!cut);
    assert_eq!(lines, ["a        b", "red x", "new y"]);
}

#[test]
fn rows_glued_by_a_terminal_come_apart() {
    let blanks: String = " ".repeat(60);
    let glued = std_alloc::format!("tank 1T 2T 0 5 0 3M{blanks}tank 1T 2T 0 6 0 4M");
    let (split, _) = lines(&glued);
    let texts: Vec<&str> = split.iter().map(|l| l.text).collect();
    assert_eq!(texts, ["tank 1T 2T 0 5 0 3M", "tank 1T 2T 0 6 0 4M"]);
    assert!(split.iter().all(|l| l.number == 1));
    let wide = std_alloc::format!("name{blanks}capacity");
    assert_eq!(lines(&wide).0.len(), 1);
}

#[test]
fn rules_are_dashes() {
    let check = |text: &str, expect: bool| assert_eq!(is_rule(text), expect, "{text}");
    check("-----  ----", true);
    check("---", true);
    check("- - -", false);
    check("--a--", false);
    check("", false);
    check("____  ____", true);
}
