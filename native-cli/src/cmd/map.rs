//! `tidepool map`: every metaslab, or the segments of one.

use crate::args::{Opened, PoolArgs};
use crate::out::{Failure, Outcome, Output, usage};
use crate::render;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use tidepool::base::{PoolError, PoolErrorKind};
use tidepool::view::{MapView, MetaslabView, SegmentView};

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
}

/// One metaslab for programs.
#[derive(Serialize)]
pub(crate) struct MetaslabReport {
    pub(crate) pool: String,
    pub(crate) vdev: u64,
    pub(crate) metaslab: MetaslabView,
    pub(crate) segments: Vec<SegmentView>,
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
        if let Some(path) = &self.svg {
            draw(path, &map)?;
        }
        match self.metaslab {
            Some(id) => one(out, &opened, &map, id)?,
            None if out.is_json() => out.json(&map)?,
            None => render::map::print(out, &map)?,
        }
        Ok(0)
    }
}

fn one(out: &mut Output, opened: &Opened, map: &MapView, id: u64) -> Result<(), Failure> {
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
        return Err(not_found(format!(
            "vdev {vdev} has {count} metaslabs and no number {id}"
        )));
    };
    let segments = opened.ask(opened.pool.segments(vdev.id, id))?;
    let report = MetaslabReport {
        pool: map.pool.clone(),
        vdev: vdev.id,
        metaslab: metaslab.clone(),
        segments,
    };
    match out.is_json() {
        true => out.json(&report)?,
        false => render::map::print_metaslab(out, vdev, &report)?,
    }
    Ok(())
}

fn draw(path: &Path, map: &MapView) -> Result<(), Failure> {
    std::fs::write(path, render::map::svg(map)).map_err(|e| {
        let error = PoolError::new(PoolErrorKind::Io, format!("cannot write it: {e}"));
        Failure::Pool(error.at(path.display()))
    })
}

fn not_found(message: String) -> Failure {
    Failure::Pool(PoolError::new(PoolErrorKind::NotFound, message))
}
