//! Puts the playground into the program: every file of `web/static`, when `web/static/pkg` was
//! built, each with a gzip form when that is smaller. Without it the program serves a page that
//! says how to build it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let root = here.join("../web/static");
    println!("cargo::rerun-if-changed=build.rs");
    if root.is_dir() {
        println!("cargo::rerun-if-changed={}", root.display());
    } else {
        println!("cargo::rerun-if-changed={}", here.join("../web").display());
    }
    let mut files = Vec::new();
    if root.join("pkg").is_dir() {
        collect(&root, &root, &mut files);
    }
    files.sort();
    let mut list = String::from("static ASSETS: &[Asset] = &[\n");
    for (index, (name, path)) in files.iter().enumerate() {
        let bytes = fs::read(path).expect("a file of web/static can be read");
        let zipped = gzip(&bytes);
        let gzip = if zipped.len() < bytes.len() {
            let zip = out.join(format!("asset-{index}.gz"));
            fs::write(&zip, zipped).expect("the output folder can be written");
            format!("Some(include_bytes!({:?}))", zip.display().to_string())
        } else {
            "None".to_owned()
        };
        let path = path.display().to_string();
        let line = format!("path: {name:?}, bytes: include_bytes!({path:?}), gzip: {gzip}");
        writeln!(list, "    Asset {{ {line} }},").expect("a string grows");
    }
    list.push_str("];\n");
    fs::write(out.join("assets.rs"), list).expect("the output folder can be written");
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // What wasm-pack leaves for npm is of no use to a browser.
        let useless = ["package.json", ".gitignore", "README.md"].contains(&&*name);
        if path.is_dir() {
            collect(root, &path, files);
        } else if !useless && !name.ends_with(".d.ts") {
            let inside = path.strip_prefix(root).expect("it was found under root");
            let url = format!("/{}", inside.display());
            let path = path.canonicalize().expect("a file that was just listed");
            files.push((url, path));
        }
    }
}

/// A gzip file: head, deflated bytes, checksum and length.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    out.extend(miniz_oxide::deflate::compress_to_vec(bytes, 9));
    out.extend(crc32(bytes).to_le_bytes());
    let length = u32::try_from(bytes.len()).expect("assets are below 4 GiB");
    out.extend(length.to_le_bytes());
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256u32)
        .map(|n| (0..8).fold(n, |c, _| if c & 1 == 1 { 0xedb8_8320 ^ c >> 1 } else { c >> 1 }))
        .collect();
    let step = |crc: u32, &byte: &u8| table[usize::from(crc as u8 ^ byte)] ^ crc >> 8;
    !bytes.iter().fold(!0, step)
}
