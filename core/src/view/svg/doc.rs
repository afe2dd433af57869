//! A document under construction: shapes, text, escaping.

use super::SvgOptions;
use super::color::{Rgb, Theme};
use crate::view::words::finite;
use core::fmt::{self, Write};
use std_alloc::string::String;

/// Space around everything.
pub(super) const MARGIN: f64 = 28.0;

/// Text as XML takes it: five characters as entities, what XML forbids as a replacement.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' | '\t' => f.write_char(' ')?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                    f.write_char('\u{fffd}')?;
                }
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A coordinate with at most one decimal.
pub(super) struct Num(pub(super) f64);

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (finite(self.0) * 10.0).clamp(-1e7, 1e7);
        let tenths = (tenths + if tenths < 0.0 { -0.5 } else { 0.5 }) as i64;
        let (sign, tenths) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
        match tenths % 10 {
            0 => write!(f, "{sign}{}", tenths / 10),
            rest => write!(f, "{sign}{}.{rest}", tenths / 10),
        }
    }
}

/// Where text stands to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Font {
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) color: Rgb,
    pub(super) anchor: Anchor,
}

impl Font {
    pub(super) const fn end(self) -> Self {
        Self { anchor: Anchor::End, ..self }
    }

    pub(super) const fn middle(self) -> Self {
        Self { anchor: Anchor::Middle, ..self }
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) w: f64,
    pub(super) h: f64,
}

/// The document.
pub(super) struct Svg {
    body: String,
    pub(super) width: f64,
    pub(super) theme: Theme,
    /// Where the next block begins.
    pub(super) y: f64,
}

impl Svg {
    pub(super) fn new(options: &SvgOptions) -> Self {
        Self {
            body: String::new(),
            width: f64::from(options.width.clamp(320, 4000)),
            theme: Theme::new(options.dark),
            y: MARGIN,
        }
    }

    /// Width between the margins.
    pub(super) fn room(&self) -> f64 {
        self.width - 2.0 * MARGIN
    }

    pub(super) fn title_font(&self) -> Font {
        Font { size: 20.0, bold: true, color: self.theme.ink, anchor: Anchor::Start }
    }

    pub(super) fn head_font(&self) -> Font {
        Font { size: 14.0, ..self.title_font() }
    }

    pub(super) fn body_font(&self) -> Font {
        Font { size: 12.5, bold: false, ..self.title_font() }
    }

    pub(super) fn note_font(&self) -> Font {
        Font { size: 11.5, bold: false, color: self.theme.muted, anchor: Anchor::Start }
    }

    /// The title of the picture and a line below it; moves on.
    pub(super) fn heading(&mut self, title: &str, note: &str) {
        let (font, small, room) = (self.title_font(), self.note_font(), self.room());
        self.y += 14.0;
        self.text(MARGIN, self.y, font, &fit(title, room, 20.0));
        if !note.is_empty() {
            self.y += 20.0;
            self.text(MARGIN, self.y, small, &fit(note, room, 11.5));
        }
        self.y += 22.0;
    }

    pub(super) fn text(&mut self, x: f64, y: f64, font: Font, text: &str) {
        let anchor = match font.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if font.bold { " font-weight=\"600\"" } else { "" };
        let (x, y, size) = (Num(x), Num(y), Num(font.size));
        let (color, text) = (font.color, Escaped(text));
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{color}\"\
             {weight}{anchor}>{text}</text>"
        );
    }

    /// A rectangle with round corners; `title` tells what it is.
    pub(super) fn rect(&mut self, rect: Rect, round: f64, fill: Rgb, title: &str) {
        self.shape(rect, round, fill, None, title);
    }

    /// A rectangle with a line around it.
    pub(super) fn framed(&mut self, rect: Rect, round: f64, fill: Rgb, line: Rgb, title: &str) {
        self.shape(rect, round, fill, Some(line), title);
    }

    fn shape(&mut self, rect: Rect, round: f64, fill: Rgb, line: Option<Rgb>, title: &str) {
        let (x, y) = (Num(rect.x), Num(rect.y));
        let (w, h) = (Num(rect.w.max(0.0)), Num(rect.h.max(0.0)));
        let _ = write!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{fill}\""
        );
        if round > 0.0 {
            let _ = write!(self.body, " rx=\"{}\"", Num(round));
        }
        if let Some(line) = line {
            let _ = write!(self.body, " stroke=\"{line}\" stroke-width=\"2\"");
        }
        self.close("rect", title);
    }

    fn close(&mut self, name: &str, title: &str) {
        let _ = match title {
            "" => writeln!(self.body, "/>"),
            title => writeln!(self.body, "><title>{}</title></{name}>", Escaped(title)),
        };
    }

    /// A filled outline in SVG's path words.
    pub(super) fn area(&mut self, path: &str, fill: Rgb, title: &str) {
        let _ = write!(self.body, "<path d=\"{path}\" fill=\"{fill}\"");
        self.close("path", title);
    }

    /// An outline that shows nothing but its title when pointed at.
    pub(super) fn ghost(&mut self, path: &str, title: &str) {
        let _ = write!(self.body, "<path d=\"{path}\" fill-opacity=\"0\"");
        self.close("path", title);
    }

    /// A line in SVG's path words.
    pub(super) fn line(&mut self, path: &str, color: Rgb, width: f64) {
        let width = Num(width);
        let _ = writeln!(
            self.body,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"/>"
        );
    }

    pub(super) fn horizontal(&mut self, y: f64, from: f64, to: f64) {
        let mut path = String::new();
        let _ = write!(path, "M{} {}H{}", Num(from), Num(y), Num(to));
        self.line(&path, self.theme.grid, 1.0);
    }

    /// The colour scale with words at both ends and below it; moves on.
    pub(super) fn legend(&mut self, name: &str, ticks: &[String]) {
        const STEPS: usize = 48;
        let (small, x) = (self.note_font(), MARGIN + 150.0);
        let wide = (self.room() - 170.0).min(288.0);
        self.text(MARGIN, self.y + 9.0, small, name);
        let step = wide / STEPS as f64;
        for i in 0..STEPS {
            let fill = self.theme.scale(i as f64 / (STEPS - 1) as f64);
            let rect = Rect { x: x + step * i as f64, y: self.y, w: step + 0.3, h: 10.0 };
            self.rect(rect, 0.0, fill, "");
        }
        let last = ticks.len().saturating_sub(1).max(1) as f64;
        for (i, tick) in ticks.iter().enumerate() {
            let font = small.middle();
            self.text(x + wide * i as f64 / last, self.y + 24.0, font, tick);
        }
        self.y += 38.0;
    }

    /// The document: `title` names it, `description` tells what it shows to who cannot see it.
    pub(super) fn finish(self, title: &str, description: &str) -> String {
        let (width, height) = (Num(self.width), Num(self.y + MARGIN - 8.0));
        let (title, description) = (Escaped(title), Escaped(description));
        let (ground, body) = (self.theme.ground, self.body);
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\" \
             font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', \
             'DejaVu Sans', sans-serif\" style=\"font-variant-numeric: tabular-nums\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>\n{body}</svg>\n"
        );
        out
    }
}

/// Width of `text` in a font of `size`, about.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let wide = |c: char| match c {
        'i' | 'l' | 'j' | 't' | 'f' | 'I' | '.' | ',' | ':' | ';' | '|' | ' ' | '/' => 0.32,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.88,
        c if c.is_ascii_uppercase() => 0.68,
        c if c.is_ascii() => 0.58,
        _ => 1.0,
    };
    text.chars().map(wide).sum::<f64>() * size
}

/// `text` cut so that it fits `room` in a font of `size`.
pub(super) fn fit(text: &str, room: f64, size: f64) -> String {
    if text_width(text, size) <= room {
        return text.into();
    }
    let mut cut = String::new();
    let mut left = room - size;
    for c in text.chars() {
        left -= text_width(c.encode_utf8(&mut [0; 4]), size);
        if left < 0.0 {
            break;
        }
        cut.push(c);
    }
    cut.push('\u{2026}');
    cut
}
