//! `tidepool map`: every metaslab, or the segments of one.

use crate::args::{Opened, PoolArgs};
use crate::out::{Failure, Outcome, Output, usage};
use crate::render;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use tidepool::base::{PoolError, PoolErrorKind};
use tidepool::view::svg::{self, SvgOptions};
use tidepool::view::{self, MapView, MetaslabView, SegmentView};

/// Show every metaslab: offset, size, free, fragmentation, largest segment, weight, histogram
#[derive(Args)]
pub(crate) struct Map {
    #[command(flatten)]
    pool: PoolArgs,

    /// Only this top-level vdev
    #[arg(long, value_name = "N")]
    vdev: Option<u64>,

    /// One metaslab with all its free segments; needs --vdev where there are several
    #[arg(long, value_name = "M")]
    metaslab: Option<u64>,

    /// Draw the map into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// One character a metaslab instead of a row
    #[arg(short, long, conflicts_with = "verbose")]
    brief: bool,

    /// Histograms too
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

/// Cells of the picture of one metaslab.
const STRIP_CELLS: u32 = 1000;

/// One metaslab for programs.
#[derive(Serialize)]
struct MetaslabReport {
    pool: String,
    vdev: u64,
    metaslab: MetaslabView,
    segments: Vec<SegmentView>,
}

impl Map {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        let opened = self.pool.open()?;
        let mut map = opened.ask(opened.pool.map())?;
        if let Some(vdev) = self.vdev {
            map.vdevs.retain(|v| v.id == vdev);
            if map.vdevs.is_empty() {
                return Err(not_found(format!(
                    "the pool has no top-level vdev {vdev} with metaslabs"
                )));
            }
        }
        if let Some(id) = self.metaslab {
            self.one(out, &opened, &map, id)?;
            return Ok(0);
        }
        if let Some(path) = &self.svg {
            draw(path, &svg::map(&map, &SvgOptions::default()))?;
        }
        match out.is_json() {
            true => out.json(&map)?,
            false => {
                let verbosity = if self.brief { 0 } else { 1 + self.verbose };
                out.text(&view::print_map(&map, verbosity, render::width()))?;
            }
        }
        Ok(0)
    }

    fn one(
        &self,
        out: &mut Output,
        opened: &Opened,
        map: &MapView,
        id: u64,
    ) -> Result<(), Failure> {
        let [vdev] = &map.vdevs[..] else {
            let ids: Vec<_> = map.vdevs.iter().map(|v| v.id.to_string()).collect();
            return Err(usage(format!(
                "the pool has several top-level vdevs: say which with --vdev ({})",
                ids.join(", ")
            )));
        };
        let Some(metaslab) = vdev.metaslabs.iter().find(|m| m.id == id) else {
            let count = vdev.metaslabs.len();
            let vdev = vdev.id;
            return Err(not_found(format!("vdev {vdev} has {count} metaslabs and no number {id}")));
        };
        let segments = opened.ask(opened.pool.segments(vdev.id, id))?;
        let range = metaslab.offset..metaslab.offset.saturating_add(metaslab.size);
        let strip = opened.pool.strip(vdev.id, id, range, STRIP_CELLS, 0);
        let strip = opened.ask(strip)?;
        if let Some(path) = &self.svg {
            let picture = svg::metaslab(vdev, metaslab, Some(&strip), &SvgOptions::default());
            draw(path, &picture)?;
        }
        if !out.is_json() {
            let width = render::width();
            out.text(&view::print_metaslab(vdev, metaslab, Some(&strip), width))?;
            out.text(&view::print_segments(&segments))?;
            return Ok(());
        }
        let report = MetaslabReport {
            pool: map.pool.clone(),
            vdev: vdev.id,
            metaslab: metaslab.clone(),
            segments,
        };
        out.json(&report)?;
        Ok(())
    }
}

fn draw(path: &Path, picture: &str) -> Result<(), Failure> {
    if picture.is_empty() {
        let message = "pictures are not drawn by this build";
        return Err(PoolError::new(PoolErrorKind::Unsupported, message).into());
    }
    std::fs::write(path, picture).map_err(|e| {
        let error = PoolError::new(PoolErrorKind::Io, format!("cannot write it: {e}"));
        Failure::Pool(error.at(path.display()))
    })
}

fn not_found(message: String) -> Failure {
    Failure::Pool(PoolError::new(PoolErrorKind::NotFound, message))
}
