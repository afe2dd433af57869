//! Rows of `zpool list` and `zpool list -v`, of every version.
//!
//! ```text
//! NAME  SIZE  ALLOC  FREE  [CKPOINT]  [EXPANDSZ  FRAG]  CAP  DEDUP  HEALTH  ALTROOT
//! ```
//!
//! A pool's row has a DEDUP, a vdev's an ALLOC, a device's neither; headings (`special`, `logs`)
//! have dashes only. So the tree stands without its indentation.

use super::detect::{is_health, is_list_cell};
use super::reading::{Reading, is_command, is_elision};
use super::text::{Line, integer, nice, percent};
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

/// One row. Sizes are bytes as far as the printed digits say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListRow {
    /// Line number.
    pub line: u64,
    /// Name.
    pub name: String,
    /// Cells as printed, by column name.
    pub cells: Vec<(String, String)>,
    /// Health; empty when not printed.
    pub health: String,
    /// Whether the text ends inside the row.
    pub cut: bool,
}

impl ListRow {
    /// The cell as printed; `None` for a dash or nothing.
    pub fn text(&self, column: &str) -> Option<&str> {
        let cell = self.cells.iter().find(|(name, _)| name == column)?;
        (cell.1 != "-").then_some(cell.1.as_str())
    }

    /// The cell as a number: bytes, or percent for `CAP` and `FRAG`.
    pub fn number(&self, column: &str) -> Option<f64> {
        let text = self.text(column)?;
        percent(text).or_else(|| nice(text))
    }

    /// The cell as the exact number that `-p` prints.
    pub fn exact(&self, column: &str) -> Option<u64> {
        integer(self.text(column)?)
    }
}

/// One top-level vdev.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListVdev {
    /// `normal`, or the heading it stands under.
    pub class: String,
    /// Its row.
    pub row: ListRow,
    /// Its devices.
    pub leaves: Vec<ListRow>,
}

/// One pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListPool {
    /// Its row; absent when the line is missing.
    pub row: Option<ListRow>,
    /// Its vdevs; only with `-v`.
    pub vdevs: Vec<ListVdev>,
}

/// All pools of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListText {
    /// Columns of the head, or those guessed.
    pub columns: Vec<String>,
    /// Whether the head was there.
    pub headed: bool,
    /// Pools in order.
    pub pools: Vec<ListPool>,
}

const FULL: [&str; 9] =
    ["SIZE", "ALLOC", "FREE", "CKPOINT", "EXPANDSZ", "FRAG", "CAP", "DEDUP", "HEALTH"];

/// The columns of a table without a head, by the cells in front of the health.
fn guess(lines: &[Line<'_>]) -> Vec<String> {
    let mut best = 8;
    for line in lines.iter().take(2000) {
        let words = line.words();
        if let Some(at) = words.iter().skip(1).position(|w| is_health(w)) {
            best = at;
            break;
        }
    }
    let skip: &[&str] = match best {
        8.. => &[],
        7 => &["CKPOINT"],
        _ => &["CKPOINT", "EXPANDSZ", "FRAG"],
    };
    FULL.iter().filter(|c| !skip.contains(c)).map(|c| c.to_string()).collect()
}

/// Reads the pools; what was not used is dropped into `reading`.
pub(crate) fn parse(lines: &[Line<'_>], reading: &mut Reading) -> ListText {
    let mut out = ListText { columns: guess(lines), ..ListText::default() };
    let mut class = "normal".to_string();
    for (index, line) in lines.iter().enumerate() {
        let words = line.words();
        if words.is_empty() || line.is_rule() {
            continue;
        }
        if words.first() == Some(&"NAME") {
            out.columns = words.iter().skip(1).map(|w| w.to_string()).collect();
            out.headed = true;
            continue;
        }
        if is_command(line.text) || is_elision(line.text) {
            reading.drop_unfit(line, "zpool list");
            continue;
        }
        let last = lines.iter().skip(index + 1).all(Line::is_blank);
        let Some(row) = row_of(line, &words, &out.columns, last, reading) else {
            continue;
        };
        place(row, &mut class, &mut out);
    }
    out
}

/// One row; `None` when it is dropped.
fn row_of(
    line: &Line<'_>,
    words: &[&str],
    columns: &[String],
    last: bool,
    reading: &mut Reading,
) -> Option<ListRow> {
    let (name, rest) = words.split_first()?;
    let mut row = ListRow { line: line.number, name: name.to_string(), ..ListRow::default() };
    let before = columns.iter().position(|c| c == "HEALTH").unwrap_or(columns.len());
    for (column, word) in columns.iter().take(before).zip(rest) {
        let other = !FULL.contains(&column.as_str());
        if !is_list_cell(word) && !other {
            break;
        }
        row.cells.push((column.clone(), word.to_string()));
    }
    let health = rest.get(row.cells.len()).copied().unwrap_or("");
    let half = last
        && !health.is_empty()
        && "ONLINE DEGRADED FAULTED OFFLINE UNAVAIL".split(' ').any(|h| h.starts_with(health));
    if is_health(health) || half {
        row.health = if is_health(health) { health.to_string() } else { String::new() };
    }
    row.cut = half && !is_health(health) || row.cells.len() < before;
    if row.cells.is_empty() {
        let cut = last && rest.is_empty();
        let why = if cut { "the row is cut after its name" } else { "not a row of zpool list" };
        reading.drop_line(line, why);
        return None;
    }
    if row.cells.len() < before {
        let usable = row.number("SIZE").is_some() && row.number("FREE").is_some();
        let why = if usable {
            format!(
                "the row is cut after {} of {before} cells; its sizes were used",
                row.cells.len()
            )
        } else {
            format!("the row is cut after {} of {before} cells", row.cells.len())
        };
        let heading = row.cells.iter().all(|(_, c)| c == "-") && is_heading(name);
        if !heading {
            reading.drop_line(line, &why);
        }
        return (usable || heading).then_some(row);
    }
    if row.cut {
        reading.drop_line(line, "the last word is cut; the rest of the row was used");
    }
    Some(row)
}

fn is_heading(name: &str) -> bool {
    matches!(name, "logs" | "cache" | "special" | "dedup" | "spare" | "spares" | "log")
}

/// Puts a row where it belongs.
fn place(row: ListRow, class: &mut String, out: &mut ListText) {
    let dashes = row.cells.iter().all(|(_, cell)| cell == "-");
    let pool = row.text("DEDUP").is_some()
        || (!out.columns.iter().any(|c| c == "DEDUP") && row.number("ALLOC").is_some());
    if dashes && is_heading(&row.name) {
        *class = row.name;
        return;
    }
    if pool {
        *class = "normal".to_string();
        out.pools.push(ListPool { row: Some(row), vdevs: Vec::new() });
        return;
    }
    if out.pools.is_empty() {
        out.pools.push(ListPool::default());
    }
    let Some(pool) = out.pools.last_mut() else {
        return;
    };
    if row.number("ALLOC").is_some() {
        pool.vdevs.push(ListVdev { class: class.clone(), row, leaves: Vec::new() });
        return;
    }
    match pool.vdevs.last_mut().filter(|v| v.class == *class) {
        Some(vdev) => vdev.leaves.push(row),
        None => pool.vdevs.push(ListVdev {
            class: class.clone(),
            row: ListRow::default(),
            leaves: Vec::from([row]),
        }),
    }
}
