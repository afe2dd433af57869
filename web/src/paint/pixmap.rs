//! A rectangle of RGBA pixels.

use super::color::Rgb;

/// A rectangle in pixels; what lies outside a pixmap is not painted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: u32,
    /// Top edge.
    pub y: u32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
}

impl Rect {
    /// A rectangle from its corner and size.
    pub fn new(x: u32, y: u32, w: u32, h: u32) -> Self {
        Self { x, y, w, h }
    }
}

/// Pixels, row by row, four bytes each: red, green, blue, opacity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pixmap {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

/// Most pixels of one pixmap; a request for more is cut, so that no size from outside can exhaust
/// memory.
const MAX_PIXELS: u32 = 32 << 20;

impl Pixmap {
    /// A transparent pixmap.
    pub fn new(width: u32, height: u32) -> Self {
        let width = width.clamp(1, 1 << 14);
        let height = height.clamp(1, MAX_PIXELS / width);
        Self { width, height, bytes: vec![0; width as usize * height as usize * 4] }
    }

    /// Pixels a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The bytes, as `ImageData` wants them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Paints a rectangle.
    pub fn fill(&mut self, rect: Rect, color: Rgb) {
        let (right, bottom) = (
            rect.x.saturating_add(rect.w).min(self.width),
            rect.y.saturating_add(rect.h).min(self.height),
        );
        if rect.x >= right {
            return;
        }
        let Rgb(r, g, b) = color;
        for y in rect.y..bottom {
            let at = (y as usize * self.width as usize + rect.x as usize) * 4;
            let row = &mut self.bytes[at..at + (right - rect.x) as usize * 4];
            for pixel in row.chunks_exact_mut(4) {
                pixel.copy_from_slice(&[r, g, b, 255]);
            }
        }
    }

    /// Colour and opacity at a point; transparent outside.
    pub fn at(&self, x: u32, y: u32) -> (Rgb, u8) {
        let at = (y as usize * self.width as usize + x as usize) * 4;
        match self.bytes.get(at..at + 4) {
            Some(&[r, g, b, a]) if x < self.width => (Rgb(r, g, b), a),
            _ => (Rgb(0, 0, 0), 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_clipped() {
        let mut p = Pixmap::new(4, 3);
        p.fill(Rect::new(2, 1, 99, 99), Rgb(9, 8, 7));
        assert_eq!(p.at(1, 1), (Rgb(0, 0, 0), 0));
        assert_eq!(p.at(3, 2), (Rgb(9, 8, 7), 255));
        assert_eq!(p.at(4, 1), (Rgb(0, 0, 0), 0));
        p.fill(Rect::new(u32::MAX, 0, 5, 5), Rgb(1, 1, 1));
        assert_eq!(p.at(0, 0).1, 0);
    }

    #[test]
    fn no_size_exhausts_memory() {
        assert!(Pixmap::new(u32::MAX, u32::MAX).bytes().len() <= 128 << 20);
    }
}
