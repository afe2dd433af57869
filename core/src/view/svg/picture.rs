//! Pictures of pasted numbers.

use super::doc::Svg;
use super::{SvgOptions, bars, heat, map, timeline};
use crate::view::Picture;
use std_alloc::format;
use std_alloc::string::{String, ToString};

/// A picture of pasted numbers.
pub fn picture(picture: &Picture, options: &SvgOptions) -> String {
    let mut svg = Svg::new(options);
    let (title, description) = match picture {
        Picture::Map { title, map } => return map::draw(map, options, Some(title)),
        Picture::Histogram { title, unit, bars } => {
            svg.heading(title, "");
            bars::histogram(&mut svg, unit, bars);
            (title, format!("{} bars by {unit}", bars.len()))
        }
        Picture::Bars { title, unit, bars } => {
            svg.heading(title, "");
            bars::rows(&mut svg, unit, bars);
            (title, format!("{} bars in {unit}", bars.len()))
        }
        Picture::Heat { title, columns, rows } => {
            svg.heading(title, "");
            heat::heat(&mut svg, columns, rows);
            let (rows, columns) = (rows.len(), columns.len());
            (title, format!("{rows} rows by {columns} columns"))
        }
        Picture::Timeline { title, stages, rows } => {
            svg.heading(title, "");
            timeline::timeline(&mut svg, stages, rows);
            (title, format!("{} rows over time", rows.len()))
        }
    };
    let name = match title.as_str() {
        "" => "picture".to_string(),
        title => title.to_string(),
    };
    svg.finish(&name, &description)
}
