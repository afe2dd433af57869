//! Proves that the core asks nothing of its host: a WebAssembly module of it imports nothing.
//!
//! A small crate that opens a pool in memory through the facade is built for
//! `wasm32-unknown-unknown` against the workspace's core and its lock file; then the import section
//! of the module is read.
//!
//! ```text
//!   "\0asm" version   then sections: id, length (LEB128), bytes
//!   section 2: count, then for each import: module name, field name, kind, type
//! ```

use crate::project::Project;
use crate::run;
use std::fs;
use std::path::Path;
use std::time::Duration;

const SOURCE: &str = include_str!("wasm_check.rs.txt");

/// Builds the module and reads it; what it found in words.
pub(crate) fn check(project: &Project) -> Result<String, String> {
    let folder = project.target.join("wasm-check");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    };
    fs::create_dir_all(folder.join("src")).map_err(|e| e.to_string())?;
    write("Cargo.toml", &manifest(&project.root.join("core")))?;
    write("src/lib.rs", SOURCE)?;
    let lock = project.root.join("Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).map_err(|e| e.to_string())?;
    let mut build = project.cargo(&["build", "--release", "--target", "wasm32-unknown-unknown"]);
    build.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    build.env("CARGO_TARGET_DIR", folder.join("target"));
    run::logged(&mut build, Duration::from_secs(900), &project.log("core-wasm"))?;
    let module = folder.join("target/wasm32-unknown-unknown/release/tidepool_wasm_check.wasm");
    let bytes = fs::read(&module).map_err(|e| format!("{}: {e}", module.display()))?;
    let imports = imports(&bytes).ok_or("the module's import section cannot be read")?;
    match imports.is_empty() {
        true => Ok(format!("{} KiB, no imports", bytes.len() >> 10)),
        false => Err(format!("the core imports {}", imports.join(", "))),
    }
}

fn manifest(core: &Path) -> String {
    format!(
        "[package]\nname = \"tidepool-wasm-check\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [lib]\ncrate-type = [\"cdylib\"]\n\
         [dependencies]\ntidepool-core = {{ path = {core:?} }}\n\
         [profile.release]\nopt-level = 1\n[workspace]\n"
    )
}

/// Names of the imports of a WebAssembly module; `None` when it is not one.
fn imports(module: &[u8]) -> Option<Vec<String>> {
    let mut reader = Reader(module.strip_prefix(b"\0asm\x01\0\0\0")?);
    while !reader.0.is_empty() {
        let id = reader.byte()?;
        let length = reader.number()?;
        let mut section = Reader(reader.take(length)?);
        if id == 2 {
            return section.imports();
        }
    }
    Some(Vec::new())
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    /// An unsigned number in LEB128, of at most 32 bits.
    fn number(&mut self) -> Option<usize> {
        let mut value = 0usize;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn name(&mut self) -> Option<String> {
        let length = self.number()?;
        Some(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    fn imports(&mut self) -> Option<Vec<String>> {
        let count = self.number()?;
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(format!("{}.{}", self.name()?, self.name()?));
            match self.byte()? {
                0 => drop(self.number()?),
                1 => {
                    self.byte()?;
                    self.limits()?;
                }
                2 => self.limits()?,
                3 => drop(self.take(2)?),
                _ => return None,
            }
        }
        Some(names)
    }

    fn limits(&mut self) -> Option<()> {
        let flags = self.byte()?;
        self.number()?;
        if flags & 1 == 1 {
            self.number()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_of_each_kind_are_named() {
        let mut section = vec![3];
        section.extend(b"\x03env\x03foo\x00\x05");
        section.extend(b"\x03env\x03mem\x02\x01\x10\x80\x01");
        section.extend(b"\x01a\x01g\x03\x7f\x00");
        let mut module = b"\0asm\x01\0\0\0\x01\x01\x00\x02".to_vec();
        module.push(section.len() as u8);
        module.extend(&section);
        assert_eq!(imports(&module).unwrap(), ["env.foo", "env.mem", "a.g"]);
        for cut in 9..module.len() {
            assert_ne!(imports(&module[..cut]), Some(vec!["env.foo".into()]), "{cut}");
        }
        assert_eq!(imports(b"\0asm\x01\0\0\0"), Some(Vec::new()));
        assert_eq!(imports(b"ELF"), None);
    }
}
