//! `zdb` as the judge: runs it on a folder of devices and reads its words.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An installed `zdb`.
pub struct Zdb(PathBuf);

/// One metaslab in the words of `zdb -mmmP`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metaslab {
    pub vdev: u64,
    pub id: u64,
    pub offset: u64,
    pub space_map: u64,
    /// Free bytes by the space map alone.
    pub free: u64,
    /// Free segments of at least 16 KiB, unflushed changes included.
    pub big_segments: Option<u64>,
    /// The largest of those; 0 without one.
    pub max_size: Option<u64>,
    /// Free segments by log2 of their bytes, unflushed changes included.
    pub histogram: BTreeMap<u64, u64>,
    pub histogram_stored: BTreeMap<u64, u64>,
    pub fragmentation: Option<u64>,
    pub length: Option<u64>,
    pub allocated: Option<u64>,
    pub unflushed_txg: Option<u64>,
}

/// One data set in the words of `zdb -ddP`, with its objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dataset {
    pub name: String,
    /// `META`, `ZPL`, `ZVOL`, `OTHER`.
    pub kind: String,
    pub id: u64,
    pub creation_txg: u64,
    pub referenced: u64,
    pub objects: u64,
    pub rows: Vec<Object>,
}

/// One object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub id: u64,
    /// Levels, indirect block, data block, allocated bytes, dnode bytes, logical bytes.
    pub numbers: [u64; 6],
    pub kind: String,
}

/// Sums over all blocks, from `zdb -b`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    pub count: u64,
    pub logical: u64,
    pub physical: u64,
    pub allocated: u64,
    pub gangs: u64,
    pub embedded: u64,
    pub no_leaks: bool,
    pub leaked: bool,
}

/// One uberblock of `zdb -lu`: slot, txg, guid sum, time, version, and the labels that hold it.
pub type Uberblock = (u64, u64, u64, u64, u64, Vec<u64>);

/// What a run of `zdb` gave.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The words on standard output, or the command's failure.
    fn text(self) -> Result<String, String> {
        match self.code {
            Some(0) => Ok(self.stdout),
            code => {
                let last = self.stderr.lines().last().unwrap_or_default();
                Err(format!("zdb ended with {code:?}: {last}"))
            }
        }
    }
}

impl Zdb {
    pub fn find() -> Option<Self> {
        super::tool("zdb").map(Self)
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        let output = Command::new(&self.0).args(arguments).output();
        let output = output.unwrap_or_else(|e| panic!("zdb does not start: {e}"));
        Run {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs `zdb -e -p FOLDER` with `options` on `pool`.
    pub fn on_pool(&self, folder: &Path, options: &[&str], pool: &str) -> Run {
        let folder = folder.to_string_lossy();
        let mut arguments = vec!["-e", "-p", &*folder];
        arguments.extend(options);
        arguments.push(pool);
        self.run(&arguments)
    }

    pub fn metaslabs(&self, folder: &Path, pool: &str) -> Result<Vec<Metaslab>, String> {
        let text = self.on_pool(folder, &["-mmmP"], pool).text()?;
        Ok(parse_metaslabs(&text))
    }

    pub fn datasets(&self, folder: &Path, pool: &str) -> Result<Vec<Dataset>, String> {
        let text = self.on_pool(folder, &["-ddP"], pool).text()?;
        Ok(parse_datasets(&text))
    }

    /// Sums over all blocks; `options` is `-b`, `-bc` or `-bcc`.
    pub fn blocks(&self, folder: &Path, options: &str, pool: &str) -> Result<Blocks, String> {
        let text = self.on_pool(folder, &[options], pool).text()?;
        Ok(parse_blocks(&text))
    }

    pub fn config(&self, folder: &Path, pool: &str) -> Result<String, String> {
        let text = self.on_pool(folder, &["-C"], pool).text()?;
        let body = text.split("MOS Configuration:\n").nth(1);
        Ok(body.ok_or("no MOS configuration")?.trim_end().to_owned())
    }

    /// The contents of a file.
    pub fn file(&self, folder: &Path, dataset: &str, path: &str) -> Result<Vec<u8>, String> {
        let thread = format!("{:?}", std::thread::current().id());
        let out = folder.join(format!(".zdb-out-{}-{thread}", std::process::id()));
        let (source, target) = (folder.to_string_lossy(), out.to_string_lossy());
        let path = path.trim_start_matches('/');
        let run = self.run(&["-e", "-p", &source, "-r", dataset, path, &target]);
        let bytes = std::fs::read(&out).map_err(|e| e.to_string());
        let _ = std::fs::remove_file(&out);
        run.text()?;
        bytes
    }
}

/// The word after `key` in a line of words.
fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == key)?;
    words.next()
}

fn number(line: &str, key: &str) -> Option<u64> {
    after(line, key)?.trim_matches([',', '%']).parse().ok()
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
}

pub fn parse_metaslabs(text: &str) -> Vec<Metaslab> {
    let mut all: Vec<Metaslab> = Vec::new();
    let (mut vdev, mut stored) = (0, false);
    for line in text.lines().take_while(|l| !l.starts_with("Log Space Maps")) {
        if let Some(id) = number(line, "vdev") {
            vdev = id;
        } else if let Some(id) = number(line, "metaslab") {
            all.push(Metaslab {
                vdev,
                id,
                offset: after(line, "offset").and_then(hex).unwrap_or(u64::MAX),
                space_map: number(line, "spacemap").unwrap_or(u64::MAX),
                free: number(line, "free").unwrap_or(u64::MAX),
                ..Metaslab::default()
            });
        }
        let Some(last) = all.last_mut() else { continue };
        if line.contains("segments") {
            last.big_segments = number(line, "segments");
            last.max_size = number(line, "maxsize");
        } else if line.contains("In-memory histogram") {
            stored = false;
        } else if line.contains("On-disk histogram") {
            stored = true;
            last.fragmentation = number(line, "fragmentation");
        } else if let Some((bucket, count)) = histogram_row(line) {
            let histogram = match stored {
                true => &mut last.histogram_stored,
                false => &mut last.histogram,
            };
            histogram.insert(bucket, count);
        } else if let Some(value) = line.strip_prefix("  smp_length = ") {
            last.length = hex(value);
        } else if let Some(value) = line.strip_prefix("  smp_alloc = ") {
            last.allocated = hex(value);
        } else if let Some(value) = line.trim().strip_prefix("unflushed txg=") {
            last.unflushed_txg = value.parse().ok();
        }
    }
    all
}

/// `   9:      8 ********`
fn histogram_row(line: &str) -> Option<(u64, u64)> {
    let (bucket, rest) = line.trim().split_once(':')?;
    let count = rest.split_whitespace().next()?;
    let row = (bucket.parse().ok()?, count.parse().ok()?);
    Some(row).filter(|(_, count)| *count != 0)
}

pub fn parse_datasets(text: &str) -> Vec<Dataset> {
    let mut all: Vec<Dataset> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Dataset ") {
            let Some((name, rest)) = rest.split_once(" [") else {
                continue;
            };
            let Some((kind, rest)) = rest.split_once("], ") else {
                continue;
            };
            let fields: Vec<_> = rest.split(", ").collect();
            let objects = fields.get(3).and_then(|f| f.split(' ').next());
            all.push(Dataset {
                name: name.to_owned(),
                kind: kind.to_owned(),
                id: number(rest, "ID").unwrap_or(u64::MAX),
                creation_txg: number(rest, "cr_txg").unwrap_or(u64::MAX),
                referenced: fields.get(2).and_then(|f| f.parse().ok()).unwrap_or(u64::MAX),
                objects: objects.and_then(|n| n.parse().ok()).unwrap_or(u64::MAX),
                rows: Vec::new(),
            });
        } else if let (Some(row), Some(last)) = (object_row(line), all.last_mut()) {
            last.rows.push(row);
        }
    }
    all
}

/// Object, lvl, iblk, dblk, dsize, dnsize, lsize, %full, type.
fn object_row(line: &str) -> Option<Object> {
    let words: Vec<_> = line.split_whitespace().collect();
    let id = words.first()?.parse().ok().filter(|&id| id > 0)?;
    words.get(7)?.parse::<f64>().ok()?;
    let mut numbers = [0; 6];
    for (place, word) in numbers.iter_mut().zip(words.get(1..7)?) {
        *place = word.parse().ok()?;
    }
    // Settings of its own follow in brackets: (K=checksum) (Z=compression).
    let kind = words.get(8..)?.join(" ");
    let kind = kind.split(" (").next()?.to_owned();
    Some(Object { id, numbers, kind })
}

pub fn parse_blocks(text: &str) -> Blocks {
    let mut blocks = Blocks {
        no_leaks: text.contains("No leaks (block sum matches space maps exactly)"),
        leaked: text.contains("leaked space") || text.contains("block traversal size"),
        ..Blocks::default()
    };
    for line in text.lines() {
        let Some((key, rest)) = line.trim().split_once(':') else {
            continue;
        };
        let Some(value) = rest.split_whitespace().next().and_then(|w| w.parse().ok()) else {
            continue;
        };
        match key {
            "bp count" => blocks.count = value,
            "ganged count" => blocks.gangs = value,
            "bp logical" => blocks.logical = value,
            "bp physical" => blocks.physical = value,
            "bp allocated" => blocks.allocated = value,
            _ if key.starts_with("additional, non-pointer bps") => blocks.embedded += value,
            _ => {}
        }
    }
    blocks
}

pub fn parse_uberblocks(text: &str) -> Vec<Uberblock> {
    let mut all: Vec<Uberblock> = Vec::new();
    for line in text.lines() {
        let slot = line.trim().strip_prefix("Uberblock[").and_then(|r| r.strip_suffix(']'));
        if let Some(slot) = slot.and_then(|s| s.parse().ok()) {
            all.push((slot, 0, 0, 0, 0, Vec::new()));
        }
        let Some(last) = all.last_mut() else { continue };
        let Some((key, value)) = line.trim().split_once(" = ") else {
            continue;
        };
        let first = value.split(' ').next().and_then(|v| v.parse().ok());
        match (key, first) {
            ("txg", Some(n)) => last.1 = n,
            ("guid_sum", Some(n)) => last.2 = n,
            ("timestamp", Some(n)) => last.3 = n,
            ("version", Some(n)) => last.4 = n,
            ("labels", _) => {
                last.5 = value.split_whitespace().filter_map(|n| n.parse().ok()).collect();
            }
            _ => {}
        }
    }
    all
}
