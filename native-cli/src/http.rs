//! The playground's server: a few files that are built in, and slices of attached images.
//!
//! ```text
//!   GET /                 the page; every other file of web/static under its own path
//!   GET /attached         [{"id": 0, "name": "disk.img", "size": 67108864}, ...]
//!   GET /attached/0       bytes of that image; with "Range: bytes=a-b" status 206 and that slice
//!   HEAD                  the same without a body
//! ```
//!
//! The page opens an attached image by slices, as it does with a dropped file, so an image of any
//! size is never loaded. Invariants: it listens on loopback only; a request whose `Host` is not a
//! loopback name is refused, so that no web site can reach the images by a name of its own; paths
//! are looked up in a table, never in the file system; attached files are open for reading only.

use std::fs::File;
use std::io::{Cursor, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use tiny_http::{Header, Method, Request, Response, Server};

/// One file that is built in.
struct Asset {
    path: &'static str,
    bytes: &'static [u8],
    gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Requests served at a time.
const THREADS: usize = 4;

const NOT_BUILT: &str = "<!doctype html><meta charset=\"utf-8\"><title>Tidepool</title>\
    <h1>The playground is not in this build</h1><p>Build and serve it with \
    <code>cargo play</code> in a copy of the source. The other commands work: \
    <code>tidepool --help</code>.";

/// An image that the page may read.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Attached {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) size: u64,
    #[serde(skip)]
    pub(crate) file: Arc<File>,
}

/// Whether the playground was built in.
pub(crate) fn is_built() -> bool {
    !ASSETS.is_empty()
}

/// A server that listens and does not answer yet.
pub(crate) struct Playground {
    server: Server,
    attached: Vec<Attached>,
}

type Body = Box<dyn Read + Send>;

/// One answer before it is sent.
struct Answer {
    status: u16,
    kind: &'static str,
    body: Body,
    length: u64,
    headers: Vec<Header>,
}

impl Playground {
    /// Listens on `port` of 127.0.0.1; 0 takes a free one.
    pub(crate) fn listen(port: u16, attached: Vec<Attached>) -> std::io::Result<Self> {
        let server = Server::http(("127.0.0.1", port)).map_err(std::io::Error::other)?;
        Ok(Self { server, attached })
    }

    /// Where the page is.
    pub(crate) fn address(&self) -> String {
        format!("http://{}/", self.server.server_addr())
    }

    /// What is attached.
    pub(crate) fn attached(&self) -> &[Attached] {
        &self.attached
    }

    /// Answers for ever.
    pub(crate) fn serve(&self) {
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    while let Ok(request) = self.server.recv() {
                        self.reply(request);
                    }
                });
            }
        });
    }

    fn reply(&self, request: Request) {
        let answer = self.answer(&request);
        let mut response = Response::new(
            answer.status.into(),
            answer.headers,
            answer.body,
            usize::try_from(answer.length).ok(),
            None,
        )
        .with_chunked_threshold(usize::MAX);
        let fixed = [
            ("Content-Type", answer.kind),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", "no-cache"),
        ];
        for (name, value) in fixed {
            response.add_header(header(name, value));
        }
        // A browser that closed the connection has no use for the answer.
        let _ = request.respond(response);
    }

    fn answer(&self, request: &Request) -> Answer {
        if !host_is_loopback(field(request, "Host")) {
            return Answer::text(403, "this server answers to loopback names only");
        }
        if !matches!(request.method(), Method::Get | Method::Head) {
            return Answer::text(405, "only GET and HEAD");
        }
        let url = request.url();
        let path = url.split(['?', '#']).next().unwrap_or(url);
        if path == "/attached" {
            let list = tidepool::view::to_json(&self.attached);
            return Answer::bytes(200, "application/json", list.into_bytes());
        }
        match path.strip_prefix("/attached/") {
            Some(id) => self.slice(id, field(request, "Range")),
            None => asset(path, field(request, "Accept-Encoding").unwrap_or("")),
        }
    }

    fn slice(&self, id: &str, range: Option<&str>) -> Answer {
        let image = id.parse().ok().and_then(|id: usize| self.attached.get(id));
        let Some(image) = image else {
            return Answer::text(404, "no such image");
        };
        let size = image.size;
        let (status, bytes) = match range.map(|r| parse_range(r, size)) {
            None => (200, 0..size),
            Some(Some(bytes)) => (206, bytes),
            Some(None) => {
                let mut answer = Answer::text(416, "the range lies outside of the image");
                answer.headers = vec![header("Content-Range", &format!("bytes */{size}"))];
                return answer;
            }
        };
        let mut headers = vec![header("Accept-Ranges", "bytes")];
        if status == 206 {
            let (first, last) = (bytes.start, bytes.end - 1);
            let range = format!("bytes {first}-{last}/{size}");
            headers.push(header("Content-Range", &range));
        }
        Answer {
            status,
            kind: "application/octet-stream",
            length: bytes.end - bytes.start,
            body: Box::new(Slice { file: image.file.clone(), bytes }),
            headers,
        }
    }
}

impl Answer {
    fn bytes(status: u16, kind: &'static str, bytes: Vec<u8>) -> Self {
        Self {
            status,
            kind,
            length: bytes.len() as u64,
            body: Box::new(Cursor::new(bytes)),
            headers: Vec::new(),
        }
    }

    fn text(status: u16, text: &str) -> Self {
        Self::bytes(status, "text/plain; charset=utf-8", text.into())
    }
}

fn asset(path: &str, encodings: &str) -> Answer {
    let path = if path == "/" { "/index.html" } else { path };
    let Some(asset) = ASSETS.iter().find(|a| a.path == path) else {
        if path == "/index.html" {
            return Answer::bytes(200, "text/html; charset=utf-8", NOT_BUILT.into());
        }
        return Answer::text(404, "no such file");
    };
    let gzip = asset.gzip.filter(|_| encodings.contains("gzip"));
    let bytes = gzip.unwrap_or(asset.bytes);
    let mut headers = vec![header("Vary", "Accept-Encoding")];
    if gzip.is_some() {
        headers.push(header("Content-Encoding", "gzip"));
    }
    Answer {
        status: 200,
        kind: content_type(path),
        length: bytes.len() as u64,
        body: Box::new(bytes),
        headers,
    }
}

/// Reads `bytes` of a file without moving its position, which others share.
struct Slice {
    file: Arc<File>,
    bytes: Range<u64>,
}

impl Read for Slice {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = self.bytes.end - self.bytes.start;
        let want = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let got = self.file.read_at(&mut buffer[..want], self.bytes.start)?;
        self.bytes.start += got as u64;
        Ok(got)
    }
}

fn field<'a>(request: &'a Request, name: &'static str) -> Option<&'a str> {
    let header = request.headers().iter().find(|h| h.field.equiv(name))?;
    Some(header.value.as_str())
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("invariant: our headers are plain ASCII")
}

/// Whether `host`, with or without a port, is this machine by a loopback name.
fn host_is_loopback(host: Option<&str>) -> bool {
    let Some(host) = host else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].contains(&name)
}

/// The bytes that `bytes=a-b`, `bytes=a-` or `bytes=-n` names in a file of `size` bytes.
fn parse_range(text: &str, size: u64) -> Option<Range<u64>> {
    let (first, last) = text.trim().strip_prefix("bytes=")?.split_once('-')?;
    let range = match (first.parse::<u64>().ok(), last.parse::<u64>().ok()) {
        (Some(first), Some(last)) => first..last.checked_add(1)?.min(size),
        (Some(first), None) if last.is_empty() => first..size,
        (None, Some(last)) if first.is_empty() => size.saturating_sub(last)..size,
        _ => return None,
    };
    (range.start < range.end).then_some(range)
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("json" | "webmanifest") => "application/json",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_answered() {
        for host in ["127.0.0.1", "127.0.0.1:8080", "localhost:1", "[::1]:80", "[::1]"] {
            assert!(host_is_loopback(Some(host)), "{host}");
        }
        for host in ["", "evil.example", "127.0.0.1.evil.example:80", "localhost:a", "10.0.0.1"] {
            assert!(!host_is_loopback(Some(host)), "{host}");
        }
        assert!(!host_is_loopback(None));
    }

    #[test]
    fn ranges_stay_inside_the_file() {
        let check = |text: &str, expect: Option<Range<u64>>| {
            assert_eq!(parse_range(text, 100), expect, "{text}");
        };
        check("bytes=0-9", Some(0..10));
        check("bytes=90-1000", Some(90..100));
        check("bytes=40-", Some(40..100));
        check("bytes=-10", Some(90..100));
        check("bytes=-1000", Some(0..100));
        check("bytes=100-", None);
        check("bytes=9-3", None);
        check("bytes=-0", None);
        check("bytes=0-18446744073709551615", None);
        check("bytes=1-2,4-5", None);
        check("lines=1-2", None);
    }
}
