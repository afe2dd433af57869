//! Configurations: `zdb -C`, the head of `zdb -e`, labels (`-l`) and uberblocks (`-lu`).
//!
//! Nested by indentation when it is whole; a blog that took the blanks away changes nothing, since
//! a vdev begins at `vdev_tree:` or `children[N]:` and only top-level vdevs have a metaslab array.

use super::reading::Reading;
use super::text::{Line, integer};
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// One vdev of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigVdev {
    /// `root`, `disk`, `mirror`, `raidz`, ...
    pub kind: String,
    /// Index in the parent.
    pub id: u64,
    /// Guid.
    pub guid: u64,
    /// Path; empty when none.
    pub path: String,
    /// Numbers by key: `ashift`, `asize`, `metaslab_shift`, `is_log`, `nparity`, ...
    pub numbers: Vec<(String, u64)>,
    /// Strings by key: `aux_state`, `alloc_bias`, ...
    pub strings: Vec<(String, String)>,
}

impl ConfigVdev {
    /// The number under `key`.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.numbers.iter().find(|(k, _)| k == key).map(|(_, v)| *v)
    }

    /// The string under `key`.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.strings.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// Whether it is a top-level vdev with metaslabs.
    pub fn is_top(&self) -> bool {
        self.number("metaslab_shift").is_some() || self.number("metaslab_array").is_some()
    }
}

/// One uberblock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigUberblock {
    /// Slot in the ring, when printed.
    pub slot: Option<u64>,
    /// Numbers by key: `txg`, `guid_sum`, `timestamp`, `mmp_delay`, ...
    pub numbers: Vec<(String, u64)>,
}

impl ConfigUberblock {
    /// The number under `key`.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.numbers.iter().find(|(k, _)| k == key).map(|(_, v)| *v)
    }
}

/// One configuration with what stands behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigText {
    /// `MOS Configuration`, `Cached configuration`, `LABEL 0`, or empty.
    pub title: String,
    /// Numbers by key: `version`, `state`, `txg`, `pool_guid`, `vdev_children`, ...
    pub numbers: Vec<(String, u64)>,
    /// Strings by key: `name`, `hostname`, ...
    pub strings: Vec<(String, String)>,
    /// All vdevs in order.
    pub vdevs: Vec<ConfigVdev>,
    /// Features needed to read.
    pub features: Vec<String>,
    /// Uberblocks.
    pub uberblocks: Vec<ConfigUberblock>,
}

impl ConfigText {
    /// The number under `key`.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.numbers.iter().find(|(k, _)| k == key).map(|(_, v)| *v)
    }

    /// The string under `key`.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.strings.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.vdevs.is_empty() && self.uberblocks.is_empty()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Pool,
    Tree,
    Features,
    Uberblock,
}

struct Parser {
    out: Vec<ConfigText>,
    place: Place,
    fresh_vdev: bool,
}

/// Reads the configurations; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> Vec<ConfigText> {
    let mut parser = Parser { out: Vec::new(), place: Place::Pool, fresh_vdev: false };
    for line in lines {
        if line.is_blank() || line.is_rule() {
            continue;
        }
        if !parser.line(line.text.trim()) {
            reading.drop_unfit(line, "a configuration");
        } else {
            reading.rows += 1;
        }
    }
    parser.out.retain(|c| !c.is_empty());
    parser.out
}

impl Parser {
    fn last(&mut self) -> &mut ConfigText {
        if self.out.is_empty() {
            self.out.push(ConfigText::default());
        }
        let last = self.out.len() - 1;
        self.out.get_mut(last).expect("invariant: one was pushed")
    }

    fn begin(&mut self, title: &str) -> bool {
        self.out.push(ConfigText { title: title.to_string(), ..ConfigText::default() });
        self.place = Place::Pool;
        true
    }

    /// Reads one line; says whether it was understood.
    fn line(&mut self, text: &str) -> bool {
        let title = text.trim_end_matches(':');
        if title.ends_with("onfiguration") || title.starts_with("Configuration for import") {
            return self.begin(title);
        }
        if text.starts_with("LABEL ") {
            return self.begin(text);
        }
        if text.starts_with("Uberblock") {
            let slot = text.split(['[', ']']).nth(1).and_then(integer);
            self.last().uberblocks.push(ConfigUberblock { slot, numbers: Vec::new() });
            self.place = Place::Uberblock;
            return true;
        }
        if let Some((key, value)) = text.split_once(" = ").or_else(|| text.split_once('=')) {
            return self.equals(key.trim(), value.trim());
        }
        let remarks = ["All DDTs", "ZFS Label NVList Config Stats", "Bad label", "failed to"];
        let stats = ["integers:", "strings:", "booleans:", "nvlists:"];
        let first = text.split_whitespace().next().unwrap_or("");
        if remarks.iter().any(|r| text.starts_with(r))
            || (stats.contains(&first) && text.contains("bytes"))
            || text.contains("bytes used,")
        {
            return true;
        }
        self.colon(text)
    }

    /// `key = value` of an uberblock.
    fn equals(&mut self, key: &str, value: &str) -> bool {
        if key == "labels" {
            return true;
        }
        let first = value.split_whitespace().next().unwrap_or("");
        let number = match key {
            "magic" | "mmp_magic" => super::text::hex(first),
            _ => integer(first),
        };
        let double = self
            .last()
            .uberblocks
            .last()
            .is_some_and(|u| key == "magic" && u.number("magic").is_some());
        if self.last().uberblocks.is_empty() || double {
            if !matches!(key, "magic" | "txg" | "guid_sum" | "timestamp" | "version") {
                return false;
            }
            self.last().uberblocks.push(ConfigUberblock::default());
        }
        if let (Some(number), Some(block)) = (number, self.last().uberblocks.last_mut()) {
            block.numbers.push((key.to_string(), number));
        }
        number.is_some() || key == "rootbp" || key.starts_with("mmp")
    }

    /// `key: value` of the pool or a vdev.
    fn colon(&mut self, text: &str) -> bool {
        if text.starts_with("children[") {
            self.place = Place::Tree;
            self.last().vdevs.push(ConfigVdev::default());
            self.fresh_vdev = true;
            return true;
        }
        let Some((key, value)) =
            text.split_once(": ").or_else(|| Some((text.strip_suffix(':')?, "")))
        else {
            return self.bare(text);
        };
        let (key, value) = (key.trim(), value.trim());
        match key {
            "vdev_tree" => {
                self.place = Place::Tree;
                self.last().vdevs.push(ConfigVdev::default());
                self.fresh_vdev = true;
                return true;
            }
            "features_for_read" | "features_for_write" => {
                self.place = Place::Features;
                return true;
            }
            "version"
                if self.last().number("version").is_some() && self.place != Place::Uberblock =>
            {
                self.begin("");
            }
            "version" => self.place = Place::Pool,
            _ => {}
        }
        if key.contains(' ') || (value.is_empty() && self.place != Place::Features) {
            return false;
        }
        let text = value.strip_prefix('\'').map(|v| v.trim_end_matches('\'').to_string());
        match self.place {
            Place::Tree => self.vdev_key(key, value, text),
            _ => self.pool_key(key, value, text),
        }
    }

    /// A key without a value: a feature, or a flag such as `com.delphix:has_per_vdev_zaps`.
    fn bare(&mut self, text: &str) -> bool {
        let flag = text.contains(':') && !text.contains(' ');
        if flag && self.place == Place::Features && self.last().features.len() < 200 {
            self.last().features.push(text.to_string());
        }
        flag
    }

    fn pool_key(&mut self, key: &str, value: &str, text: Option<String>) -> bool {
        let config = self.last();
        match (text, integer(value)) {
            (Some(text), _) => config.strings.push((key.to_string(), text)),
            (None, Some(number)) => config.numbers.push((key.to_string(), number)),
            (None, None) => return false,
        }
        true
    }

    fn vdev_key(&mut self, key: &str, value: &str, text: Option<String>) -> bool {
        let fresh = self.fresh_vdev;
        let config = self.last();
        let again = key == "type" && config.vdevs.last().is_some_and(|v| !v.kind.is_empty());
        if (again && !fresh) || config.vdevs.is_empty() {
            config.vdevs.push(ConfigVdev::default());
        }
        let Some(vdev) = config.vdevs.last_mut() else {
            return false;
        };
        match (key, text, integer(value)) {
            ("type", Some(text), _) => vdev.kind = text,
            ("path", Some(text), _) => vdev.path = text,
            ("guid", _, Some(number)) => vdev.guid = number,
            ("id", _, Some(number)) => vdev.id = number,
            (_, Some(text), _) => vdev.strings.push((key.to_string(), text)),
            (_, None, Some(number)) => vdev.numbers.push((key.to_string(), number)),
            (_, None, None) => return false,
        }
        self.fresh_vdev = false;
        true
    }
}
