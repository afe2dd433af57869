//! Where things are: the workspace, its target folder, the tools that were installed into it.

use crate::debian::HEADERS;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of one working copy.
pub(crate) struct Project {
    /// The workspace.
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
    /// Tools of our own: `bin`, `node_modules`, `openzfs`.
    pub(crate) tools: PathBuf,
}

impl Project {
    /// The working copy this program was started for.
    pub(crate) fn find() -> Self {
        let here = std::env::var_os("CARGO_MANIFEST_DIR");
        let here = here.map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = here.ancestors().nth(2).unwrap_or(&here).to_owned();
        let target = std::env::var_os("CARGO_TARGET_DIR");
        let target = target.map_or_else(|| root.join("target"), |t| root.join(t));
        let tools = target.join("tools");
        Self { root, target, tools }
    }

    /// `program` in the workspace, with our tools first on its path.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.which(program).unwrap_or_else(|| program.into()));
        command.current_dir(&self.root).env("PATH", self.path());
        let libraries = self.tools.join("openzfs/lib");
        if libraries.is_dir() {
            command.env("LD_LIBRARY_PATH", &libraries);
            // For the oracle program, which a test builds against OpenZFS's library.
            command.env("LIBRARY_PATH", &libraries);
            let headers = self.tools.join(HEADERS);
            let spl = headers.with_file_name("libspl");
            if let Ok(both) = std::env::join_paths([headers, spl]) {
                command.env("C_INCLUDE_PATH", both);
            }
        }
        // Cargo sets these for us; what we start is not this package.
        for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "CARGO_PKG_VERSION"] {
            command.env_remove(name);
        }
        command
    }

    /// `cargo` with `args`, in the workspace.
    pub(crate) fn cargo(&self, args: &[&str]) -> Command {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let mut command = self.command(&cargo);
        command.args(args);
        command
    }

    /// The full path of `program`, or `None` when it is not installed.
    pub(crate) fn which(&self, program: &str) -> Option<PathBuf> {
        let is_program = |path: &PathBuf| path.is_file();
        if program.contains('/') {
            return Some(PathBuf::from(program)).filter(is_program);
        }
        let path = self.path();
        let found = std::env::split_paths(&path).map(|folder| folder.join(program));
        found.into_iter().find(is_program)
    }

    fn path(&self) -> OsString {
        let own = ["bin", "node_modules/.bin", "openzfs/bin"].map(|folder| self.tools.join(folder));
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let system = ["/usr/sbin", "/sbin"].map(PathBuf::from);
        let inherited: Vec<_> = std::env::split_paths(&inherited).collect();
        let all = own.into_iter().chain(inherited).chain(system);
        std::env::join_paths(all).expect("folders of a path hold no colon")
    }

    /// The version of `package` in the lock file.
    pub(crate) fn locked_version(&self, package: &str) -> Option<String> {
        locked_version(&std::fs::read_to_string(self.root.join("Cargo.lock")).ok()?, package)
    }

    /// The file that the output of the step `name` goes to; its folder exists.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        let folder = self.target.join("verify");
        // A missing folder shows itself when the log is opened.
        let _ = std::fs::create_dir_all(&folder);
        folder.join(format!("{name}.log"))
    }

    /// Whether a file or folder of the workspace exists.
    pub(crate) fn has(&self, path: impl AsRef<Path>) -> bool {
        self.root.join(path).exists()
    }
}

fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    let version = lines.nth(1)?.strip_prefix("version = \"")?;
    Some(version.trim_end_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_tells_versions() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n\n[[package]]\n\
                    name = \"a-b\"\nversion = \"4.5.6\"\n";
        assert_eq!(locked_version(lock, "a").as_deref(), Some("1.2.3"));
        assert_eq!(locked_version(lock, "a-b").as_deref(), Some("4.5.6"));
        assert_eq!(locked_version(lock, "b"), None);
    }
}
