//! Fresh pools made by OpenZFS's own torture test and by the shared oracle program.

use super::images::scratch;
use super::{shared, tool};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names a folder with one folder a pool, as a run of the tests leaves them: they are used instead
/// of fresh ones, to repeat a failure.
const KEPT_POOLS: &str = "TIDEPOOL_ZTEST_POOLS";

/// How `ztest` lays out one pool.
pub struct Layout {
    pub name: &'static str,
    pub ashift: &'static str,
    /// Mirror copies, raidz children, parity, special vdev on or off.
    pub mirror: &'static str,
    pub children: &'static str,
    pub parity: &'static str,
    pub special: &'static str,
}

/// The shared oracle program and the library that lets `ztest` import without a kernel module.
pub struct Oracle {
    folder: PathBuf,
}

impl Oracle {
    /// Builds a copy of the shared program.
    pub fn build() -> Result<Self, String> {
        let source = shared("peer/oracle").ok_or("the shared oracle is not there")?;
        let folder = scratch("oracle");
        for name in ["Makefile", "oracle.c", "ztest-shim.c"] {
            let copied = std::fs::copy(source.join(name), folder.join(name));
            copied.map_err(|e| format!("{name}: {e}"))?;
        }
        let make = Command::new("make").arg("-C").arg(&folder).output();
        let make = make.map_err(|e| format!("make does not start: {e}"))?;
        match make.status.success() {
            true => Ok(Self { folder }),
            false => Err(format!(
                "the oracle does not build: {}",
                String::from_utf8_lossy(&make.stderr).lines().last().unwrap_or_default()
            )),
        }
    }

    /// Makes a pool with `features` on files in a new folder and writes data sets into it. The
    /// words of `vdevs` are kinds and numbers of files: `("raidz1", 3)`.
    pub fn pool(
        &self,
        name: &str,
        features: &str,
        ashift: &str,
        vdevs: &[(&str, usize)],
    ) -> Result<PathBuf, String> {
        let folder = scratch(name);
        let mut words = Vec::new();
        for (index, (kind, count)) in vdevs.iter().enumerate() {
            let files: Vec<_> =
                (0..*count).map(|i| folder.join(format!("{index}-{kind}-{i}"))).collect();
            for file in &files {
                let made = std::fs::File::create(file).and_then(|f| f.set_len(128 << 20));
                made.map_err(|e| e.to_string())?;
            }
            let paths: Vec<_> = files.iter().map(|f| f.to_string_lossy()).collect();
            words.push(format!("{kind}:{}", paths.join(",")));
        }
        let mut create = vec!["create", name, features, ashift];
        create.extend(words.iter().map(String::as_str));
        self.run(&create)?;
        let place = folder.to_string_lossy();
        for (dataset, seed) in [("first", "1"), ("second", "2")] {
            self.run(&["write", &place, name, dataset, seed])?;
        }
        Ok(folder)
    }

    fn run(&self, arguments: &[&str]) -> Result<(), String> {
        let output = Command::new(self.folder.join("oracle")).args(arguments).output();
        let output = output.map_err(|e| format!("the oracle does not start: {e}"))?;
        match output.status.success() {
            true => Ok(()),
            false => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                Err(format!("{arguments:?}: {}", text.lines().last().unwrap_or_default()))
            }
        }
    }

    /// The pool of a short run of `ztest`.
    pub fn ztest(&self, layout: &Layout) -> Result<PathBuf, String> {
        if let Some(kept) = std::env::var_os(KEPT_POOLS) {
            return Ok(Path::new(&kept).join(layout.name));
        }
        let program = tool("ztest").ok_or("ztest is not installed")?;
        let folder = scratch(layout.name);
        let log = std::fs::File::create(folder.join("log")).map_err(|e| e.to_string())?;
        let mut ztest = Command::new(program);
        ztest.env("LD_PRELOAD", self.folder.join("ztest-shim.so"));
        ztest.current_dir(&folder).arg("-f").arg(&folder);
        ztest.args(["-p", layout.name, "-a", layout.ashift, "-m", layout.mirror]);
        ztest.args(["-r", layout.children, "-R", layout.parity]);
        ztest.arg("-C").arg(format!("special={}", layout.special));
        ztest.args(["-v", "1", "-K", "raidz", "-s", "256m", "-k", "0"]);
        ztest.args(["-T", "10", "-P", "5"]);
        ztest.stdout(Stdio::null()).stderr(log);
        let status = ztest.status().map_err(|e| format!("ztest does not start: {e}"))?;
        match status.success() {
            true => Ok(folder),
            false => Err(format!("ztest {} ended with {status}", layout.name)),
        }
    }
}
