//! One metaslab, byte for byte: a strip of any stretch, and the whole as a field of rows.
//!
//! In each column of pixels the water stands as high as the column's bytes are allocated. Where a
//! column is narrower than a segment, it is full or dry, and the edges are those of the segments.
//! The strip is painted from the last view at hand, stretched to the stretch asked for, so that
//! zooming never waits for the worker; the exact view follows.

use super::color::{Palette, Rgb};
use super::pixmap::{Pixmap, Rect};
use tidepool::view::StripView;

/// Sector lines appear when a sector is at least this many pixels wide.
const SECTOR_PIXELS: f64 = 6.0;

/// Free bytes in `from..to` by the view: exact when the segments are listed, else evenly spread
/// within cells. `None` where the view does not reach.
fn free_in(view: &StripView, from: f64, to: f64) -> Option<f64> {
    if to <= view.from as f64 || from >= view.to as f64 {
        return None;
    }
    if let Some(segments) = &view.segments {
        let first = segments.partition_point(|s| s.end as f64 <= from);
        let touching = segments.iter().skip(first);
        let free = touching
            .take_while(|s| (s.start as f64) < to)
            .map(|s| (s.end as f64).min(to) - (s.start as f64).max(from));
        return Some(free.sum());
    }
    let size = view.cell_size.max(1) as f64;
    let place = |at: f64| (at - view.from as f64) / size;
    let (a, b) = (place(from).max(0.0), place(to).max(0.0));
    let last = view.cells.len().min(b as usize + 1);
    let mut free = 0.0;
    for index in a as usize..last {
        let cell = *view.cells.get(index)? as f64;
        let share = (b.min(index as f64 + 1.0) - a.max(index as f64)).max(0.0);
        free += cell * share;
    }
    Some(free)
}

/// Allocated share of a column; very small shares of either kind stay visible.
fn level(view: &StripView, from: f64, to: f64) -> Option<f64> {
    /// Below this a share is rounding, not a sector.
    const NOTHING: f64 = 1e-9;
    let free = free_in(view, from, to)? / (to - from);
    Some(match 1.0 - free {
        share if share < NOTHING => 0.0,
        share if share > 1.0 - NOTHING => 1.0,
        share => share,
    })
}

/// Paints bytes `from..to` into `width` by `height` device pixels. `sector` is the size of a
/// sector, for the lines between them at deep zoom.
pub fn paint_strip(
    view: &StripView,
    (from, to): (u64, u64),
    sector: u64,
    (width, height): (u32, u32),
    palette: &Palette,
) -> Pixmap {
    let mut out = Pixmap::new(width, height);
    let (width, height) = (out.width(), out.height());
    out.fill(Rect::new(0, 0, width, height), palette.vessel);
    if to <= from {
        return out;
    }
    let step = (to - from) as f64 / f64::from(width);
    for x in 0..width {
        let start = from as f64 + step * f64::from(x);
        match level(view, start, start + step) {
            Some(share) => column(&mut out, x, height, share, palette),
            None => unknown(&mut out, x, height, palette),
        }
    }
    if sector as f64 / step >= SECTOR_PIXELS {
        sector_lines(&mut out, from, sector, step, palette);
    }
    out
}

fn column(out: &mut Pixmap, x: u32, height: u32, share: f64, palette: &Palette) {
    let mut rows = (share * f64::from(height) + 0.5) as u32;
    if share > 0.0 {
        rows = rows.max(1);
    }
    if share < 1.0 {
        rows = rows.min(height - 1);
    }
    let color = water(share, palette);
    out.fill(Rect::new(x, height - rows, 1, rows), color);
}

fn water(share: f64, palette: &Palette) -> Rgb {
    palette.fill.at(0.35 + share * 0.5)
}

fn unknown(out: &mut Pixmap, x: u32, height: u32, palette: &Palette) {
    for y in (0..height).filter(|y| (x + y).is_multiple_of(6)) {
        out.fill(Rect::new(x, y, 1, 1), palette.line);
    }
}

fn sector_lines(out: &mut Pixmap, from: u64, sector: u64, step: f64, palette: &Palette) {
    let (width, height) = (out.width(), out.height());
    let mut at = from.div_ceil(sector) * sector;
    loop {
        let x = ((at - from) as f64 / step + 0.5) as u32;
        if x >= width {
            return;
        }
        out.fill(Rect::new(x, 0, 1, height), palette.ground);
        at += sector;
    }
}

/// A metaslab folded into rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// First byte.
    pub from: u64,
    /// Byte after the last.
    pub to: u64,
    /// Rows.
    pub rows: u32,
}

impl Field {
    /// Bytes of a row; the last row may hold fewer.
    pub fn row_bytes(&self) -> u64 {
        (self.to - self.from).div_ceil(u64::from(self.rows.max(1))).max(1)
    }

    /// The byte at a point given as shares of width and height.
    pub fn at(&self, x: f64, y: f64) -> u64 {
        let row = (y.clamp(0.0, 0.999_999) * f64::from(self.rows)) as u64;
        let byte = (x.clamp(0.0, 1.0) * self.row_bytes() as f64) as u64;
        (self.from + row * self.row_bytes() + byte).min(self.to.saturating_sub(1))
    }
}

/// Paints the whole field, one pixel row of air between rows.
pub fn paint_field(
    view: &StripView,
    field: &Field,
    (width, row_height): (u32, u32),
    palette: &Palette,
) -> Pixmap {
    let mut out = Pixmap::new(width, row_height * field.rows);
    let width = out.width();
    let air = if row_height > 4 { row_height / 8 + 1 } else { 0 };
    for row in 0..field.rows {
        let start = field.from + u64::from(row) * field.row_bytes();
        let end = (start + field.row_bytes()).min(field.to);
        if start >= end {
            break;
        }
        let (y, h) = (row * row_height, row_height - air);
        let step = field.row_bytes() as f64 / f64::from(width);
        for x in 0..width {
            let a = start as f64 + step * f64::from(x);
            if a >= end as f64 {
                break;
            }
            let share = level(view, a, (a + step).min(end as f64));
            let color = share.map_or(palette.line, |s| shade(s, palette));
            out.fill(Rect::new(x, y, 1, h), color);
        }
    }
    out
}

/// In the field a column is one colour: dry, or water by share; the least wet is still seen.
fn shade(share: f64, palette: &Palette) -> Rgb {
    if share <= 0.0 {
        return palette.vessel;
    }
    palette.vessel.mix(water(1.0, palette), 0.12 + 0.88 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidepool::view::SegmentView;

    fn view(cells: &[u64], segments: Option<&[(u64, u64)]>) -> StripView {
        StripView {
            vdev: 0,
            metaslab: 0,
            from: 1000,
            to: 1000 + 100 * cells.len() as u64,
            cells: cells.to_vec(),
            cell_size: 100,
            segments: segments
                .map(|s| s.iter().map(|&(start, end)| SegmentView { start, end }).collect()),
            segment_count: 0,
        }
    }

    fn dry_rows(p: &Pixmap, x: u32) -> usize {
        (0..p.height()).filter(|&y| p.at(x, y).0 == Palette::LIGHT.vessel).count()
    }

    #[test]
    fn cells_become_levels() {
        let v = view(&[0, 50, 100, 25], None);
        let p = paint_strip(&v, (1000, 1400), 0, (4, 100), &Palette::LIGHT);
        let dry: Vec<usize> = (0..4).map(|x| dry_rows(&p, x)).collect();
        assert_eq!(dry, [0, 50, 100, 25]);
    }

    #[test]
    fn segments_give_exact_edges_at_any_zoom() {
        let v = view(&[0, 50, 100, 25], Some(&[(1150, 1300), (1375, 1400)]));
        let p = paint_strip(&v, (1100, 1200), 0, (10, 8), &Palette::LIGHT);
        let dry: Vec<bool> = (0..10).map(|x| dry_rows(&p, x) == 8).collect();
        assert_eq!(dry, [[false; 5], [true; 5]].concat());
    }

    #[test]
    fn a_single_free_byte_leaves_air() {
        let v = view(&[1, 99], None);
        let p = paint_strip(&v, (1000, 1200), 0, (2, 20), &Palette::LIGHT);
        assert_eq!((dry_rows(&p, 0), dry_rows(&p, 1)), (1, 19));
    }

    #[test]
    fn beyond_the_view_is_unknown_and_odd_input_is_harmless() {
        let v = view(&[100], None);
        let p = paint_strip(&v, (5000, 6000), 512, (8, 8), &Palette::DARK);
        assert_eq!(p.at(0, 0).0, Palette::DARK.line);
        paint_strip(&v, (5, 5), 0, (8, 8), &Palette::DARK);
        paint_strip(&v, (0, u64::MAX), 512, (8, 8), &Palette::DARK);
        let mut odd = v.clone();
        (odd.cell_size, odd.cells) = (0, vec![u64::MAX]);
        paint_strip(&odd, (0, 2000), 1, (64, 8), &Palette::DARK);
    }

    #[test]
    fn sectors_are_parted_by_lines() {
        let v = view(&[0, 0], None);
        let p = paint_strip(&v, (1000, 1064), 16, (640, 4), &Palette::LIGHT);
        // 1008 is the first multiple of 16.
        assert_eq!(p.at(80, 0).0, Palette::LIGHT.ground);
        assert_ne!(p.at(81, 0).0, Palette::LIGHT.ground);
        assert_eq!(p.at(240, 0).0, Palette::LIGHT.ground);
    }

    #[test]
    fn the_field_folds_and_unfolds() {
        let field = Field { from: 1000, to: 1400, rows: 4 };
        assert_eq!(field.row_bytes(), 100);
        assert_eq!(field.at(0.5, 0.30), 1150);
        assert_eq!(field.at(2.0, 9.0), 1399);
        let v = view(&[0, 100, 0, 100], None);
        let p = paint_field(&v, &field, (10, 10), &Palette::LIGHT);
        assert_eq!(p.at(3, 15).0, Palette::LIGHT.vessel);
        assert_ne!(p.at(3, 5).0, Palette::LIGHT.vessel);
    }

    #[test]
    fn a_million_segments_paint_in_bounded_work() {
        let segments: Vec<(u64, u64)> = (0..1_000_000u64).map(|i| (i * 10, i * 10 + 4)).collect();
        let mut v = view(&[], Some(&segments));
        (v.from, v.to) = (0, 10_000_000);
        let p = paint_strip(&v, (0, 10_000_000), 0, (1600, 10), &Palette::LIGHT);
        assert_eq!(dry_rows(&p, 800), 4);
    }
}
