//! Rust source as the tests of the house rules see it: files of the workspace, and a file's text
//! with comments and literals blanked out, so that a rule is not broken by a sentence about it.

use std::path::{Path, PathBuf};

/// The workspace.
pub(crate) fn root() -> PathBuf {
    let core = Path::new(env!("CARGO_MANIFEST_DIR"));
    core.parent().expect("core lies in the workspace").to_owned()
}

/// All files below `folder` that end in one of `endings`, by name; what is built or fetched is
/// left out.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                let built = ["target", "node_modules", "pkg", "corpus", ".git"];
                if !built.contains(&&*name) {
                    todo.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// `path` as people write it, from the workspace on.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// `text` with comments, strings and characters replaced by blanks; lines stay where they are.
pub(crate) fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'/', b'/', ..] => line_end(bytes, at),
            [b'/', b'*', ..] => comment_end(bytes, at),
            [b'"', ..] => string_end(bytes, at + 1),
            [b'r', b'"' | b'#', ..] if !word_before(bytes, at) => raw_end(bytes, at + 1),
            [b'b', b'r', b'"' | b'#', ..] if !word_before(bytes, at) => raw_end(bytes, at + 2),
            [b'\'', ..] => char_end(bytes, at),
            _ => at + 1,
        };
        if end > at + 1 {
            for byte in &mut out[at..end] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        }
        at = end;
    }
    String::from_utf8(out.into_iter().map(|b| if b.is_ascii() { b } else { b'?' }).collect())
        .expect("only ASCII is left")
}

fn word_before(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    at + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
}

fn comment_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0;
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a raw string whose hashes start at `at`, or `at` when none starts there.
fn raw_end(bytes: &[u8], at: usize) -> usize {
    let hashes = bytes[at..].iter().take_while(|&&b| b == b'#').count();
    if bytes.get(at + hashes) != Some(&b'"') {
        return at;
    }
    let mut close = vec![b'"'];
    close.resize(hashes + 1, b'#');
    let body = at + hashes + 1;
    let found = bytes[body..].windows(close.len()).position(|w| w == close);
    found.map_or(bytes.len(), |p| body + p + close.len())
}

/// The end of a character literal, or the byte after the quote of a lifetime.
fn char_end(bytes: &[u8], at: usize) -> usize {
    match &bytes[at + 1..] {
        [b'\\', ..] => {
            let rest = &bytes[at + 3..];
            at + 3 + rest.iter().position(|&b| b == b'\'').map_or(0, |p| p + 1)
        }
        rest => {
            let text = String::from_utf8_lossy(&rest[..rest.len().min(8)]).into_owned();
            let first = text.chars().next().map_or(1, char::len_utf8);
            match rest.get(first) {
                Some(b'\'') => at + 2 + first,
                _ => at + 1,
            }
        }
    }
}

#[test]
fn comments_and_literals_are_blanked() {
    let check = |text: &str, expect: &str| assert_eq!(code_only(text), expect, "{text}");
    check("a // b\nc", "a     \nc");
    check("a /* b /* c */ */ d", "a                 d");
    check(r#"f("a\"b", x)"#, "f(      , x)");
    check("r#\"a\"b\"# c", "         c");
    check("for r in x", "for r in x");
    check("'a' 'b", "    'b");
    check(r"'\'' x", "     x");
    check("&'a str", "&'a str");
}
