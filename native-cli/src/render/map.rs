//! Maps of metaslabs.

use super::{HEAD, Table, nice_bytes};
use crate::cmd::map::MetaslabReport;
use crate::out::Output;
use std::io::Result;
use tidepool::view::{MapView, VdevMapView};

/// One table a vdev.
pub(crate) fn print(out: &mut Output, map: &MapView) -> Result<()> {
    for vdev in &map.vdevs {
        print_head(out, vdev)?;
        let columns = [
            ">METASLAB",
            ">OFFSET",
            ">SPACEMAP",
            ">FREE",
            ">FRAG",
            ">SEGMENTS",
            ">LARGEST",
            "WEIGHT",
        ];
        let mut table = Table::new(&columns);
        for metaslab in &vdev.metaslabs {
            table.row([
                metaslab.id.to_string(),
                format!("{:x}", metaslab.offset),
                metaslab.space_map.to_string(),
                nice_bytes(metaslab.free),
                metaslab
                    .fragmentation
                    .map_or("-".into(), |f| format!("{f}%")),
                metaslab.segments.to_string(),
                nice_bytes(metaslab.max_size),
                metaslab
                    .problem
                    .clone()
                    .unwrap_or(metaslab.weight_text.clone()),
            ]);
        }
        table.print(out, "  ")?;
    }
    Ok(())
}

fn print_head(out: &mut Output, vdev: &VdevMapView) -> Result<()> {
    let (size, free) = (nice_bytes(vdev.size), nice_bytes(vdev.free));
    out.styled(HEAD, &format!("vdev {} {}", vdev.id, vdev.name))?;
    out.line(&format!("  {}, {free} free of {size}", vdev.class))
}

/// One metaslab with every free segment.
pub(crate) fn print_metaslab(
    out: &mut Output,
    vdev: &VdevMapView,
    report: &MetaslabReport,
) -> Result<()> {
    print_head(out, vdev)?;
    for segment in &report.segments {
        let size = segment.end.saturating_sub(segment.start);
        out.line(&format!(
            "  {:x}-{:x}  {}",
            segment.start,
            segment.end,
            nice_bytes(size)
        ))?;
    }
    Ok(())
}

/// The map as a picture.
pub(crate) fn svg(_: &MapView) -> String {
    String::new()
}
