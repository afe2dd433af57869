//! Colours. The scales are told apart by lightness alone, so that colour-blind people and printers
//! see them too: more is further from the ground.

use core::fmt;

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rgb(pub(super) u32);

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:06x}", self.0)
    }
}

impl Rgb {
    fn channels(self) -> [f64; 3] {
        [16, 8, 0].map(|shift| f64::from(self.0 >> shift & 0xff))
    }

    /// The colour `share` of the way to `other`.
    fn toward(self, other: Self, share: f64) -> Self {
        let (from, to) = (self.channels(), other.channels());
        let mixed = |i: usize| (from[i] + (to[i] - from[i]) * share + 0.5) as u32;
        Self(mixed(0) << 16 | mixed(1) << 8 | mixed(2))
    }

    /// Perceived lightness from 0 to 255.
    fn luma(self) -> f64 {
        let [r, g, b] = self.channels();
        0.299 * r + 0.587 * g + 0.114 * b
    }

    /// Black or white, whichever reads better on it.
    pub(super) fn ink(self) -> Self {
        if self.luma() > 140.0 { Self(0x0d_1117) } else { Self(0xff_ffff) }
    }
}

const ON_LIGHT: [u32; 8] =
    [0xe6_f3ec, 0xc0_e6c6, 0x85_cfbd, 0x49_b4c2, 0x22_8fbd, 0x22_67a8, 0x26_4190, 0x15_215e];
const ON_DARK: [u32; 8] =
    [0x1e_2a45, 0x26_4275, 0x2d_629c, 0x33_87a8, 0x41_ada6, 0x74_cea4, 0xb4_e6b3, 0xf3_f8c8];

/// For things that are told apart by name. Okabe and Ito's palette.
const NAMED: [u32; 7] =
    [0x00_72b2, 0xe6_9f00, 0x00_9e73, 0xcc_79a7, 0x56_b4e9, 0xd5_5e00, 0xb8_a900];

/// Colours of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Theme {
    pub(super) dark: bool,
    /// The page.
    pub(super) ground: Rgb,
    /// Text.
    pub(super) ink: Rgb,
    /// Less important text.
    pub(super) muted: Rgb,
    /// Lines.
    pub(super) grid: Rgb,
    /// Empty places of bars and cells.
    pub(super) track: Rgb,
    /// Bars.
    pub(super) accent: Rgb,
    /// What is wrong.
    pub(super) alarm: Rgb,
}

impl Theme {
    pub(super) const fn new(dark: bool) -> Self {
        let (ground, ink, muted, grid, track, accent, alarm) = match dark {
            false => (0xff_ffff, 0x1f_2328, 0x59_636e, 0xd1_d9e0, 0xf1_f4f6, 0x22_7fb0, 0xc8_3a22),
            true => (0x0d_1117, 0xe6_edf3, 0x91_98a1, 0x3d_444d, 0x18_1e27, 0x41_a5b5, 0xf0_8060),
        };
        Self {
            dark,
            ground: Rgb(ground),
            ink: Rgb(ink),
            muted: Rgb(muted),
            grid: Rgb(grid),
            track: Rgb(track),
            accent: Rgb(accent),
            alarm: Rgb(alarm),
        }
    }

    /// The colour of a share of a whole.
    pub(super) fn scale(&self, share: f64) -> Rgb {
        let stops = if self.dark { &ON_DARK } else { &ON_LIGHT };
        let at = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
        let index = (at as usize).min(stops.len() - 2);
        Rgb(stops[index]).toward(Rgb(stops[index + 1]), at - index as f64)
    }

    /// The colour of the thing number `index`.
    pub(super) fn named(&self, index: usize) -> Rgb {
        Rgb(NAMED[index % NAMED.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_move_away_from_the_ground_step_by_step() {
        for dark in [false, true] {
            let theme = Theme::new(dark);
            let far = |i: u32| {
                let color = theme.scale(f64::from(i) / 100.0);
                (color.luma() - theme.ground.luma()).abs()
            };
            assert!((1..=100).all(|i| far(i) > far(i - 1)), "dark: {dark}");
            assert!(far(0) > 10.0);
            assert_eq!(theme.scale(-1.0), theme.scale(0.0));
            assert_eq!(theme.scale(9.0), theme.scale(1.0));
        }
    }

    #[test]
    fn text_has_contrast_on_every_step() {
        for dark in [false, true] {
            let theme = Theme::new(dark);
            for i in 0..=100 {
                let color = theme.scale(f64::from(i) / 100.0);
                assert!((color.luma() - color.ink().luma()).abs() > 100.0);
            }
            assert!((theme.ink.luma() - theme.ground.luma()).abs() > 150.0);
            assert!((theme.muted.luma() - theme.ground.luma()).abs() > 100.0);
        }
    }
}
