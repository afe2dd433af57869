//! The decision table.

use crate::report::{RULES, Readings, Rule, Test, decide, fill};
use std_alloc::vec::Vec;

/// Readings that just meet the tests of `rule`.
fn meeting(rule: &Rule) -> Readings {
    let mut readings = Readings::default();
    for test in rule.tests {
        match test {
            Test::AtLeast(name, least) => readings.set(name, *least),
            Test::AtMost(name, most) if !readings.has(name) => readings.set(name, *most),
            Test::AtMost(..) => {}
            Test::Times(over, times, under) => {
                let low = readings.number(under).unwrap_or(1e6);
                readings.set(under, low);
                let high = readings.number(over).unwrap_or(0.0).max(low * times);
                readings.set(over, high);
            }
        }
    }
    // A test may have raised a number after another had compared it.
    for test in rule.tests {
        if let Test::Times(over, times, under) = test {
            let low = readings.number(under).unwrap_or(1e6);
            let high = readings.number(over).unwrap_or(0.0).max(low * times);
            readings.set(over, high);
        }
    }
    readings
}

#[test]
fn every_rule_can_give_the_verdict() {
    for rule in RULES {
        let readings = meeting(rule);
        let first = decide(&readings).next();
        let first = first.expect("a rule whose tests are met applies");
        assert_eq!(first.id, rule.id, "{readings:?}");
        assert_eq!(first.next, rule.next);
    }
}

#[test]
fn a_test_just_missed_does_not_hold() {
    for rule in RULES {
        for test in rule.tests {
            let mut readings = meeting(rule);
            match test {
                Test::AtLeast(name, least) => readings.set(name, least - 1e-9 - least * 1e-6),
                Test::AtMost(name, most) => readings.set(name, most + 1e-9 + most * 1e-6),
                Test::Times(over, ..) => readings.set(over, 0.0),
            }
            assert!(!test.holds(&readings), "{}: {test:?}", rule.id);
        }
    }
}

#[test]
fn no_reading_no_verdict() {
    assert_eq!(decide(&Readings::default()).next(), None);
}

#[test]
fn only_the_first_rule_of_a_topic_is_told() {
    let mut readings = Readings::default();
    readings.set("empty_share", 1.0);
    readings.set("empty_otime_ns", 20_000.0);
    readings.set("otime_ns", 5e9);
    readings.set("stime_max_ns", 1e6);
    let ids: Vec<&str> = decide(&readings).map(|v| v.id).collect();
    assert_eq!(ids, ["forced empty, at once"]);
}

#[test]
fn sentences_are_filled() {
    let mut readings = Readings::default();
    readings.set("a", 0.5);
    readings.set("b", 1536.0);
    readings.say("who", "sda");
    let check = |template: &str, expect: &str| assert_eq!(fill(template, &readings), expect);
    check("{a:p} of {b:b} by {who:s}", "50.0% of 1.50 KiB by sda");
    check("{none:n}, {nobody:s}", "?, ?");
    check("open { brace", "open { brace");
    check("{b:t} {b:x} {b:f} {b:n}", "1.54 us 1536.00 1536.0 1536");
}

#[test]
fn no_placeholder_has_an_unknown_form() {
    for rule in RULES {
        for piece in rule.verdict.split('{').skip(1) {
            let inside = piece.split('}').next().unwrap_or("");
            let form = inside.split(':').nth(1).unwrap_or("");
            assert!(["t", "b", "n", "x", "p", "f", "s"].contains(&form), "{}: {inside}", rule.id);
        }
        let doubled = RULES.iter().filter(|r| r.id == rule.id).count();
        assert_eq!(doubled, 1, "{}", rule.id);
    }
}
