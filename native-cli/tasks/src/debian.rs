//! What the oracles and the browser tests need on a Debian machine.
//!
//! Chromium is installed as any package, which takes root. OpenZFS's user-land tools are only
//! unpacked into `target/tools/openzfs`: their packages would bring a kernel module and services,
//! and neither is needed to read or to make a pool in a file. They live in Debian's `contrib`, on
//! Debian 12 in the backports, so a private source list is derived from the machine's own one, and
//! a private package list is fetched; the system's configuration is left as it is.

use crate::install::first_line;
use crate::project::Project;
use crate::run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const TOOLS: [&str; 3] = ["zdb", "ztest", "zstream"];

const PACKAGES: [&str; 9] = [
    "zfsutils-linux",
    "zfs-test",
    "libzpool6linux",
    "libnvpair3linux",
    "libuutil3linux",
    "libzfs6linux",
    "libzfsbootenv1linux",
    "libzfslinux-dev",
    "libaio1",
];

/// Where the headers are unpacked to, below the folder of the tools.
pub(crate) const HEADERS: &str = "apt/unpacked/usr/include/libzfs";

/// Makes Chromium and its driver available, or says why not.
pub(crate) fn chromium(project: &Project) -> Result<(), String> {
    let there = || project.which("chromium").is_some();
    if there() {
        return Ok(());
    }
    if project.which("apt-get").is_none() {
        return Err("there is no Chromium, and no apt-get to install it with".into());
    }
    if !is_root() {
        return Err("there is no Chromium: `apt-get install chromium` as root".into());
    }
    println!("installing Chromium");
    apt(project, &["update"], 180)?;
    let packages = ["chromium", "chromium-driver", "fonts-dejavu-core"];
    let mut install = vec!["install", "--yes", "--no-install-recommends"];
    install.extend(packages);
    apt(project, &install, 600)?;
    match there() {
        true => Ok(()),
        false => Err("Chromium was installed and is not on the path".into()),
    }
}

fn is_root() -> bool {
    let id = run::output(Command::new("id").arg("-u"));
    id.is_some_and(|id| id.trim() == "0")
}

fn apt(project: &Project, args: &[&str], seconds: u64) -> Result<(), String> {
    let mut command = project.command("apt-get");
    command.args(["-q", "-o", "DPkg::Lock::Timeout=60", "-o", "Acquire::Retries=1"]);
    command.args(["-o", "Acquire::http::Timeout=30"]).args(args);
    command.env("DEBIAN_FRONTEND", "noninteractive");
    let log = project.log("apt-get");
    let limit = Duration::from_secs(seconds);
    run::logged(&mut command, limit, &log).map(drop)
}

/// Makes zdb, ztest, zstream and what it takes to build against their library available, or says
/// why not.
pub(crate) fn openzfs(project: &Project) -> Result<(), String> {
    let headers = project.tools.join(HEADERS);
    let missing = || {
        let tool = TOOLS.into_iter().find(|tool| project.which(tool).is_none());
        let there = Path::new("/usr/include/libzfs").is_dir() || headers.is_dir();
        tool.or((!there).then_some("libzfs.h"))
    };
    let Some(tool) = missing() else {
        return Ok(());
    };
    if project.which("apt-get").is_none() || project.which("dpkg-deb").is_none() {
        return Err(format!("there is no {tool}, and no apt-get to fetch it with"));
    }
    println!("unpacking OpenZFS's user-land tools into target/tools");
    let apt = PrivateApt::new(project)?;
    apt.run(&["update"], &apt.folder)?;
    let packages = apt.folder.join("packages");
    fs::create_dir_all(&packages).map_err(|e| e.to_string())?;
    let mut download = vec!["download"];
    download.extend(PACKAGES);
    apt.run(&download, &packages)?;
    let unpacked = apt.folder.join("unpacked");
    for package in files_of(&packages) {
        let mut unpack = project.command("dpkg-deb");
        unpack.arg("-x").arg(&package).arg(&unpacked);
        run::logged(&mut unpack, Duration::from_secs(60), &project.log("dpkg-deb"))?;
    }
    let home = project.tools.join("openzfs");
    collect(&unpacked, &home)?;
    if let Some(tool) = missing() {
        return Err(format!("the packages were unpacked and hold no {tool}"));
    }
    let mut zdb = project.command("ldd");
    let libraries = run::output(zdb.arg(home.join("bin/zdb"))).unwrap_or_default();
    match libraries.lines().find(|line| line.contains("not found")) {
        Some(line) => Err(format!("zdb lacks a library: {}", line.trim())),
        None => Ok(()),
    }
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Copies programs and libraries out of the unpacked packages into `home/bin` and `home/lib`.
fn collect(unpacked: &Path, home: &Path) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("{}: {e}", home.display());
    let (bin, lib) = (home.join("bin"), home.join("lib"));
    fs::create_dir_all(&bin).map_err(fail)?;
    fs::create_dir_all(&lib).map_err(fail)?;
    let mut folders = vec![unpacked.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in files_of(&folder) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if TOOLS.contains(&&*name) && !path.is_symlink() {
                fs::copy(&path, bin.join(&name)).map_err(fail)?;
            } else if (name.contains(".so.") || name.ends_with(".so")) && path.exists() {
                fs::copy(&path, lib.join(&name)).map_err(fail)?;
            }
        }
    }
    Ok(())
}

/// `apt-get` with package lists of its own.
struct PrivateApt<'a> {
    project: &'a Project,
    folder: PathBuf,
    options: Vec<String>,
}

impl<'a> PrivateApt<'a> {
    fn new(project: &'a Project) -> Result<Self, String> {
        let folder = project.tools.join("apt");
        for name in ["lists/partial", "cache/archives/partial", "sources"] {
            fs::create_dir_all(folder.join(name)).map_err(|e| e.to_string())?;
        }
        let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
        let codename = release
            .lines()
            .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
            .ok_or("this is no Debian release: /etc/os-release has no VERSION_CODENAME")?;
        let source = machine_sources()
            .iter()
            .find_map(|text| derive(text, codename.trim_matches('"')))
            .ok_or_else(|| format!("no package source of {codename} is configured"))?;
        let list = folder.join("sources/tidepool.sources");
        fs::write(&list, source).map_err(|e| e.to_string())?;
        let option = |name: &str, path: &str| format!("{name}={}", folder.join(path).display());
        let options = vec![
            "Dir::Etc::sourcelist=/dev/null".to_owned(),
            option("Dir::Etc::sourceparts", "sources"),
            option("Dir::State::lists", "lists"),
            option("Dir::Cache", "cache"),
            "Acquire::http::Timeout=30".to_owned(),
            "Acquire::Retries=1".to_owned(),
        ];
        Ok(Self { project, folder, options })
    }

    fn run(&self, args: &[&str], here: &Path) -> Result<(), String> {
        let mut command = self.project.command("apt-get");
        command.arg("-q");
        for option in &self.options {
            command.args(["-o", option]);
        }
        command.args(args).current_dir(here);
        let log = self.project.log("apt-get");
        let done = run::logged(&mut command, Duration::from_secs(300), &log);
        done.map(drop).map_err(|e| format!("apt-get {}: {}", args[0], first_line(&e)))
    }
}

/// The machine's package sources as stanzas of `key: value` lines.
fn machine_sources() -> Vec<String> {
    let mut texts = Vec::new();
    let mut paths = files_of(Path::new("/etc/apt/sources.list.d"));
    paths.push("/etc/apt/sources.list".into());
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap_or_default();
        match path.extension().and_then(|e| e.to_str()) {
            Some("sources") => texts.extend(text.split("\n\n").map(str::to_owned)),
            Some("list") => texts.extend(text.lines().filter_map(stanza)),
            _ => {}
        }
    }
    texts
}

/// A `deb [options] URI suite component...` line as a stanza.
fn stanza(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("deb ")?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest),
    };
    let mut words = rest.split_whitespace();
    let (uri, suite) = (words.next()?, words.next()?);
    let mut text = format!("Types: deb\nURIs: {uri}\nSuites: {suite}\n");
    if let Some(key) = options.split_whitespace().find_map(|o| o.strip_prefix("signed-by=")) {
        text.push_str(&format!("Signed-By: {key}\n"));
    }
    Some(text)
}

/// The stanza of `codename`'s main archive, turned to where OpenZFS's tools are: the backports of
/// Debian 12, the release itself later.
fn derive(stanza: &str, codename: &str) -> Option<String> {
    let value = |key: &str| {
        let line = stanza.lines().find_map(|line| line.strip_prefix(key));
        line.map(str::trim)
    };
    let uri = value("URIs:")?.split_whitespace().next()?;
    value("Suites:")?.split_whitespace().find(|suite| *suite == codename)?;
    let suites = match codename {
        "bookworm" => "bookworm bookworm-backports".to_owned(),
        other => other.to_owned(),
    };
    let mut text = format!("Types: deb\nURIs: {uri}\nSuites: {suites}\nComponents: main contrib\n");
    if let Some(key) = value("Signed-By:") {
        text.push_str(&format!("Signed-By: {key}\n"));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_list_is_derived_from_the_machines_own() {
        let line = "deb [arch=amd64 signed-by=/k.gpg] mirror://x/debian bookworm main";
        let derived = derive(&stanza(line).unwrap(), "bookworm").unwrap();
        assert_eq!(
            derived,
            "Types: deb\nURIs: mirror://x/debian\nSuites: bookworm bookworm-backports\n\
             Components: main contrib\nSigned-By: /k.gpg\n"
        );
        let security = "Types: deb\nURIs: mirror://x/security\nSuites: bookworm-security\n";
        assert_eq!(derive(security, "bookworm"), None);
        let newer = "Types: deb\nURIs: mirror://x\nSuites: trixie trixie-updates\n";
        assert!(derive(newer, "trixie").unwrap().contains("Suites: trixie\n"));
        assert_eq!(stanza("# deb mirror://x bookworm main"), None);
    }
}
