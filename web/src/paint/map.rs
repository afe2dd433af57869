//! The metaslab map: each metaslab a vessel in a grid, a row of grids a pool.
//!
//! ```text
//!   +--+ +--+ +--+        fill: water stands as high as the metaslab is allocated
//!   |  | |~~| |##|        fragmentation, weight, largest run: the whole cell in the ramp's colour,
//!   |~~| |##| |##|        with the histogram of free segments where the cell is big enough
//!   +--+ +--+ +--+
//! ```

use super::color::{Palette, Ramp};
use super::pixmap::{Pixmap, Rect};
use crate::route::Metric;
use crate::text;
use tidepool::view::{MapView, MetaslabView, VdevMapView};

/// Cell sides tried, in CSS pixels; the first that lets the whole pool fit is taken.
const SIDES: [u32; 14] = [96, 80, 72, 64, 56, 48, 40, 32, 24, 20, 16, 12, 8, 6];

/// Cells from this side on show the histogram of their free segments.
const SIDE_WITH_HISTOGRAM: u32 = 32;

/// Where the cells of one vdev are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Side of a cell.
    pub side: u32,
    /// Space between cells.
    pub gap: u32,
    /// Cells a row.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
    /// Cells.
    pub count: u32,
}

impl Grid {
    /// A grid of `count` cells of `side` in `width`.
    pub fn new(count: usize, side: u32, width: u32) -> Self {
        let gap = gap_of(side);
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let columns = ((width + gap) / (side + gap)).clamp(1, count.max(1));
        Self { side, gap, columns, rows: count.div_ceil(columns), count }
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        (self.columns * (self.side + self.gap)).saturating_sub(self.gap)
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.rows.saturating_mul(self.side + self.gap).saturating_sub(self.gap)
    }

    /// The place of cell `index`.
    pub fn rect(&self, index: u32) -> Rect {
        let step = self.side + self.gap;
        Rect::new(
            index % self.columns * step,
            (index / self.columns).saturating_mul(step),
            self.side,
            self.side,
        )
    }

    /// The cell at a point; gaps belong to the cell before them.
    pub fn at(&self, x: f64, y: f64) -> Option<u32> {
        let step = f64::from(self.side + self.gap);
        if x < 0.0 || y < 0.0 {
            return None;
        }
        let (column, row) = ((x / step) as u32, (y / step) as u32);
        let index = row.checked_mul(self.columns)?.checked_add(column)?;
        (column < self.columns && index < self.count).then_some(index)
    }

    /// The cell that an arrow key leads to from `index`: `dx`, `dy` cells away, or `None` past an
    /// edge. Left and right run on through the rows.
    pub fn step(&self, index: u32, dx: i64, dy: i64) -> Option<u32> {
        let to = i64::from(index) + dx + dy * i64::from(self.columns);
        u32::try_from(to).ok().filter(|&i| i < self.count)
    }
}

fn gap_of(side: u32) -> u32 {
    match side {
        0..=6 => 1,
        7..=23 => 2,
        24..=47 => 3,
        _ => 4,
    }
}

/// The largest side at which vdevs of `counts` metaslabs fit `width` by `height`; the smallest side
/// when none does, and the page scrolls.
pub fn cell_side(counts: &[usize], width: u32, height: u32) -> u32 {
    let fits = |side: u32| {
        let total: u64 =
            counts.iter().map(|&c| u64::from(Grid::new(c, side, width).height())).sum();
        total <= u64::from(height)
    };
    SIDES.into_iter().find(|&side| fits(side)).unwrap_or(SIDES[SIDES.len() - 1])
}

/// What the two ends of the ramp mean, for one pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetricScale {
    metric: Metric,
    low: f64,
    high: f64,
}

impl MetricScale {
    /// The scale of `metric` over all metaslabs of `map`.
    pub fn new(metric: Metric, map: &MapView) -> Self {
        let (low, high) = match metric {
            Metric::Fill | Metric::Fragmentation => (0.0, 1.0),
            Metric::Weight | Metric::Largest => {
                let all = map.vdevs.iter().flat_map(|v| &v.metaslabs);
                let known = all.filter_map(|m| raw_value(metric, m));
                known.fold((64.0, 0.0), |(low, high), v| (v.min(low), v.max(high)))
            }
        };
        Self { metric, low, high }
    }

    /// Place of a metaslab on the ramp, 0 to 1; `None` when its number is not known.
    pub fn value(&self, metaslab: &MetaslabView) -> Option<f64> {
        let raw = raw_value(self.metric, metaslab)?;
        let span = self.high - self.low;
        Some(if span > 0.0 { (raw - self.low) / span } else { 0.5 })
    }

    /// The ramp.
    pub fn ramp(&self, palette: &Palette) -> Ramp {
        match self.metric {
            Metric::Fill => palette.fill,
            Metric::Fragmentation => palette.fragmentation,
            Metric::Weight => palette.weight,
            Metric::Largest => palette.largest,
        }
    }

    /// Words for the two ends of the ramp.
    pub fn ends(&self) -> (String, String) {
        let power = |v: f64| text::bytes(1u64 << (v as u32).min(63));
        match self.metric {
            Metric::Fill => ("empty".into(), "full".into()),
            Metric::Fragmentation => ("0 %".into(), "100 %".into()),
            Metric::Weight if self.low <= self.high => {
                (format!("{} runs", power(self.low)), format!("{} runs", power(self.high)))
            }
            Metric::Largest if self.low <= self.high => (power(self.low), power(self.high)),
            Metric::Weight | Metric::Largest => ("low".into(), "high".into()),
        }
    }
}

fn raw_value(metric: Metric, m: &MetaslabView) -> Option<f64> {
    match metric {
        _ if m.problem.is_some() => None,
        Metric::Fill if m.size > 0 => Some(m.size.saturating_sub(m.free) as f64 / m.size as f64),
        Metric::Fill => None,
        Metric::Fragmentation => m.fragmentation.map(|f| f as f64 / 100.0),
        Metric::Weight => weight_power(m.weight),
        Metric::Largest => (m.max_size > 0).then(|| log2(m.max_size)),
    }
}

/// A weight on a scale of powers of two: for a segment weight the size of its largest runs, a
/// little more when there are many of them; for a space weight its bytes.
fn weight_power(weight: u64) -> Option<f64> {
    const SPACE_BASED: u64 = 1 << 60;
    let (index, count) = (weight >> 54 & 0x3f, weight & ((1 << 54) - 1));
    if weight & SPACE_BASED != 0 {
        let space = weight & (SPACE_BASED - 1);
        return (space > 0).then(|| log2(space));
    }
    (count > 0).then(|| index as f64 + (log2(count) / 16.0).min(0.99))
}

/// Log2 that is exact on powers of two and linear between them, so that it is the same everywhere.
fn log2(n: u64) -> f64 {
    let whole = n.max(1).ilog2();
    f64::from(whole) + n as f64 / (1u64 << whole) as f64 - 1.0
}

/// The chosen number of a metaslab in words, short enough for a cell.
pub fn metric_words(metric: Metric, m: &MetaslabView) -> String {
    match metric {
        Metric::Fill => text::percent(m.size.saturating_sub(m.free), m.size),
        Metric::Fragmentation => m.fragmentation.map_or("?".into(), |f| format!("{f} %")),
        Metric::Weight => m.weight_text.clone(),
        Metric::Largest => text::bytes(m.max_size),
    }
}

/// Paints the cells of one vdev, `scale` device pixels a CSS pixel.
pub fn paint_grid(
    vdev: &VdevMapView,
    grid: &Grid,
    metric: &MetricScale,
    palette: &Palette,
    scale: u32,
) -> Pixmap {
    let mut out = Pixmap::new(grid.width() * scale, grid.height().saturating_mul(scale));
    for (index, metaslab) in (0u32..).zip(&vdev.metaslabs) {
        let cell = grid.rect(index);
        let cell =
            Rect::new(cell.x * scale, cell.y.saturating_mul(scale), cell.w * scale, cell.h * scale);
        paint_cell(&mut out, cell, metaslab, metric, palette, scale);
    }
    out
}

fn paint_cell(
    out: &mut Pixmap,
    cell: Rect,
    m: &MetaslabView,
    metric: &MetricScale,
    palette: &Palette,
    scale: u32,
) {
    out.fill(cell, palette.vessel);
    let Some(value) = metric.value(m) else {
        return paint_unknown(out, cell, m.problem.is_some(), palette, scale);
    };
    let color = metric.ramp(palette).at(value);
    if metric.metric != Metric::Fill {
        out.fill(cell, color);
        if cell.w / scale >= SIDE_WITH_HISTOGRAM {
            paint_histogram(out, cell, m, color, scale);
        }
        return;
    }
    let mut level = (f64::from(cell.h) * value + 0.5) as u32;
    // A drop is seen, and a last drop of air too.
    if value > 0.0 {
        level = level.max(scale);
    }
    if value < 1.0 {
        level = level.min(cell.h.saturating_sub(scale));
    }
    let top = cell.y + cell.h - level;
    out.fill(Rect::new(cell.x, top, cell.w, level), color);
    if level > 3 * scale && cell.w >= 12 * scale {
        out.fill(Rect::new(cell.x, top, cell.w, scale), palette.surface);
    }
}

/// Stripes: no number, or damage.
fn paint_unknown(out: &mut Pixmap, cell: Rect, damaged: bool, palette: &Palette, scale: u32) {
    let color = if damaged { palette.alarm } else { palette.line };
    let period = 4 * scale;
    for dy in 0..cell.h {
        for dx in 0..cell.w {
            if (dx + dy) % period < scale {
                out.fill(Rect::new(cell.x + dx, cell.y + dy, 1, 1), color);
            }
        }
    }
}

/// Free segments by size along the foot of a cell, small ones left.
fn paint_histogram(out: &mut Pixmap, cell: Rect, m: &MetaslabView, ground: super::Rgb, scale: u32) {
    let first = m.histogram.iter().position(|&n| n > 0).unwrap_or(0);
    let bars = m.histogram.get(first..).unwrap_or_default();
    let most = bars.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let ink = if ground.is_light() {
        ground.mix(super::Rgb(0, 0, 0), 0.35)
    } else {
        ground.mix(super::Rgb(255, 255, 255), 0.45)
    };
    let inner = cell.w - 8 * scale;
    let step = (inner / bars.len().max(1) as u32).clamp(scale, 6 * scale);
    let room = f64::from(cell.h) * 0.4;
    for (i, &n) in (0u32..).zip(bars).filter(|&(_, &n)| n > 0) {
        let height = (room * (1.0 + log2(n)) / (1.0 + log2(most)) + 0.5) as u32;
        let x = cell.x + 4 * scale + i * step;
        if x + step > cell.x + cell.w {
            break;
        }
        let y = cell.y + cell.h - 4 * scale - height;
        out.fill(Rect::new(x, y, (step - 1).max(1), height), ink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_grid_finds_back_what_it_places() {
        for count in [1, 7, 200] {
            let grid = Grid::new(count, 24, 320);
            for i in 0..grid.count {
                let r = grid.rect(i);
                assert!(r.x + r.w <= grid.width() && r.y + r.h <= grid.height());
                assert_eq!(grid.at(f64::from(r.x) + 1.0, f64::from(r.y) + 1.0), Some(i));
            }
            assert_eq!(grid.at(-1.0, 0.0), None);
            assert_eq!(grid.at(1.0, 1e12), None);
        }
    }

    #[test]
    fn arrows_stay_inside() {
        let grid = Grid::new(10, 24, 24 * 4 + 9);
        assert_eq!(grid.columns, 4);
        assert_eq!(grid.step(3, 1, 0), Some(4));
        assert_eq!(grid.step(0, -1, 0), None);
        assert_eq!(grid.step(7, 0, 1), None);
        assert_eq!(grid.step(5, 0, 1), Some(9));
        assert_eq!(grid.step(5, 0, -1), Some(1));
    }

    #[test]
    fn the_side_shrinks_until_all_fit() {
        assert_eq!(cell_side(&[4], 900, 400), 96);
        let side = cell_side(&[200, 200], 900, 500);
        let total = 2 * Grid::new(200, side, 900).height();
        assert!(total <= 500 && side >= 24, "{side}");
        assert_eq!(cell_side(&[1_000_000], 300, 300), 6);
    }

    #[test]
    fn water_stands_as_high_as_the_fill() {
        let map = fixture::map(&[200]);
        let vdev = &map.vdevs[0];
        let grid = Grid::new(vdev.metaslabs.len(), 40, 900);
        let scale = MetricScale::new(Metric::Fill, &map);
        let pixels = paint_grid(vdev, &grid, &scale, &Palette::LIGHT, 1);
        for (i, m) in (0u32..).zip(&vdev.metaslabs) {
            let r = grid.rect(i);
            let dry = (0..r.h)
                .filter(|dy| pixels.at(r.x + 1, r.y + dy).0 == Palette::LIGHT.vessel)
                .count();
            let expect = m.free as f64 / m.size as f64 * 40.0;
            assert!((dry as f64 - expect).abs() <= 1.0, "{i}: {dry} for {expect}");
        }
    }

    #[test]
    fn damage_is_striped_in_the_alarm_colour() {
        let mut map = fixture::map(&[2]);
        map.vdevs[0].metaslabs[1].problem = Some("bad".into());
        map.vdevs[0].metaslabs[0].fragmentation = None;
        let grid = Grid::new(2, 16, 100);
        let scale = MetricScale::new(Metric::Fragmentation, &map);
        let pixels = paint_grid(&map.vdevs[0], &grid, &scale, &Palette::DARK, 2);
        let r = grid.rect(1);
        assert_eq!(pixels.at(r.x * 2, r.y * 2).0, Palette::DARK.alarm);
        assert_eq!(pixels.at(0, 0).0, Palette::DARK.line);
    }

    #[test]
    fn weights_of_both_kinds_share_a_scale() {
        // 15 runs of 2^15, and a space weight of 8 GiB.
        let segment = weight_power(0x3c0_0000_0000_000f).unwrap();
        assert!((15.2..15.3).contains(&segment), "{segment}");
        let space = weight_power(1 << 60 | 8 << 30).unwrap();
        assert!((33.0..33.1).contains(&space));
        assert_eq!(weight_power(0), None);
    }

    #[test]
    fn odd_maps_do_not_disturb_the_painter() {
        let mut map = fixture::map(&[3]);
        map.vdevs[0].metaslabs[0].size = 0;
        map.vdevs[0].metaslabs[1].free = u64::MAX;
        map.vdevs[0].metaslabs[2].histogram = vec![u64::MAX; 64];
        for metric in Metric::ALL {
            let scale = MetricScale::new(metric, &map);
            let grid = Grid::new(3, 96, 900);
            paint_grid(&map.vdevs[0], &grid, &scale, &Palette::LIGHT, 1);
            scale.ends();
        }
        let none = fixture::map(&[]);
        MetricScale::new(Metric::Weight, &none).ends();
    }
}
