//! Columns that line up.

use super::HEAD;
use crate::out::{Output, clean};
use std::io::Result;

/// A table with a head. Columns are two spaces apart; numbers stand to the right.
pub(crate) struct Table {
    head: Vec<&'static str>,
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows. A head that starts with `>` is of a column that stands to the right.
    pub(crate) fn new(columns: &[&'static str]) -> Self {
        let right: Vec<bool> = columns.iter().map(|c| c.starts_with('>')).collect();
        let head = columns.iter().map(|c| c.trim_start_matches('>')).collect();
        let rows = Vec::new();
        Self { head, right, rows }
    }

    /// Adds one row with a cell for each column.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        assert_eq!(N, self.head.len(), "invariant: a cell for each column");
        let clean = |cell: &String| clean(cell).replace(['\n', '\t'], " ");
        self.rows.push(cells.iter().map(clean).collect());
    }

    /// Whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Prints head and rows, each line after `indent`.
    pub(crate) fn print(&self, out: &mut Output, indent: &str) -> Result<()> {
        let widths = self.widths();
        let head: Vec<String> = self.head.iter().map(|&h| h.to_owned()).collect();
        out.text(indent)?;
        out.styled(HEAD, &self.format(&head, &widths))?;
        out.text("\n")?;
        for row in &self.rows {
            out.text(indent)?;
            out.line(&self.format(row, &widths))?;
        }
        Ok(())
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.head.iter().map(|h| h.len()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        widths
    }

    fn format(&self, cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, &width), &right) in cells.iter().zip(widths).zip(&self.right) {
            if !line.is_empty() {
                line.push_str("  ");
            }
            match right {
                true => line.push_str(&format!("{cell:>width$}")),
                false => line.push_str(&format!("{cell:<width$}")),
            }
        }
        line.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_lines_end_where_the_text_ends() {
        let mut table = Table::new(&["NAME", ">SIZE", "NOTE"]);
        table.row(["a".into(), "10".into(), String::new()]);
        table.row(["long\nname".into(), "5".into(), "x".into()]);
        let widths = table.widths();
        let lines: Vec<_> = table.rows.iter().map(|r| table.format(r, &widths)).collect();
        assert_eq!(lines, ["a            10", "long name     5  x"]);
    }
}
