//! What the tests against real pools share: images unpacked once, `zdb` as the judge, the engine's
//! answers, and a report that says what was compared and what was skipped.
#![allow(dead_code, unreachable_pub)]

pub mod compare;
pub mod engine;
pub mod images;
pub mod report;
pub mod zdb;
pub mod ztest;

use report::Report;
use std::path::{Path, PathBuf};

/// Folder `name` of the shared material beside the workspace, when it is there.
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    Some(folder.join(name)).filter(|path| path.is_dir())
}

/// A program of OpenZFS, when it is installed.
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path);
    let system = ["/usr/sbin", "/sbin", "/usr/local/sbin"].map(PathBuf::from);
    let mut candidates = folders.chain(system).map(|folder| folder.join(name));
    candidates.find(|path| path.is_file())
}

/// Notes what an oracle that failed to answer said.
pub fn judged<T>(report: &mut Report, pool: &str, answer: Result<T, String>) -> Option<T> {
    match answer {
        Ok(value) => Some(value),
        Err(reason) => {
            report.require(pool, false, || format!("the oracle gives no answer: {reason}"));
            None
        }
    }
}

/// The engine's answer, or a difference that carries its error.
pub fn answered<T>(
    report: &mut Report,
    pool: &str,
    answer: tidepool::base::Result<T>,
) -> Option<T> {
    judged(report, pool, answer.map_err(|e| format!("ours: {e}")))
}

/// What a check found, in one line.
pub fn complaints(check: &tidepool::view::CheckView) -> String {
    format!(
        "{} leaks, {} doubles, {} unallocated, bad blocks {:?}, bad copies {}, accounting {:?}, \
         problems {:?}",
        check.leaks.len(),
        check.doubles.len(),
        check.unallocated.len(),
        check.bad_blocks.first(),
        check.bad_copies.len(),
        check.accounting.first(),
        check.problems
    )
}
