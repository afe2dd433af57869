//! Reads of every copy of a block, also of those that a plain read would not touch.

use super::read::Zio;
use crate::format::{Blkptr, Dva};
use crate::vdev::CopyReport;
use std_alloc::format;
use std_alloc::string::ToString;
use std_alloc::vec;
use std_alloc::vec::Vec;

impl Zio {
    /// Every copy of `bp`, and of each what every replica gives; of a gang, every header and every
    /// member. Empty for holes and embedded blocks.
    pub async fn read_all_copies(&self, bp: &Blkptr) -> Vec<CopyReport> {
        if bp.is_hole() || bp.is_embedded() {
            return Vec::new();
        }
        if !bp.is_gang() {
            return self.read_plain_copies(bp).await;
        }
        let mut reports = Vec::new();
        for dva in bp.dvas() {
            reports.push(CopyReport {
                name: format!("gang header {dva}"),
                problem: self.read_header(bp, dva).await.err().map(|f| f.to_string()),
            });
        }
        match self.allocations(bp).await {
            Ok(tree) => {
                for member in &tree.members {
                    reports.extend(self.read_plain_copies(member).await);
                }
            }
            Err(failure) => reports
                .push(CopyReport { name: "gang".to_string(), problem: Some(failure.to_string()) }),
        }
        reports
    }

    async fn read_plain_copies(&self, bp: &Blkptr) -> Vec<CopyReport> {
        let verifier = match self.verifier(bp) {
            Ok(verifier) => verifier,
            Err(e) => {
                let (name, problem) = ("checksum".to_string(), Some(e.to_string()));
                return vec![CopyReport { name, problem }];
            }
        };
        let verify = |bytes: &[u8]| verifier.passes(bytes);
        let mut reports = Vec::new();
        for dva in bp.dvas() {
            let found = match self.top(dva, bp.psize()) {
                Ok(top) => top.read_all(self.rt(), dva.offset, bp.psize(), &verify).await,
                Err(failure) => vec![pointer_problem(dva, failure.to_string())],
            };
            let named =
                found.into_iter().map(|r| CopyReport { name: format!("{dva} on {}", r.name), ..r });
            reports.extend(named);
        }
        reports
    }
}

fn pointer_problem(dva: Dva, problem: std_alloc::string::String) -> CopyReport {
    CopyReport { name: format!("vdev {}", dva.vdev), problem: Some(problem) }
}
