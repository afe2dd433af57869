//! Colours for pixels, light and dark. The same values stand in `static/style.css` for HTML.
//!
//! Ramps go from quiet to loud: what deserves a look differs most from the ground, in both themes.
//! They differ in lightness along their whole length, so they can be read without colour vision.

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    const fn hex(value: u32) -> Self {
        let [_, r, g, b] = value.to_be_bytes();
        Self(r, g, b)
    }

    /// This colour mixed with `share` (0 to 1) of another.
    #[must_use]
    pub fn mix(self, other: Self, share: f64) -> Self {
        let share = share.clamp(0.0, 1.0);
        let part =
            |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share + 0.5) as u8;
        Self(part(self.0, other.0), part(self.1, other.1), part(self.2, other.2))
    }

    /// As CSS writes it.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Relative luminance, 0 to 1.
    pub fn luminance(self) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            // The standard's curve, to within what a choice between black and white needs.
            if c <= 0.04045 { c / 12.92 } else { c * c * (c * 0.305 + 0.695) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Whether dark text reads better on it than light text.
    pub fn is_light(self) -> bool {
        self.luminance() > 0.2
    }
}

/// A scale of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ramp([Rgb; 5]);

impl Ramp {
    /// Colour at `share`, 0 to 1.
    pub fn at(self, share: f64) -> Rgb {
        let place = share.clamp(0.0, 1.0) * 4.0;
        let index = (place as usize).min(3);
        self.0[index].mix(self.0[index + 1], place - index as f64)
    }

    /// As a CSS gradient from left to right.
    pub fn css(self) -> String {
        let stops: Vec<String> = self.0.iter().map(|c| c.css()).collect();
        format!("linear-gradient(90deg, {})", stops.join(", "))
    }
}

/// Colours of one theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Behind everything.
    pub ground: Rgb,
    /// An empty vessel: free space.
    pub vessel: Rgb,
    /// Hairlines.
    pub line: Rgb,
    /// Allocated space.
    pub water: Rgb,
    /// The surface of it.
    pub surface: Rgb,
    /// Damage.
    pub alarm: Rgb,
    /// By fill.
    pub fill: Ramp,
    /// By fragmentation.
    pub fragmentation: Ramp,
    /// By weight.
    pub weight: Ramp,
    /// By largest free segment.
    pub largest: Ramp,
}

const fn ramp(stops: [u32; 5]) -> Ramp {
    Ramp([
        Rgb::hex(stops[0]),
        Rgb::hex(stops[1]),
        Rgb::hex(stops[2]),
        Rgb::hex(stops[3]),
        Rgb::hex(stops[4]),
    ])
}

impl Palette {
    /// Colours on light ground.
    pub const LIGHT: Self = Self {
        ground: Rgb::hex(0xf7_f8f6),
        vessel: Rgb::hex(0xe3_eae8),
        line: Rgb::hex(0xc9_d3d0),
        water: Rgb::hex(0x15_7a7c),
        surface: Rgb::hex(0x0b_4f55),
        alarm: Rgb::hex(0xb3_261e),
        fill: ramp([0xb5_dad6, 0x78_bcb8, 0x38_9799, 0x15_6f76, 0x08_4350]),
        fragmentation: ramp([0xec_ead8, 0xee_d28a, 0xe6_a33e, 0xcc_6323, 0x8c_2318]),
        weight: ramp([0xe9_e6f1, 0xc4_bce0, 0x95_89c6, 0x63_55a3, 0x35_2a70]),
        largest: ramp([0xe2_ebf3, 0xae_cbe4, 0x6f_a3d0, 0x31_73b0, 0x12_426f]),
    };

    /// Colours on dark ground.
    pub const DARK: Self = Self {
        ground: Rgb::hex(0x0e_1618),
        vessel: Rgb::hex(0x1a_2629),
        line: Rgb::hex(0x33_4448),
        water: Rgb::hex(0x2a_9d98),
        surface: Rgb::hex(0x9b_efe2),
        alarm: Rgb::hex(0xff_7b6b),
        fill: ramp([0x1d_4a4d, 0x1f_6b6c, 0x27_918d, 0x4c_bfb4, 0xa6_f0e2]),
        fragmentation: ramp([0x2b_2b20, 0x63_4d1d, 0xae_7527, 0xef_a044, 0xff_d9a0]),
        weight: ramp([0x24_2535, 0x41_3d6b, 0x67_5fa6, 0x98_8fdc, 0xd6_cfff]),
        largest: ramp([0x1b_2833, 0x23_4a6c, 0x32_72a8, 0x63_a4dd, 0xb8_ddff]),
    };

    /// Colours of a theme.
    pub fn of(dark: bool) -> &'static Self {
        if dark { &Self::DARK } else { &Self::LIGHT }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_move_away_from_the_ground_all_the_way() {
        for (palette, sign) in [(Palette::LIGHT, -1.0), (Palette::DARK, 1.0)] {
            for ramp in [palette.fill, palette.fragmentation, palette.weight, palette.largest] {
                let mut last = ramp.at(0.0).luminance();
                for step in 1..=20 {
                    let now = ramp.at(f64::from(step) / 20.0).luminance();
                    assert!((now - last) * sign > 0.0, "step {step} of {ramp:?}");
                    last = now;
                }
            }
        }
    }

    #[test]
    fn mixing_ends_at_both_ends() {
        let (a, b) = (Rgb(0, 100, 255), Rgb(255, 0, 1));
        assert_eq!((a.mix(b, 0.0), a.mix(b, 1.0)), (a, b));
        assert_eq!(a.mix(b, -3.0), a);
        assert_eq!(Palette::LIGHT.fill.at(9.0), Palette::LIGHT.fill.at(1.0));
        assert_eq!(Rgb(1, 171, 0).css(), "#01ab00");
    }
}
