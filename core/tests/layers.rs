//! The house stands: a folder of `core/src` imports only folders below it, and only what their
//! `mod.rs` gives out. `cargo test -p tidepool-core --test layers -- --nocapture` prints the graph.

mod source;

use source::{code_only, files, read, root, shown};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Every folder of `core/src` with its floor. Same floor: no import of each other.
const FLOORS: [(&str, u8); 23] = [
    ("base", 0),
    ("obs", 1),
    ("codec", 1),
    ("format", 2),
    ("range", 2),
    ("rt", 3),
    ("dev", 4),
    ("sim", 5),
    ("alloc", 5),
    ("vdev", 6),
    ("view", 6),
    ("zio", 7),
    ("cache", 8),
    ("dmu", 9),
    ("dsl", 10),
    ("zil", 11),
    ("spa", 12),
    ("zpl", 13),
    ("zvol", 13),
    ("scan", 13),
    ("pool", 15),
    ("report", 16),
    ("scenario", 16),
];

fn floor(folder: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == folder).map(|f| f.1)
}

/// One path that starts with `crate::`: line, folder, and the segments behind the folder.
struct Import {
    line: usize,
    folder: String,
    rest: Vec<String>,
}

/// All `crate::` paths of a file; a braced list of a `use` counts as one path for each part.
fn imports(code: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].bytes().last();
        if before.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        for path in expand(&code[at + "crate::".len()..]) {
            let mut segments = path.into_iter();
            let Some(folder) = segments.next() else {
                continue;
            };
            let rest = segments.collect();
            found.push(Import { line, folder, rest });
        }
    }
    found
}

/// The paths that start at the head of `text`: `a::b`, or several from `a::{b, c::d}`.
fn expand(text: &str) -> Vec<Vec<String>> {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        return split_list(list).iter().flat_map(|part| expand(part)).collect();
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    if word.is_empty() {
        return Vec::new();
    }
    let below = rest.strip_prefix("::").map_or_else(Vec::new, expand);
    if below.is_empty() {
        return vec![vec![word.to_owned()]];
    }
    let prefix = |mut path: Vec<String>| {
        path.insert(0, word.to_owned());
        path
    };
    below.into_iter().map(prefix).collect()
}

/// The parts of a braced list whose opening brace is gone, commas inside braces left alone.
fn split_list(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 1;
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match (depth, c) {
            (0, _) => break,
            (1, ',') => parts.push(String::new()),
            _ => parts.last_mut().expect("never empty").push(c),
        }
    }
    parts
}

/// Modules that are public in the `mod.rs` of `folder`; going through them is no shortcut.
fn public_modules(folder: &str) -> BTreeSet<String> {
    let path = root().join("core/src").join(folder).join("mod.rs");
    let code = code_only(&read(&path));
    let lines = code.lines().filter_map(|l| l.trim().strip_prefix("pub mod "));
    lines.map(|l| l.trim_end_matches(';').to_owned()).collect()
}

/// The folder of `core/src` that a file lies in; `None` for `lib.rs`.
fn folder_of(path: &Path) -> Option<String> {
    let inside = path.strip_prefix(root().join("core/src")).ok()?;
    let mut parts = inside.components();
    let first = parts.next()?.as_os_str().to_string_lossy().into_owned();
    parts.next().map(|_| first)
}

fn judge(home: &str, import: &Import, public: &BTreeSet<String>) -> Option<String> {
    let Import { folder, rest, .. } = import;
    if folder == home {
        return None;
    }
    let (Some(own), Some(other)) = (floor(home), floor(folder)) else {
        return Some(format!("`{folder}` is no floor of the table"));
    };
    if other >= own {
        return Some(format!("`{home}` (floor {own}) imports `{folder}` (floor {other})"));
    }
    let module = rest.first().filter(|_| rest.len() > 1)?;
    let is_module = module.starts_with(|c: char| c.is_ascii_lowercase());
    (is_module && !public.contains(module))
        .then(|| format!("`{folder}::{module}` reaches past what `{folder}/mod.rs` gives out"))
}

#[test]
fn folders_import_downward_only() {
    let mut wrong = Vec::new();
    let mut graph: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    let public: BTreeMap<_, _> = FLOORS
        .iter()
        .filter(|(name, _)| root().join("core/src").join(name).is_dir())
        .map(|(name, _)| ((*name).to_owned(), public_modules(name)))
        .collect();
    for path in files(&root().join("core/src"), &[".rs"]) {
        let Some(home) = folder_of(&path) else {
            continue;
        };
        for import in imports(&code_only(&read(&path))) {
            let none = BTreeSet::new();
            let modules = public.get(&import.folder).unwrap_or(&none);
            if let Some(why) = judge(&home, &import, modules) {
                wrong.push(format!("{}:{}: {why}", shown(&path), import.line));
            }
            if import.folder != home {
                let edges = graph.entry(home.clone()).or_default();
                *edges.entry(import.folder).or_default() += 1;
            }
        }
    }
    print_graph(&graph);
    assert!(graph.len() > 5, "the source was not read");
    assert!(wrong.is_empty(), "{} wrong import(s):\n{}", wrong.len(), wrong.join("\n"));
}

fn print_graph(graph: &BTreeMap<String, BTreeMap<String, u32>>) {
    println!("digraph floors {{");
    for (name, floor) in FLOORS.iter().rev() {
        let Some(edges) = graph.get(*name) else {
            continue;
        };
        for (other, count) in edges {
            println!("  {name} -> {other} [label={count}]; // {floor}");
        }
    }
    println!("}}");
}

#[test]
fn every_folder_has_a_floor_and_a_head() {
    let entries = std::fs::read_dir(root().join("core/src")).expect("core/src exists");
    for path in entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        assert!(floor(&name).is_some(), "core/src/{name} has no floor in tests/layers.rs");
        let head = read(&path.join("mod.rs"));
        assert!(head.starts_with("//! "), "core/src/{name}/mod.rs does not say what it is");
        let said = format!("//! Floor {}:", floor(&name).unwrap_or(0));
        assert!(
            head.starts_with(&said) || head.starts_with("//! Floor of"),
            "core/src/{name}/mod.rs should start with `{said}`"
        );
    }
}

#[test]
fn paths_are_read_out_of_code() {
    let check = |code: &str, expect: &[&str]| {
        let found: Vec<_> = imports(code)
            .iter()
            .map(|i| format!("{}:{} {}", i.line, i.folder, i.rest.join("::")))
            .collect();
        assert_eq!(found, expect, "{code}");
    };
    check("use crate::base::Txg;", &["1:base Txg"]);
    check("\nuse crate::{base::Txg, rt::{Rt, Tag}};", &["2:base Txg", "2:rt Rt", "2:rt Tag"]);
    check("use crate::base::{\n  Txg,\n  Guid,\n};", &["1:base Txg", "1:base Guid"]);
    check("crate::alloc::weight::x()", &["1:alloc weight::x"]);
    check("std_crate::base::x", &[]);
    check("use crate::view::*;", &["1:view "]);
}

#[test]
fn wrong_imports_are_found() {
    let public = BTreeSet::from(["svg".to_owned()]);
    let judge = |home: &str, code: &str| judge(home, &imports(code)[0], &public).is_some();
    assert!(judge("base", "use crate::rt::Rt;"));
    assert!(judge("zpl", "use crate::zvol::Zvol;"));
    assert!(judge("zio", "use crate::vdev::tree::Vdev;"));
    assert!(judge("zio", "use crate::nowhere::X;"));
    assert!(!judge("zio", "use crate::vdev::Vdev;"));
    assert!(!judge("zio", "use crate::vdev::Vdev::Leaf;"));
    assert!(!judge("pool", "use crate::view::svg::map;"));
    assert!(!judge("zio", "use crate::zio::read::x;"));
}
