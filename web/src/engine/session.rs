//! One open pool and the answers to questions about it.

use super::bench::Bench;
use super::media::{Media, MediaDriver};
use crate::protocol::{Failure, OpenRequest, Reply, Request, StripRequest};
use tidepool::base::{Guid, ObjectId, PoolError, Txg};
use tidepool::dev::Device;
use tidepool::pool::{CheckOptions, OpenOptions, Pool, ScanView, scan};
use tidepool::report;
use tidepool::rt::{DevId, Rt};
use tidepool::view::Progress;

/// Most bytes of one answer to [`Request::Read`].
const MAX_READ: u32 = 4 << 20;
/// Most cells or segments of one strip.
const MAX_STRIP: u32 = 1 << 16;
/// Most objects listed at once.
const MAX_OBJECTS: u32 = 1000;

/// What the worker holds between questions.
#[derive(Default)]
pub struct Session {
    open: Option<Open>,
    bench: Option<Bench>,
}

struct Open {
    rt: Rt,
    pool: Pool,
}

impl Session {
    /// Nothing open.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens a pool from `media`, one for each name of `request`.
    pub fn open(&mut self, request: &OpenRequest, media: Vec<Box<dyn Media>>) -> Reply {
        *self = Self::default();
        if let Some(segments) = request.bench {
            let bench = Bench::new(segments);
            let pool = bench.overview();
            self.bench = Some(bench);
            return Reply::Opened(Box::new(pool));
        }
        match self.try_open(request, media) {
            Ok(reply) => reply,
            Err(e) => Reply::Failed(e.into()),
        }
    }

    fn try_open(
        &mut self,
        request: &OpenRequest,
        media: Vec<Box<dyn Media>>,
    ) -> Result<Reply, PoolError> {
        let sizes: Vec<u64> = media.iter().map(|m| m.size()).collect();
        let rt = Rt::new(MediaDriver::new(media));
        let devices: Vec<Device> = (0u32..)
            .zip(sizes)
            .zip(&request.names)
            .map(|((id, size), name)| Device::new(&rt, DevId(id), name.clone(), size))
            .collect();
        if request.guid.is_none() {
            let found = rt.block_on(scan(&devices));
            if found.pools.len() != 1 {
                return Ok(choose(found, &request.names));
            }
        }
        let options = OpenOptions {
            guid: request.guid.map(Guid),
            txg: request.txg.map(Txg),
            ..OpenOptions::default()
        };
        let pool = rt.block_on(Pool::open(&devices, &options))?;
        let overview = pool.overview();
        self.open = Some(Open { rt, pool });
        Ok(Reply::Opened(Box::new(overview)))
    }

    /// Answers one question; `progress` is told of long walks and stops one by `false`.
    pub fn answer(&self, request: Request, progress: &mut dyn FnMut(Progress) -> bool) -> Reply {
        if let Request::Explain(text) = &request {
            return Reply::Explained(Box::new(report::explain(text)));
        }
        if let Some(bench) = &self.bench {
            return bench.answer(&request);
        }
        let Some(open) = &self.open else {
            let advice = "Drop an image on the start screen, or take a sample.";
            return Reply::Failed(Failure::usage("No pool is open", advice));
        };
        match open.answer(request, progress) {
            Ok(reply) => reply,
            Err(e) => Reply::Failed(e.into()),
        }
    }
}

impl Open {
    fn answer(
        &self,
        request: Request,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Reply, PoolError> {
        let (rt, pool) = (&self.rt, &self.pool);
        Ok(match request {
            Request::Open(_) | Request::Explain(_) => {
                Reply::Failed(Failure::bug("a request went the wrong way"))
            }
            Request::Map => Reply::Map(rt.block_on(pool.map())?),
            Request::Strip(r) => Reply::Strip(self.strip(&r)?),
            Request::TreeNode { vdev, metaslab, path } => {
                Reply::TreeNode(rt.block_on(pool.tree_node(vdev, metaslab, &path))?)
            }
            Request::Datasets => Reply::Datasets(rt.block_on(pool.datasets())?),
            Request::Objects { dataset, from, limit } => {
                let limit = limit.min(MAX_OBJECTS);
                Reply::Objects(rt.block_on(pool.objects(&dataset, ObjectId(from), limit))?)
            }
            Request::Object { dataset, id } => {
                let object = rt.block_on(pool.object(&dataset, ObjectId(id), true))?;
                Reply::Object(Box::new(object))
            }
            Request::List { dataset, path } => {
                Reply::List(rt.block_on(pool.list(&dataset, &path))?)
            }
            Request::Read { dataset, path, offset, len } => {
                let len = len.min(MAX_READ);
                Reply::Bytes(rt.block_on(pool.read(&dataset, &path, offset, len))?)
            }
            Request::History => Reply::History(rt.block_on(pool.history())?),
            Request::Logs => Reply::Logs(rt.block_on(pool.logs())?),
            Request::Check { metadata_only, all_copies } => {
                let options = CheckOptions { metadata_only, all_copies, sizes: true };
                Reply::Checked(Box::new(rt.block_on(pool.check(&options, progress))?))
            }
        })
    }

    fn strip(&self, r: &StripRequest) -> Result<tidepool::view::StripView, PoolError> {
        let (cells, segments) = (r.cells.min(MAX_STRIP), r.max_segments.min(MAX_STRIP));
        let view = self.pool.strip(r.vdev, r.metaslab, r.from..r.to, cells, segments);
        self.rt.block_on(view)
    }
}

/// None or several pools: say what was found.
fn choose(found: ScanView, names: &[String]) -> Reply {
    if !found.pools.is_empty() {
        return Reply::Choose(Box::new(found));
    }
    let what = match names {
        [] => "No file was given".into(),
        [one] => format!("{one} holds no ZFS label"),
        many => format!("None of the {} files holds a ZFS label", many.len()),
    };
    let problems = found.strangers.iter().filter_map(|device| {
        let label = device.labels.iter().find_map(|l| l.problem.as_ref())?;
        Some(format!("{}: {label}", device.name))
    });
    Reply::Failed(Failure {
        kind: "not_a_pool".into(),
        place: String::new(),
        message: std::iter::once(what).chain(problems.take(3)).collect::<Vec<_>>().join(". "),
        advice: "Open the raw image of a disk or partition that belongs to a pool, unpacked; or \
                 paste the output of a ZFS tool."
            .into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::unpack;
    use crate::samples;
    use std::path::Path;

    fn open(id: &str) -> (Session, Reply) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("static/samples");
        let files = samples::pool(id).map_or(&[][..], |s| s.files);
        let media = files.iter().map(|f| {
            let packed = std::fs::read(folder.join(f)).unwrap();
            Box::new(unpack(&packed).unwrap()) as Box<dyn Media>
        });
        let request = OpenRequest {
            names: files.iter().map(|f| f.to_string()).collect(),
            ..OpenRequest::default()
        };
        let mut session = Session::new();
        let reply = session.open(&request, media.collect());
        (session, reply)
    }

    fn ask(session: &Session, request: Request) -> Reply {
        session.answer(request, &mut |_| true)
    }

    #[test]
    fn every_sample_opens_and_is_clean() {
        for sample in samples::POOLS {
            let (session, reply) = open(sample.id);
            assert!(matches!(reply, Reply::Opened(_)), "{}: {reply:?}", sample.id);
            let check = Request::Check { metadata_only: false, all_copies: false };
            match ask(&session, check) {
                Reply::Checked(view) => assert!(view.clean, "{}: {view:?}", sample.id),
                other => panic!("{}: {other:?}", sample.id),
            }
        }
    }

    #[test]
    fn a_sample_has_files_and_a_deep_tree() {
        let (session, _) = open("raidz-degraded");
        let read = Request::Read {
            dataset: "reef/files".into(),
            path: "/poems/tide.txt".into(),
            offset: 0,
            len: 100,
        };
        match ask(&session, read) {
            Reply::Bytes(bytes) => assert!(bytes.starts_with(b"The tide goes out")),
            other => panic!("{other:?}"),
        }
        let (session, _) = open("aged");
        let root = Request::TreeNode { vdev: 0, metaslab: 0, path: Vec::new() };
        match ask(&session, root) {
            Reply::TreeNode(node) => assert!(!node.leaf && node.children.len() > 1),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_pool_is_said_to_be_none() {
        let media: Vec<Box<dyn Media>> = vec![Box::new(unpack(b"no pool at all").unwrap())];
        let request = OpenRequest { names: vec!["note.txt".into()], ..OpenRequest::default() };
        match Session::new().open(&request, media) {
            Reply::Failed(f) => {
                assert_eq!(f.kind, "not_a_pool");
                assert!(f.message.starts_with("note.txt"), "{}", f.message);
            }
            other => panic!("{other:?}"),
        }
        let closed = ask(&Session::new(), Request::Map);
        assert!(matches!(closed, Reply::Failed(f) if f.kind == "usage"));
    }
}
