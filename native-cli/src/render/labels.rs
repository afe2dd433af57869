//! Labels and uberblock rings as `zdb -l` shows them: what is the same in several labels once.

use super::{BAD, GOOD, HEAD, Table, date, nice_bytes};
use crate::out::Output;
use std::io::Result;
use tidepool::view::{DeviceView, LabelView, UberblockView};

/// Labels of each device; equal configurations are printed once.
pub(crate) fn print(out: &mut Output, devices: &[DeviceView]) -> Result<()> {
    for (index, device) in devices.iter().enumerate() {
        if index > 0 {
            out.line("")?;
        }
        print_head(out, device)?;
        for label in &device.labels {
            let place = format!("  label {} at byte {}: ", label.index, label.offset);
            out.text(&place)?;
            match &label.problem {
                None => out.styled(GOOD, &format!("good, txg {}", label.txg))?,
                Some(problem) => out.styled(BAD, problem)?,
            }
            let slots = label.uberblocks.len();
            out.line(&format!(
                ", {slots} of {} uberblock slots of {} in use",
                label.slots,
                nice_bytes(label.slot_size)
            ))?;
        }
        for (config, labels) in group(&device.labels) {
            out.line("")?;
            for line in config.lines() {
                out.line(&format!("    {line}"))?;
            }
            out.line(&format!("    labels = {labels}"))?;
        }
    }
    Ok(())
}

fn print_head(out: &mut Output, device: &DeviceView) -> Result<()> {
    out.styled(HEAD, &device.name)?;
    let size = nice_bytes(device.size);
    out.line(&format!("  {size}, {}, guid {}", device.role, device.guid))
}

/// Configurations with the labels that hold each, as `0 1 2 3`.
fn group(labels: &[LabelView]) -> Vec<(&str, String)> {
    let mut groups: Vec<(&str, String)> = Vec::new();
    for label in labels.iter().filter(|l| !l.config.is_empty()) {
        let known = groups.iter_mut().find(|(config, _)| *config == label.config);
        match known {
            Some((_, names)) => names.push_str(&format!(" {}", label.index)),
            None => groups.push((&label.config, label.index.to_string())),
        }
    }
    groups
}

/// Uberblocks of each device, newest first; one line for copies in several labels.
pub(crate) fn print_rings(out: &mut Output, devices: &[DeviceView]) -> Result<()> {
    for (index, device) in devices.iter().enumerate() {
        if index > 0 {
            out.line("")?;
        }
        print_head(out, device)?;
        let columns =
            [">TXG", "TIME (UTC)", ">SLOT", "LABELS", "ORDER", ">VERSION", "STATE", "ROOT"];
        let mut table = Table::new(&columns);
        for (uberblock, labels) in ring(&device.labels) {
            let state = match (&uberblock.problem, uberblock.chosen) {
                (Some(problem), _) => problem.clone(),
                (None, true) => "chosen".to_owned(),
                (None, false) => String::new(),
            };
            table.row([
                uberblock.txg.to_string(),
                date(uberblock.timestamp),
                uberblock.slot.to_string(),
                labels,
                uberblock.endian.clone(),
                uberblock.version.to_string(),
                state,
                uberblock.rootbp.clone(),
            ]);
        }
        match table.is_empty() {
            true => out.line("  no uberblock")?,
            false => table.print(out, "  ")?,
        }
    }
    Ok(())
}

/// Uberblocks without their copies in other labels, newest first.
fn ring(labels: &[LabelView]) -> Vec<(&UberblockView, String)> {
    let mut all: Vec<(&UberblockView, String)> = Vec::new();
    for label in labels {
        for uberblock in &label.uberblocks {
            match all.iter_mut().find(|(known, _)| *known == uberblock) {
                Some((_, names)) => names.push_str(&format!(" {}", label.index)),
                None => all.push((uberblock, label.index.to_string())),
            }
        }
    }
    all.sort_by_key(|(u, _)| std::cmp::Reverse((u.txg, u.timestamp)));
    all
}
