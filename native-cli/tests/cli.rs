//! The command line from outside: exit codes, errors, JSON on demand, hostile surroundings.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

fn tidepool(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidepool"));
    command.args(args).env_remove("TIDEPOOL_PATH").stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    tidepool(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file in a folder of its own, gone at the end of the test.
struct Sample(PathBuf);

impl Sample {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let name = format!("tidepool-cli-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("disk.img"), bytes).unwrap();
        Self(folder)
    }

    fn file(&self) -> String {
        self.0.join("disk.img").display().to_string()
    }

    fn folder(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn wrong_usage_ends_with_2() {
    for args in [
        &["frobnicate"][..],
        &["map", "--metaslab", "x", "disk"],
        &["show"],
        &["show", "nonsense", "disk"],
        &["scan"],
        &["cat", "/no/dataset", "--pool", "disk"],
    ] {
        let out = run(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {}", text(&out.stderr));
        assert!(out.stdout.is_empty(), "{args:?}");
        assert!(!out.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn a_path_that_is_not_there_is_named() {
    let out = run(&["scan", "/nonexistent/disk"]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stderr);
    assert!(said.contains("/nonexistent/disk") && said.contains("No such file"), "{said}");
    assert!(said.contains("next: "), "{said}");
}

#[test]
fn bytes_without_a_label_are_no_pool() {
    let sample = Sample::new("zeros", &vec![0; 8 << 20]);
    for command in ["scan", "map", "check"] {
        for path in [sample.file(), sample.folder()] {
            let out = run(&[command, &path]);
            let said = text(&out.stderr);
            assert_eq!(out.status.code(), Some(3), "{command}: {said}");
        }
    }
    let tiny = Sample::new("tiny", b"no room for a label");
    for what in ["labels", "config", "history", "zil", "datasets"] {
        let out = run(&["show", what, &tiny.file()]);
        assert_eq!(out.status.code(), Some(3), "{what}: {}", text(&out.stderr));
    }
}

#[test]
fn the_folder_of_the_environment_is_searched() {
    let sample = Sample::new("variable", &vec![0; 1 << 20]);
    let mut command = tidepool(&["scan"]);
    let out = command.env("TIDEPOOL_PATH", &sample.0).output().unwrap();
    assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
}

#[test]
fn an_error_is_json_when_json_is_asked_for() {
    let sample = Sample::new("json", &vec![0; 1 << 20]);
    let out = run(&["--json", "map", &sample.file()]);
    let error: serde_json::Value = serde_json::from_slice(&out.stderr).expect("JSON");
    assert!(error["error"]["message"].is_string(), "{error}");
    assert_eq!(error["error"]["kind"], "NotAPool");
}

fn explain(args: &[&str], pasted: &[u8]) -> Output {
    let mut command = tidepool(args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(pasted).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn explain_reads_standard_input() {
    let row = "\tmetaslab      0   offset            0   spacemap     39   free    14.9G\n";
    let pasted = format!("vdev          0\n\tmetaslabs   116   offset ...\n{row}");
    for args in [&["explain", "--json"][..], &["explain", "-", "--json"]] {
        let out = explain(args, pasted.as_bytes());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let view: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
        for field in ["kind", "version_hint", "findings", "verdict", "not_understood"] {
            assert!(!view[field].is_null(), "{field}");
        }
    }
}

#[test]
fn control_sequences_of_a_pasted_text_do_not_reach_the_terminal() {
    let out = explain(&["explain"], b"\x1b]0;title\x07 \x1b[2J nonsense\xff\n");
    assert_eq!(out.status.code(), Some(0));
    assert!(!out.stdout.contains(&0x1b) && !out.stdout.contains(&7));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let mut child = tidepool(&["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!((out.status.code(), text(&out.stderr)), (Some(0), String::new()));
}

#[test]
fn completion_and_manual_pages_name_every_command() {
    let script = text(&run(&["completions", "zsh"]).stdout);
    let sample = Sample::new("man", b"");
    assert!(run(&["man", &sample.folder()]).status.success());
    for command in ["scan", "show", "map", "check", "ls", "cat", "get", "explain", "play"] {
        assert!(script.contains(command), "{command}");
        let page = sample.0.join(format!("tidepool-{command}.1"));
        assert!(page.is_file(), "{}", page.display());
    }
}

/// A running `tidepool play`, ended with the test.
struct Server {
    child: Child,
    address: String,
    _out: Box<dyn BufRead>,
}

impl Server {
    fn start(paths: &[&str]) -> Self {
        let mut command = tidepool(&["play"]);
        let mut child =
            command.args(paths).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).expect("an address");
        let address = address.trim().trim_end_matches('/').to_owned();
        let _out = Box::new(out);
        Self { child, address, _out }
    }

    /// Status line with head, and body.
    fn ask(&self, request: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = request.replace("HOST", &self.address);
        write!(stream, "{request}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let split = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        (text(&answer[..split]), answer[split + 4..].to_vec())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_playground_serves_slices_of_what_is_attached() {
    let bytes: Vec<u8> = (0..1u32 << 20).map(|n| (n % 253) as u8).collect();
    let sample = Sample::new("play", &bytes);
    let server = Server::start(&[&sample.file()]);
    let (head, body) = server.ask("GET /attached HTTP/1.1\r\nHost: HOST");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let list: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(list[0]["size"], 1 << 20);
    let range = "GET /attached/0 HTTP/1.1\r\nHost: HOST\r\nRange: bytes=1000-1999";
    let (head, body) = server.ask(range);
    assert!(head.starts_with("HTTP/1.1 206"), "{head}");
    assert!(head.contains("Content-Range: bytes 1000-1999/1048576"), "{head}");
    assert_eq!(body, bytes[1000..2000]);
    let (head, body) = server.ask("GET / HTTP/1.1\r\nHost: HOST");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/html"), "{head}");
    assert!(!body.is_empty());
}

#[test]
fn the_playground_gives_nothing_else() {
    let sample = Sample::new("fence", &vec![1; 4096]);
    let server = Server::start(&[&sample.file()]);
    let check = |request: &str, status: &str| {
        let (head, _) = server.ask(request);
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {head}");
    };
    check("GET /attached/0 HTTP/1.1\r\nHost: evil.example", "403");
    check("GET /../../etc/passwd HTTP/1.1\r\nHost: HOST", "404");
    check("GET /%2e%2e/etc/passwd HTTP/1.1\r\nHost: HOST", "404");
    check("GET /attached/1 HTTP/1.1\r\nHost: HOST", "404");
    check("GET /attached/../0 HTTP/1.1\r\nHost: HOST", "404");
    check("GET /attached/0 HTTP/1.1\r\nHost: HOST\r\nRange: bytes=9999-", "416");
    check("POST /attached HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0", "405");
    check("DELETE /attached/0 HTTP/1.1\r\nHost: HOST", "405");
}
