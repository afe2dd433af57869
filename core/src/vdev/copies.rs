//! Reports on every replica of a block, also of those that a plain read would not touch.

use super::raidz_read::read_raidz_copies;
use super::read::{Extent, FailedTry, Verify, Why};
use super::tree::{TopVdev, Vdev, VdevKind};
use crate::rt::Rt;
use std_alloc::boxed::Box;
use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec;
use std_alloc::vec::Vec;

/// What one replica gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyReport {
    /// Device or replica.
    pub name: String,
    /// Why it is bad; absent when good.
    pub problem: Option<String>,
}

impl TopVdev {
    /// What every replica gives: each side of a mirror; each column of a raidz, parity included.
    pub async fn read_all(
        &self,
        rt: &Rt,
        offset: u64,
        psize: u64,
        verify: &Verify<'_>,
    ) -> Vec<CopyReport> {
        let at = self.extent(offset, psize);
        let mut reports = Vec::new();
        report_all(rt, self.ashift, &self.vdev, at, verify, &mut reports).await;
        reports
    }
}

async fn report_all(
    rt: &Rt,
    ashift: u32,
    vdev: &Vdev,
    at: Extent,
    verify: &Verify<'_>,
    reports: &mut Vec<CopyReport>,
) {
    match &vdev.kind {
        VdevKind::Mirror(sides) => {
            for side in sides {
                Box::pin(report_all(rt, ashift, side, at, verify, reports)).await;
            }
        }
        VdevKind::Raidz { nparity, children } => {
            reports.extend(report_raidz(rt, ashift, *nparity, children, at, verify).await);
        }
        _ => {
            let failure = vdev.read(rt, ashift, at, verify).await.err();
            reports
                .push(CopyReport { name: vdev.label(), problem: failure.map(|f| f.to_string()) });
        }
    }
}

async fn report_raidz(
    rt: &Rt,
    ashift: u32,
    nparity: u32,
    children: &[Vdev],
    at: Extent,
    verify: &Verify<'_>,
) -> Vec<CopyReport> {
    let copies = match read_raidz_copies(rt, ashift, nparity, children, at, verify).await {
        Ok(copies) => copies,
        Err(failure) => {
            let name = format!("raidz{nparity}");
            let problem = Some(failure.to_string());
            return vec![CopyReport { name, problem }];
        }
    };
    let mut reports = Vec::new();
    let columns = copies.map.columns.iter().zip(&copies.read);
    for ((column, read), expect) in columns.zip(&copies.expect) {
        let Some(child) = children.get(column.child as usize) else {
            continue;
        };
        let problem = match read {
            Err(failed) => Some(failed.to_string()),
            Ok(bytes) if bytes == expect => None,
            Ok(_) => {
                child.blame();
                let failed = FailedTry {
                    device: child.label(),
                    offset: column.offset,
                    size: column.size,
                    why: Why::Checksum,
                };
                Some(failed.to_string())
            }
        };
        reports.push(CopyReport { name: child.label(), problem });
    }
    reports
}
