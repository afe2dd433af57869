//! Arguments that several commands share.

use crate::out::{Failure, note, usage};
use clap::Args;
use std::path::PathBuf;
use tidepool::base::{Guid, Txg};
use tidepool::pool::{OpenOptions, Pool};
use tidepool_host::{Host, open_devices, paths_or_default};

/// Which devices, and which pool on them.
#[derive(Args, Debug)]
pub(crate) struct PoolArgs {
    /// Files, block devices, or folders of them; without any, the folder in TIDEPOOL_PATH
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// The pool to open where the devices hold several
    #[arg(long, value_name = "NAME|GUID")]
    pub(crate) pool: Option<String>,

    /// Open the pool as it was at this transaction group, as far as its blocks still stand
    #[arg(long, value_name = "N")]
    pub(crate) txg: Option<u64>,
}

/// Which devices, where the pool is named by a data set.
#[derive(Args, Debug)]
pub(crate) struct DevicesArgs {
    /// Files, block devices, or folders of them; without any, the folder in TIDEPOOL_PATH
    #[arg(long = "pool", value_name = "PATH", num_args = 1..)]
    pub(crate) paths: Vec<PathBuf>,

    /// The guid of the pool where several have the same name
    #[arg(long, value_name = "GUID")]
    pub(crate) guid: Option<u64>,

    /// Open the pool as it was at this transaction group, as far as its blocks still stand
    #[arg(long, value_name = "N")]
    pub(crate) txg: Option<u64>,
}

/// A pool with the devices it was opened from.
pub(crate) struct Opened {
    pub(crate) host: Host,
    pub(crate) pool: Pool,
}

impl PoolArgs {
    /// Opens the devices.
    pub(crate) fn devices(&self) -> Result<Host, Failure> {
        open_host(&self.paths)
    }

    /// What the options say of the pool. A pool name never starts with a digit, a guid does.
    pub(crate) fn options(&self) -> OpenOptions {
        let guid = self.pool.as_ref().and_then(|p| p.parse().ok()).map(Guid);
        let name = self.pool.clone().filter(|_| guid.is_none());
        let txg = self.txg.map(Txg);
        OpenOptions { name, guid, txg }
    }

    /// Opens the devices and the pool.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        open(self.devices()?, &self.options())
    }
}

impl DevicesArgs {
    /// Opens the devices and the pool that `dataset` lies in.
    pub(crate) fn open(&self, dataset: Option<&str>) -> Result<Opened, Failure> {
        let name = dataset.map(|d| d.split(['/', '@']).next().unwrap_or(d).to_owned());
        let guid = self.guid.map(Guid);
        let txg = self.txg.map(Txg);
        open(open_host(&self.paths)?, &OpenOptions { name, guid, txg })
    }
}

impl Opened {
    /// Runs a question to the pool to its end.
    pub(crate) fn ask<T>(&self, question: impl Future<Output = T>) -> T {
        self.host.rt.block_on(question)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        tell_read_failures(&self.host);
    }
}

fn open_host(paths: &[PathBuf]) -> Result<Host, Failure> {
    let host = open_devices(&paths_or_default(paths)?)?;
    host.passed_over.iter().for_each(|line| note(line));
    Ok(host)
}

fn open(host: Host, options: &OpenOptions) -> Result<Opened, Failure> {
    let pool = host.rt.block_on(Pool::open(&host.devices, options));
    match pool {
        Ok(pool) => Ok(Opened { host, pool }),
        Err(error) => {
            tell_read_failures(&host);
            Err(error.into())
        }
    }
}

/// The operating system's reasons behind read errors, which the engine does not know.
pub(crate) fn tell_read_failures(host: &Host) {
    host.read_failures().iter().for_each(|line| note(line));
}

/// `DATASET[@SNAP]:PATH`, or a data set alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// `tank/a` or `tank/a@s`.
    pub(crate) dataset: String,
    /// The path behind the colon, with its slash; `None` when there is no colon.
    pub(crate) path: Option<String>,
}

impl Target {
    /// Reads the form that the commands take. Data set names may hold colons, so the path is what
    /// follows the first `:/`; a colon at the very end stands for the root directory.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let (dataset, path) = match (text.find(":/"), text.strip_suffix(':')) {
            (Some(at), _) => (&text[..at], Some(text[at + 1..].to_owned())),
            (None, Some(dataset)) => (dataset, Some("/".to_owned())),
            (None, None) => (text, None),
        };
        if dataset.is_empty() || dataset.starts_with('/') {
            return Err(usage(format!(
                "`{text}` names no data set: expected DATASET[@SNAP]:/PATH, as in tank/a:/README"
            )));
        }
        let dataset = dataset.to_owned();
        Ok(Self { dataset, path })
    }

    /// The path, the root directory when none was given.
    pub(crate) fn path_or_root(&self) -> &str {
        self.path.as_deref().unwrap_or("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_split_at_the_first_colon_before_a_slash() {
        let check = |text: &str, dataset: &str, path: Option<&str>| {
            let target = Target::parse(text).unwrap();
            assert_eq!((&*target.dataset, target.path.as_deref()), (dataset, path));
        };
        check("tank/a:/b/c", "tank/a", Some("/b/c"));
        check("tank/a@s:/x:/y", "tank/a@s", Some("/x:/y"));
        check("tank/a:b:/c", "tank/a:b", Some("/c"));
        check("tank:", "tank", Some("/"));
        check("tank/vol", "tank/vol", None);
        assert!(Target::parse(":/x").is_err());
        assert!(Target::parse("/etc/passwd").is_err());
    }

    #[test]
    fn a_number_is_a_guid_and_a_word_a_name() {
        let options = |pool: &str| {
            let pool = Some(pool.to_owned());
            let (paths, txg) = (Vec::new(), Some(7));
            PoolArgs { paths, pool, txg }.options()
        };
        assert_eq!(options("12345").guid, Some(Guid(12345)));
        assert_eq!(options("12345").name, None);
        assert_eq!(options("tank").name.as_deref(), Some("tank"));
        assert_eq!(options("tank").txg, Some(Txg(7)));
    }
}
