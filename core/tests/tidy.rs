//! The house rules that a machine can hold: lines, files, functions, letters, heads, words.

mod source;

use source::{code_only, files, read, root, shown};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Columns of a line, as rustfmt has them.
const COLUMNS: usize = 100;
/// Longest line of the page's sources: rustfmt does not break the markup in them.
const MARKUP_COLUMNS: usize = 120;
/// Lines of a function.
const FUNCTION: usize = 70;
/// Lines of a file, its tests apart.
const FILE: usize = 600;
/// Lines of a file with its tests.
const WHOLE_FILE: usize = 1000;

/// Words that name a place outside of the project. In halves, so that this file may hold them.
const FORBIDDEN: [(&str, &str); 10] = [
    ("crates", ".io/"),
    ("static.", "crates.io"),
    ("registry.", "npmjs"),
    ("deb.", "debian.org"),
    ("pypi.", "org"),
    ("/wo", "rk/"),
    ("/ro", "ot/"),
    ("/tmp/", "tp"),
    ("git", "hub.com/"),
    ("TO", "DO:"),
];

fn sources() -> Vec<PathBuf> {
    files(&root(), &[".rs"])
}

fn is_test_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let in_tests = path.components().any(|c| {
        let part = c.as_os_str();
        part == "tests" || part == "benches" || part == "fuzz"
    });
    in_tests || name == "tests.rs" || name.ends_with("_tests.rs")
}

/// Panics with all `wrong`, one a line.
fn expect_none(rule: &str, wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{rule}: {} time(s)\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_whole_workspace_is_looked_at() {
    let found: BTreeSet<String> = sources().iter().map(|p| shown(p)).collect();
    for known in ["core/src/lib.rs", "native-cli/src/main.rs", "web/src/lib.rs", "examples/lib.rs"]
    {
        assert!(found.contains(known), "{known} was not found");
    }
}

/// Rows of expected texts in test files may be as wide as what they expect.
#[test]
fn lines_fit_and_letters_are_plain() {
    let mut wrong = Vec::new();
    for path in files(&root(), &[".rs", ".toml"]) {
        for (number, line) in (1..).zip(read(&path).lines()) {
            let place = format!("{}:{number}", shown(&path));
            let code = path.extension().is_some_and(|e| e == "rs") && !is_test_file(&path);
            let columns =
                if shown(&path).starts_with("web/src") { MARKUP_COLUMNS } else { COLUMNS };
            if line.chars().count() > columns && code {
                wrong.push(format!("{place}: longer than {columns} columns"));
            }
            if let Some(c) = line.chars().find(|c| !c.is_ascii()) {
                wrong.push(format!("{place}: {c:?} is not ASCII"));
            }
            if line.contains('\t') || line.ends_with(' ') {
                wrong.push(format!("{place}: a tab, or blanks at the end"));
            }
        }
    }
    expect_none("lines", wrong);
}

/// Lines before the first module of tests.
fn lines_without_tests(code: &str) -> usize {
    let lines: Vec<&str> = code.lines().collect();
    let tests = lines.iter().position(|line| line.starts_with("#[cfg(test)]"));
    match tests {
        // An attribute on a module that lies in another file hides nothing.
        Some(at) if !lines.get(at + 1).is_some_and(|l| l.ends_with(';')) => at,
        _ => lines.len(),
    }
}

#[test]
fn files_are_short() {
    let mut wrong = Vec::new();
    let mut longest = (0, String::new());
    for path in sources() {
        let text = read(&path);
        let (own, all) = (lines_without_tests(&text), text.lines().count());
        longest = longest.max((own, shown(&path)));
        let allowed = if is_test_file(&path) { WHOLE_FILE } else { FILE };
        if own > allowed || all > WHOLE_FILE {
            wrong.push(format!("{}: {own} lines, {all} with tests", shown(&path)));
        }
    }
    println!("longest file: {} lines, {}", longest.0, longest.1);
    expect_none("files longer than the rule", wrong);
}

/// Name, first line and number of lines of every function in `code`, which holds no literals.
fn functions(code: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        if code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        let name: String =
            code[at + 3..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let Some(end) = body_end(&code[at..]).filter(|_| !name.is_empty()) else {
            continue;
        };
        let first = code[..at].matches('\n').count() + 1;
        let lines = code[at..at + end].matches('\n').count() + 1;
        found.push((name, first, lines));
    }
    found
}

/// Where the body of the function at the head of `code` ends; `None` when it has none.
fn body_end(code: &str) -> Option<usize> {
    let (mut braces, mut others) = (0usize, 0usize);
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => others += 1,
            ')' | ']' => others = others.saturating_sub(1),
            ';' if braces == 0 && others == 0 => return None,
            '{' => braces += 1,
            '}' if braces == 1 => return Some(at),
            '}' => braces = braces.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[test]
fn functions_are_short() {
    let mut wrong = Vec::new();
    let mut longest = (0, String::new());
    for path in sources() {
        for (name, first, lines) in functions(&code_only(&read(&path))) {
            let place = format!("{}:{first}: {name}", shown(&path));
            if lines > FUNCTION {
                wrong.push(format!("{place} has {lines} lines"));
            }
            longest = longest.max((lines, place));
        }
    }
    println!("longest function: {} lines, {}", longest.0, longest.1);
    expect_none("functions longer than the rule", wrong);
}

#[test]
fn every_file_is_a_module_of_something() {
    let mut wrong = Vec::new();
    for folder in ["core/src", "native-cli/src", "native-cli/tasks/src", "web/src"] {
        for path in files(&root().join(folder), &[".rs"]) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if ["lib", "main"].contains(&&*name) || folder.ends_with("bin") {
                continue;
            }
            if !is_declared(&path, &name) {
                wrong.push(format!("{}: no `mod {name};` names it", shown(&path)));
            }
        }
    }
    expect_none("dead files", wrong);
}

/// Whether a parent module of `path` declares it.
fn is_declared(path: &Path, name: &str) -> bool {
    let folder = path.parent().expect("a file lies in a folder");
    let (name, folder) = match name {
        "mod" => {
            let own = folder.file_name().unwrap_or_default().to_string_lossy();
            (own.into_owned(), folder.parent().unwrap_or(folder))
        }
        _ => (name.to_owned(), folder),
    };
    let own = folder.with_extension("rs");
    let parents = ["mod.rs", "lib.rs", "main.rs"].map(|parent| folder.join(parent));
    let declaration = format!("mod {name};");
    let declares = |parent: &PathBuf| {
        let text = std::fs::read_to_string(parent).unwrap_or_default();
        code_only(&text).contains(&declaration) && parent != path
    };
    parents.iter().chain([&own]).any(declares)
}

#[test]
fn every_file_says_what_it_is() {
    let mut wrong = Vec::new();
    for path in sources() {
        let text = read(&path);
        if !text.starts_with("//!") {
            wrong.push(format!("{}: its head does not say what it is", shown(&path)));
        }
    }
    expect_none("heads", wrong);
}

#[test]
fn nothing_names_a_place_outside() {
    let mut wrong = Vec::new();
    let endings = [".rs", ".toml", ".md", ".mjs", ".js", ".html", ".css", "run"];
    for path in files(&root(), &endings) {
        if path.ends_with("core/tests/tidy.rs") {
            continue;
        }
        for (number, line) in (1..).zip(read(&path).lines()) {
            for (head, tail) in FORBIDDEN {
                let word = format!("{head}{tail}");
                if line.contains(&word) {
                    wrong.push(format!("{}:{number}: {word}", shown(&path)));
                }
            }
        }
    }
    expect_none("forbidden words", wrong);
}

#[test]
fn the_core_forbids_what_it_promises_to_forbid() {
    let head = read(&root().join("core/src/lib.rs"));
    for promise in ["#![no_std]", "#![forbid(unsafe_code)]"] {
        assert!(head.contains(promise), "core/src/lib.rs lacks {promise}");
    }
    let mut wrong = Vec::new();
    for path in files(&root().join("core/src"), &[".rs"]) {
        let text = read(&path);
        let code = code_only(&text);
        let own = lines_without_tests(&text);
        for (number, line) in (1..).zip(code.lines().take(own)) {
            for word in ["HashMap", "HashSet", "std::time", "std::fs", "println!", ".unwrap()"] {
                if line.contains(word) && !is_test_file(&path) {
                    wrong.push(format!("{}:{number}: {word}", shown(&path)));
                }
            }
        }
    }
    expect_none("words that the core does without", wrong);
}

#[test]
fn the_command_prints_through_its_gate() {
    let mut wrong = Vec::new();
    for path in files(&root().join("native-cli/src"), &[".rs"]) {
        for (number, line) in (1..).zip(code_only(&read(&path)).lines()) {
            for word in ["print!(", "println!(", "eprintln!(", "dbg!("] {
                if line.contains(word) {
                    wrong.push(format!("{}:{number}: {word}", shown(&path)));
                }
            }
        }
    }
    expect_none("text that passes by `Output`", wrong);
}

#[test]
fn functions_are_measured() {
    let code = "fn a() {\n  b();\n}\ntrait T { fn c(&self); fn d() -> [u8; 2] {\n}}\n";
    let found = functions(code);
    let expect = [("a".to_owned(), 1, 3), ("d".to_owned(), 4, 2)];
    assert_eq!(found, expect);
    assert!(functions("type F = fn (u8);").is_empty());
    assert_eq!(lines_without_tests("a\n#[cfg(test)]\nmod tests {\n}\n"), 1);
    assert_eq!(lines_without_tests("a\n#[cfg(test)]\nmod tests;\nb\n"), 4);
}
