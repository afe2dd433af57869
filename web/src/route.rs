//! Where the user is, as the part of the address behind `#`.
//!
//! ```text
//!   #/metaslab?sample=raidz&vdev=0&ms=12&from=0x1000&to=0x9000&tab=tree&path=3.17
//! ```
//!
//! Everything that can be shared stands in the address: a built-in sample, the place in it, how it
//! is drawn, a pasted text (compressed). A local file cannot be shared; its name is kept so that
//! whoever follows the link is told which file to open. Reading is tolerant: what is not understood
//! is left at its default, so an address never fails.

use std::fmt::Write as _;

/// Longest pasted text that goes into a link, in bytes before compression.
pub const MAX_SHARED_TEXT: usize = 64 << 10;

/// The eight views, in the order of their keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// Open something.
    #[default]
    Start,
    /// Vdev tree, features, space.
    Pool,
    /// Every metaslab.
    Map,
    /// One metaslab.
    Metaslab,
    /// Data sets, files, objects.
    Files,
    /// Labels and uberblock rings.
    Labels,
    /// Walk every block.
    Check,
    /// Pasted text.
    Explain,
}

impl View {
    /// All views, by key.
    pub const ALL: [Self; 8] = [
        Self::Start,
        Self::Pool,
        Self::Map,
        Self::Metaslab,
        Self::Files,
        Self::Labels,
        Self::Check,
        Self::Explain,
    ];

    /// Word in the address.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "open",
            Self::Pool => "pool",
            Self::Map => "map",
            Self::Metaslab => "metaslab",
            Self::Files => "files",
            Self::Labels => "labels",
            Self::Check => "check",
            Self::Explain => "explain",
        }
    }

    /// Label in the rail.
    pub fn label(self) -> &'static str {
        match self {
            Self::Start => "Open",
            Self::Pool => "Pool",
            Self::Map => "Map",
            Self::Metaslab => "Metaslab",
            Self::Files => "Files",
            Self::Labels => "Labels",
            Self::Check => "Check",
            Self::Explain => "Explain",
        }
    }

    /// Key that opens it, from 1.
    pub fn key(self) -> usize {
        Self::ALL.iter().position(|&v| v == self).map_or(1, |i| i + 1)
    }

    /// Whether it shows an open pool.
    pub fn needs_pool(self) -> bool {
        !matches!(self, Self::Start | Self::Explain)
    }
}

/// What the colour of a metaslab says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// Allocated share.
    #[default]
    Fill,
    /// Fragmentation of its free space.
    Fragmentation,
    /// Weight: what the allocator compares.
    Weight,
    /// Largest free segment.
    Largest,
}

impl Metric {
    /// All metrics in the order of their buttons.
    pub const ALL: [Self; 4] = [Self::Fill, Self::Fragmentation, Self::Weight, Self::Largest];

    /// Word in the address.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Fragmentation => "frag",
            Self::Weight => "weight",
            Self::Largest => "largest",
        }
    }

    /// Label of its button.
    pub fn label(self) -> &'static str {
        match self {
            Self::Fill => "Fill",
            Self::Fragmentation => "Fragmentation",
            Self::Weight => "Weight",
            Self::Largest => "Largest run",
        }
    }
}

/// The whole place. Fields that the view does not use are kept, so that going back and forth
/// between views loses nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// View.
    pub view: View,
    /// Built-in sample that is open.
    pub sample: Option<String>,
    /// Names of the local files that are open.
    pub files: Vec<String>,
    /// Colour of the map.
    pub metric: Metric,
    /// Top-level vdev.
    pub vdev: u64,
    /// Metaslab.
    pub metaslab: u64,
    /// Stretch of the metaslab, in bytes from its start; the whole when absent.
    pub stretch: Option<(u64, u64)>,
    /// Whether the range tree is open rather than the segments.
    pub tree: bool,
    /// Way down the range tree.
    pub path: Vec<u32>,
    /// Data set; empty for none chosen.
    pub dataset: String,
    /// Directory in it.
    pub dir: String,
    /// Whether objects are listed rather than files.
    pub objects: bool,
    /// Object that is open.
    pub object: Option<u64>,
    /// Device on the labels view, by index.
    pub device: u64,
    /// Label of it.
    pub label: u64,
    /// Pasted text.
    pub text: Option<String>,
}

impl Route {
    /// The same place seen through `view`.
    #[must_use]
    pub fn with(&self, view: View) -> Self {
        Self { view, ..self.clone() }
    }

    /// This place, with what its address does not carry taken from `before`, so that the back
    /// button forgets nothing of the other views.
    #[must_use]
    pub fn over(mut self, before: &Self) -> Self {
        let old = before.clone();
        let space = matches!(self.view, View::Map | View::Metaslab);
        if !space {
            (self.vdev, self.metaslab) = (old.vdev, old.metaslab);
        }
        let same = (self.vdev, self.metaslab) == (old.vdev, old.metaslab);
        if self.view != View::Metaslab && same {
            (self.stretch, self.tree, self.path) = (old.stretch, old.tree, old.path);
        }
        if self.view != View::Map {
            self.metric = old.metric;
        }
        if self.view != View::Files {
            (self.dataset, self.dir) = (old.dataset, old.dir);
            (self.objects, self.object) = (old.objects, old.object);
        }
        if self.view != View::Labels {
            (self.device, self.label) = (old.device, old.label);
        }
        if self.view != View::Explain {
            self.text = old.text;
        }
        self
    }

    /// One metaslab, whole, with the tree closed.
    #[must_use]
    pub fn to_metaslab(&self, vdev: u64, metaslab: u64) -> Self {
        Self {
            view: View::Metaslab,
            vdev,
            metaslab,
            stretch: None,
            path: Vec::new(),
            ..self.clone()
        }
    }

    /// Reads what follows `#`, with or without it.
    pub fn parse(hash: &str) -> Self {
        let hash = hash.trim_start_matches('#').trim_start_matches('/');
        let (word, query) = hash.split_once('?').unwrap_or((hash, ""));
        let mut route = Self {
            view: View::ALL.into_iter().find(|v| v.word() == word).unwrap_or_default(),
            ..Self::default()
        };
        let (mut from, mut to) = (None, None);
        for (key, value) in query.split('&').filter_map(|p| p.split_once('=')) {
            match key {
                "from" => from = number(value),
                "to" => to = number(value),
                _ => route.set(key, value),
            }
        }
        route.stretch = from.zip(to).filter(|(a, b)| a < b);
        route
    }

    fn set(&mut self, key: &str, value: &str) {
        match key {
            "sample" => self.sample = Some(decode(value)).filter(|s| !s.is_empty()),
            "file" => self.files.push(decode(value)),
            "by" => {
                self.metric =
                    Metric::ALL.into_iter().find(|m| m.word() == value).unwrap_or_default();
            }
            "vdev" => self.vdev = number(value).unwrap_or(0),
            "ms" => self.metaslab = number(value).unwrap_or(0),
            "tab" => self.tree = value == "tree",
            "path" => {
                self.path = value.split('.').map_while(|n| n.parse().ok()).take(32).collect();
            }
            "ds" => self.dataset = decode(value),
            "dir" => self.dir = decode(value),
            "list" => self.objects = value == "objects",
            "object" => self.object = number(value),
            "device" => self.device = number(value).unwrap_or(0),
            "label" => self.label = number(value).unwrap_or(0).min(3),
            "text" => self.text = unpack(value),
            _ => {}
        }
    }

    /// The address of the place, with `#`. Defaults are left out.
    pub fn to_hash(&self) -> String {
        let mut q: Vec<(&str, String)> = Vec::new();
        if let Some(sample) = &self.sample {
            q.push(("sample", encode(sample)));
        }
        q.extend(self.files.iter().map(|f| ("file", encode(f))));
        match self.view {
            View::Map => self.map_query(&mut q),
            View::Metaslab => self.metaslab_query(&mut q),
            View::Files => self.files_query(&mut q),
            View::Labels => {
                q.push(("device", self.device.to_string()));
                q.push(("label", self.label.to_string()));
            }
            View::Explain => {
                let text = self.text.as_deref().filter(|t| t.len() <= MAX_SHARED_TEXT);
                q.extend(text.map(|t| ("text", pack(t))));
            }
            View::Start | View::Pool | View::Check => {}
        }
        let mut out = format!("#/{}", self.view.word());
        for (i, (key, value)) in q.iter().enumerate() {
            let _ = write!(out, "{}{key}={value}", if i == 0 { '?' } else { '&' });
        }
        out
    }

    fn map_query(&self, q: &mut Vec<(&str, String)>) {
        if self.metric != Metric::Fill {
            q.push(("by", self.metric.word().into()));
        }
        q.push(("vdev", self.vdev.to_string()));
        q.push(("ms", self.metaslab.to_string()));
    }

    fn metaslab_query(&self, q: &mut Vec<(&str, String)>) {
        q.push(("vdev", self.vdev.to_string()));
        q.push(("ms", self.metaslab.to_string()));
        if let Some((from, to)) = self.stretch {
            q.push(("from", format!("{from:#x}")));
            q.push(("to", format!("{to:#x}")));
        }
        if self.tree {
            q.push(("tab", "tree".into()));
        }
        if !self.path.is_empty() {
            let path: Vec<String> = self.path.iter().map(u32::to_string).collect();
            q.push(("path", path.join(".")));
        }
    }

    fn files_query(&self, q: &mut Vec<(&str, String)>) {
        if !self.dataset.is_empty() {
            q.push(("ds", encode(&self.dataset)));
        }
        if !self.dir.is_empty() {
            q.push(("dir", encode(&self.dir)));
        }
        if self.objects {
            q.push(("list", "objects".into()));
        }
        if let Some(object) = self.object {
            q.push(("object", object.to_string()));
        }
    }
}

/// A decimal or `0x` hexadecimal number.
pub fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b'@' => {
                out.push(b as char);
            }
            _ => {
                let _ = write!(out, "%{b:02X}");
            }
        }
    }
    out
}

fn decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&b, tail)) = rest.split_first() {
        let hex = (b == b'%')
            .then(|| tail.get(..2).and_then(|h| std::str::from_utf8(h).ok()))
            .flatten()
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match hex {
            Some(byte) => {
                out.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                out.push(b);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Deflate, then base64 with the letters that need no escape in an address.
fn pack(text: &str) -> String {
    let bytes = miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9);
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let value = group
            .iter()
            .chain(std::iter::repeat(&0))
            .take(3)
            .fold(0u32, |v, &b| v << 8 | u32::from(b));
        for i in 0..=group.len() as u32 {
            out.push(BASE64[(value >> (18 - 6 * i) & 63) as usize] as char);
        }
    }
    out
}

fn unpack(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.as_bytes().chunks(4) {
        let mut value = 0u32;
        for &c in group {
            value = value << 6 | BASE64.iter().position(|&b| b == c)? as u32;
        }
        value <<= 6 * (4 - group.len() as u32);
        let full = value.to_be_bytes();
        bytes.extend_from_slice(full.get(1..group.len())?);
    }
    let plain = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, MAX_SHARED_TEXT).ok()?;
    String::from_utf8(plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hash: &str, expect: Route) {
        assert_eq!(Route::parse(hash), expect, "{hash}");
        assert_eq!(expect.to_hash(), hash);
    }

    #[test]
    fn addresses_round_trip() {
        check("#/open", Route::default());
        check(
            "#/map?sample=raidz&by=frag&vdev=1&ms=7",
            Route {
                view: View::Map,
                sample: Some("raidz".into()),
                metric: Metric::Fragmentation,
                vdev: 1,
                metaslab: 7,
                ..Route::default()
            },
        );
        check(
            "#/metaslab?vdev=0&ms=3&from=0x1000&to=0x2000&tab=tree&path=3.17",
            Route {
                view: View::Metaslab,
                metaslab: 3,
                stretch: Some((0x1000, 0x2000)),
                tree: true,
                path: vec![3, 17],
                ..Route::default()
            },
        );
        check(
            "#/files?file=a%20b.img&ds=tank/a@s&dir=/x%26y",
            Route {
                view: View::Files,
                files: vec!["a b.img".into()],
                dataset: "tank/a@s".into(),
                dir: "/x&y".into(),
                ..Route::default()
            },
        );
    }

    #[test]
    fn going_back_forgets_nothing_of_other_views() {
        let here = Route::parse("#/metaslab?vdev=1&ms=2&from=1&to=9&tab=tree");
        let pool = Route::parse("#/pool").over(&here);
        assert_eq!((pool.vdev, pool.metaslab, pool.stretch), (1, 2, Some((1, 9))));
        let map = Route::parse("#/map?vdev=1&ms=3").over(&here);
        assert_eq!((map.metaslab, map.stretch), (3, None));
    }

    #[test]
    fn a_pasted_text_travels() {
        for text in ["", "a", "ab", "abc", "abcd", "metaslab 0 offset 0\n\u{b5}s\n"] {
            let route =
                Route { view: View::Explain, text: Some(text.repeat(20)), ..Route::default() };
            assert_eq!(Route::parse(&route.to_hash()), route, "{text:?}");
        }
    }

    #[test]
    fn nonsense_is_the_start_screen() {
        for hash in ["", "#", "#/nowhere?x", "#/open?text=%%%&vdev=-1&path=x&from=9&to=1&label=9"] {
            let route = Route::parse(hash);
            assert_eq!(route.view, View::Start, "{hash}");
            assert_eq!((route.stretch, route.text, route.vdev), (None, None, 0));
            assert!(route.label <= 3);
        }
        let bomb = pack(&"x".repeat(MAX_SHARED_TEXT + 1));
        assert_eq!(Route::parse(&format!("#/explain?text={bomb}")).text, None);
    }

    #[test]
    fn keys_follow_the_rail() {
        assert_eq!(View::Start.key(), 1);
        assert_eq!(View::Explain.key(), 8);
    }
}
