//! What a walk over every block found: the verdict first, the damage in full, the numbers last.

use super::{BAD, GOOD, HEAD, Table, WARN, nice_bytes};
use crate::out::Output;
use std::io::Result;
use tidepool::view::{BadBlock, CheckView, SizesView, SpaceRange};

/// Damage of one kind that is printed line by line; the rest is counted. `--json` holds all.
const SHOWN: usize = 50;

/// The whole report.
pub(crate) fn print(out: &mut Output, view: &CheckView) -> Result<()> {
    out.text(&format!("{} at txg {}: ", view.pool, view.txg))?;
    match view.clean {
        true => out.styled(GOOD, "clean")?,
        false => out.styled(BAD, "DAMAGE FOUND")?,
    }
    out.line(&format!(
        ", {} blocks, {} read and verified",
        view.blocks,
        nice_bytes(view.bytes_read)
    ))?;
    bad_blocks(out, "unreadable or wrong", &view.bad_blocks)?;
    bad_blocks(out, "bad copies, another copy served", &view.bad_copies)?;
    ranges(out, "claimed by two blocks", &view.doubles)?;
    ranges(out, "in use but free in the space maps", &view.unallocated)?;
    ranges(out, "leaked: allocated but used by nothing", &view.leaks)?;
    let accounting: Vec<String> = view
        .accounting
        .iter()
        .map(|d| format!("{}: {} on disk, {} by the walk", d.what, d.stored, d.found))
        .collect();
    lines(out, "accounting that disagrees", &accounting)?;
    lines(out, "damage elsewhere", &view.problems)?;
    if !view.not_checked.is_empty() {
        out.styled(WARN, "not checked:")?;
        out.line("")?;
        limited(out, &view.not_checked)?;
    }
    print_totals(out, view)?;
    view.sizes.as_ref().map_or(Ok(()), |s| print_sizes(out, s))
}

fn lines(out: &mut Output, title: &str, lines: &[String]) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    out.styled(BAD, &format!("{title}: {}", lines.len()))?;
    out.line("")?;
    limited(out, lines)
}

fn limited(out: &mut Output, lines: &[String]) -> Result<()> {
    for line in lines.iter().take(SHOWN) {
        out.line(&format!("  {line}"))?;
    }
    match lines.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => out.line(&format!("  and {more} more; --json lists all")),
    }
}

fn bad_blocks(out: &mut Output, title: &str, blocks: &[BadBlock]) -> Result<()> {
    let text = |b: &BadBlock| {
        let path = b.path.as_ref().map_or(String::new(), |p| format!(" ({p})"));
        format!(
            "{} object {}{path} level {} block {}: {}; {}",
            b.dataset, b.object, b.level, b.block, b.problem, b.pointer
        )
    };
    lines(out, title, &blocks.iter().map(text).collect::<Vec<_>>())
}

fn ranges(out: &mut Output, title: &str, ranges: &[SpaceRange]) -> Result<()> {
    let bytes = ranges.iter().fold(0u64, |sum, r| sum.saturating_add(r.size));
    let text = |r: &SpaceRange| {
        let (vdev, offset, size) = (r.vdev, r.offset, r.size);
        format!("vdev {vdev} offset {offset:#x} size {size:#x} {}", r.owner)
    };
    let title = format!("{title} ({})", nice_bytes(bytes));
    lines(out, &title, &ranges.iter().map(text).collect::<Vec<_>>())
}

fn print_totals(out: &mut Output, view: &CheckView) -> Result<()> {
    let rows = [
        ("logical", view.logical),
        ("physical", view.physical),
        ("allocated, by the blocks", view.allocated),
        ("allocated, by the space maps", view.space_map_allocated),
    ];
    for (name, bytes) in rows {
        out.line(&format!("  {name:<30}{bytes:>20}  {}", nice_bytes(bytes)))?;
    }
    for (name, count) in [("gang blocks", view.gangs), ("embedded blocks", view.embedded)] {
        out.line(&format!("  {name:<30}{count:>20}"))?;
    }
    Ok(())
}

fn print_sizes(out: &mut Output, sizes: &SizesView) -> Result<()> {
    let columns =
        [">SIZE", ">PSIZE COUNT", ">BYTES", ">LSIZE COUNT", ">BYTES", ">ASIZE COUNT", ">BYTES"];
    let mut bins = Table::new(&columns);
    for bin in &sizes.bins {
        bins.row([
            nice_bytes(bin.size),
            bin.physical.0.to_string(),
            nice_bytes(bin.physical.1),
            bin.logical.0.to_string(),
            nice_bytes(bin.logical.1),
            bin.allocated.0.to_string(),
            nice_bytes(bin.allocated.1),
        ]);
    }
    title(out, "Blocks by size (from the size shown up to twice it)")?;
    bins.print(out, "  ")?;
    let mut kinds = Table::new(&[">BLOCKS", ">LSIZE", ">PSIZE", ">ASIZE", ">AVERAGE", "TYPE"]);
    for kind in &sizes.kinds {
        kinds.row([
            kind.blocks.to_string(),
            nice_bytes(kind.logical),
            nice_bytes(kind.physical),
            nice_bytes(kind.allocated),
            nice_bytes(kind.allocated / kind.blocks.max(1)),
            kind.kind.clone(),
        ]);
    }
    title(out, "Blocks by type of object")?;
    kinds.print(out, "  ")?;
    let columns = [">SPECIAL_SMALL_BLOCKS", ">METADATA", ">FILES", ">VOLUMES", ">IN ALL"];
    let mut cutoffs = Table::new(&columns);
    for cutoff in &sizes.cutoffs {
        let all = cutoff.metadata.saturating_add(cutoff.files);
        cutoffs.row([
            nice_bytes(cutoff.cutoff),
            nice_bytes(cutoff.metadata),
            nice_bytes(cutoff.files),
            nice_bytes(cutoff.volumes),
            nice_bytes(all.saturating_add(cutoff.volumes)),
        ]);
    }
    title(out, "What a special vdev would hold, by cut-off (physical size at most)")?;
    cutoffs.print(out, "  ")
}

fn title(out: &mut Output, text: &str) -> Result<()> {
    out.line("")?;
    out.styled(HEAD, text)?;
    out.line("")
}
