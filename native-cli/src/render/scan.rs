//! Pools as `zpool import` lists them.

use super::{BAD, DIM, Table, WARN, date, nice_bytes, of_health};
use crate::out::Output;
use std::io::Result;
use tidepool::pool::ScanView;
use tidepool::view::{DeviceView, FeatureView, PoolView, VdevView};

/// Deeper trees than this are damage, not configuration.
const DEEPEST: usize = 8;

/// Every pool, then the devices that belong to none.
pub(crate) fn print(out: &mut Output, view: &ScanView) -> Result<()> {
    for (index, pool) in view.pools.iter().enumerate() {
        if index > 0 {
            out.line("")?;
        }
        print_pool(out, pool)?;
    }
    if !view.strangers.is_empty() {
        out.line("")?;
        out.line("devices without a label of a pool:")?;
        for device in &view.strangers {
            out.line(&format!("  {}  {}", device.name, nice_bytes(device.size)))?;
        }
    }
    Ok(())
}

fn print_pool(out: &mut Output, pool: &PoolView) -> Result<()> {
    field(out, "pool", &pool.name)?;
    field(out, "id", &pool.guid.to_string())?;
    out.text(&format!("{:>8}: {}, ", "state", pool.state))?;
    out.styled(of_health(&pool.health), &pool.health)?;
    out.line("")?;
    let when = date(pool.timestamp);
    field(out, "txg", &format!("{}, of {when} UTC", pool.txg))?;
    let version = match pool.version {
        5000 => "5000 (feature flags)".to_owned(),
        version => version.to_string(),
    };
    field(out, "version", &format!("{version}, {} endian", pool.endian))?;
    if !pool.hostname.is_empty() {
        field(out, "host", &pool.hostname)?;
    }
    if pool.errata != 0 {
        field(out, "errata", &pool.errata.to_string())?;
    }
    if let Some(refusal) = &pool.refusal {
        out.text(&format!("{:>8}: ", "refused"))?;
        out.styled(BAD, refusal)?;
        out.line("")?;
    }
    for note in &pool.notes {
        out.text(&format!("{:>8}: ", "note"))?;
        out.styled(WARN, note)?;
        out.line("")?;
    }
    if !pool.features.is_empty() {
        field(out, "features", &feature_summary(&pool.features))?;
    }
    field(out, "config", "")?;
    out.line("")?;
    print_tree(out, &pool.vdev_tree, name_width(&pool.vdev_tree, 0), 0)?;
    print_extra_devices(out, &pool.devices)
}

fn field(out: &mut Output, name: &str, value: &str) -> Result<()> {
    out.line(format!("{name:>8}: {value}").trim_end())
}

fn feature_summary(features: &[FeatureView]) -> String {
    let active = features.iter().filter(|f| f.refcount > 0).count();
    let unknown: Vec<&str> =
        features.iter().filter(|f| !f.known).map(|f| f.guid.as_str()).collect();
    let mut text = format!("{} enabled, {active} of them active", features.len());
    if !unknown.is_empty() {
        text.push_str(&format!("; unknown here: {}", unknown.join(", ")));
    }
    text
}

fn name_width(vdev: &VdevView, depth: usize) -> usize {
    let own = 2 * depth + vdev.name.chars().count();
    let below = vdev.children.iter().filter(|_| depth < DEEPEST);
    below.map(|child| name_width(child, depth + 1)).fold(own, usize::max).min(72)
}

fn print_tree(out: &mut Output, vdev: &VdevView, width: usize, depth: usize) -> Result<()> {
    let name = format!("{:indent$}{}", "", vdev.name, indent = 2 * depth);
    out.text(&format!("\t{name:<width$}  "))?;
    out.styled(of_health(&vdev.health), &vdev.health)?;
    let mut rest = Vec::new();
    if vdev.ashift != 0 {
        let (size, shift) = (nice_bytes(vdev.asize), vdev.ashift);
        rest.push(format!("{size}, ashift {shift}"));
    }
    if !vdev.class.is_empty() && vdev.class != "normal" {
        rest.push(vdev.class.clone());
    }
    if let Some(device) = vdev.device.as_ref().filter(|d| **d != vdev.name) {
        rest.push(format!("on {device}"));
    }
    if !vdev.problem.is_empty() {
        rest.push(vdev.problem.clone());
    }
    if !rest.is_empty() {
        out.text(&format!("{:gap$}", "", gap = 10usize.saturating_sub(vdev.health.len())))?;
        out.styled(DIM, &rest.join("; "))?;
    }
    out.line("")?;
    for child in vdev.children.iter().filter(|_| depth < DEEPEST) {
        print_tree(out, child, width, depth + 1)?;
    }
    Ok(())
}

fn print_extra_devices(out: &mut Output, devices: &[DeviceView]) -> Result<()> {
    for role in ["spare", "cache"] {
        let mut of_role = devices.iter().filter(|d| d.role == role).peekable();
        if of_role.peek().is_some() {
            out.line(&format!("\t{role}s"))?;
        }
        for device in of_role {
            out.line(&format!("\t  {}  {}", device.name, nice_bytes(device.size)))?;
        }
    }
    Ok(())
}

/// One line a feature, the active ones first.
pub(crate) fn print_features(out: &mut Output, features: &[FeatureView]) -> Result<()> {
    if features.is_empty() {
        return out.line("no feature flags: the pool is of version 28 or older");
    }
    let mut table = Table::new(&["FEATURE", ">REFERENCES", "STATE", "NEEDED TO", "KNOWN HERE"]);
    let (active, enabled): (Vec<_>, Vec<_>) = features.iter().partition(|f| f.refcount > 0);
    for feature in active.iter().chain(&enabled) {
        let state = if feature.refcount > 0 { "active" } else { "enabled" };
        let needed = if feature.for_read { "read" } else { "write" };
        let known = if feature.known { "yes" } else { "no" };
        table.row([
            feature.guid.clone(),
            feature.refcount.to_string(),
            state.to_owned(),
            needed.to_owned(),
            known.to_owned(),
        ]);
    }
    table.print(out, "")
}
