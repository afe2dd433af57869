//! What the WebAssembly build needs, installed into `target/tools` when it is missing.
//!
//! | tool | from | needed |
//! |---|---|---|
//! | target wasm32-unknown-unknown | rustup | yes |
//! | wasm-pack | cargo install | yes |
//! | wasm-bindgen of the lock file's version | cargo install | yes |
//! | wasm-opt | npm package binaryen | no: the page is bigger without it |

use crate::project::Project;
use crate::run;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const TARGET: &str = "wasm32-unknown-unknown";

/// Older ones cannot read what the compiler writes today.
const WASM_OPT_OLDEST: u64 = 116;

const BINARYEN: &str = "binaryen@132";

/// How the installing commands are run and where they tell.
pub(crate) struct Installer<'a> {
    pub(crate) project: &'a Project,
    /// Whether output goes to the terminal; else into logs, with limits.
    pub(crate) shown: bool,
}

impl Installer<'_> {
    /// Everything that the playground's build cannot do without.
    pub(crate) fn wasm_tools(&self) -> Result<(), String> {
        self.wasm_target()?;
        let version = self.project.locked_version("wasm-bindgen");
        let version = version.ok_or("the lock file names no wasm-bindgen")?;
        let mut missing = Vec::new();
        if self.project.which("wasm-pack").is_none() {
            missing.push("wasm-pack".to_owned());
        }
        if !self.has_bindgen(&version) {
            missing.push(format!("wasm-bindgen-cli@{version}"));
        }
        for tool in missing {
            println!("installing {tool} into target/tools: some minutes, once");
            // The tool's own lock file first; a registry that lacks one of its versions can still
            // serve what the manifest asks for.
            let name = format!("install-{tool}");
            if self.cargo_install(&tool, true, &name).is_err() {
                self.cargo_install(&tool, false, &name)?;
            }
        }
        Ok(())
    }

    fn cargo_install(&self, tool: &str, locked: bool, name: &str) -> Result<(), String> {
        let mut install = self.project.cargo(&["install", "--quiet", "--root"]);
        install.arg(&self.project.tools).arg(tool);
        if locked {
            install.arg("--locked");
        }
        // Tools that run for seconds need not be compiled for minutes.
        install
            .env("CARGO_TARGET_DIR", self.project.tools.join("build"))
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_LTO", "off");
        self.run(&mut install, 1800, name)
    }

    /// The compiler's WebAssembly target.
    pub(crate) fn wasm_target(&self) -> Result<(), String> {
        if self.has_target() {
            return Ok(());
        }
        println!("installing the compiler's target {TARGET}");
        let mut add = self.project.command("rustup");
        add.args(["target", "add", TARGET]);
        self.run(&mut add, 300, "install-wasm-target")?;
        match self.has_target() {
            true => Ok(()),
            false => Err(format!("the target {TARGET} is still missing")),
        }
    }

    fn has_target(&self) -> bool {
        let mut rustc = self.project.command("rustc");
        let folder = run::output(rustc.args(["--print", "target-libdir", "--target", TARGET]));
        folder.is_some_and(|folder| PathBuf::from(folder.trim()).is_dir())
    }

    fn has_bindgen(&self, version: &str) -> bool {
        let mut bindgen = self.project.command("wasm-bindgen");
        let found = run::output(bindgen.arg("--version"));
        found.is_some_and(|text| text.split_whitespace().any(|word| word == version))
    }

    /// The optimiser; why there is none when it cannot be had.
    pub(crate) fn wasm_opt(&self) -> Result<(), String> {
        if self.has_wasm_opt() {
            return Ok(());
        }
        if self.project.which("npm").is_none() {
            return Err("wasm-opt is missing and there is no npm to install it with".into());
        }
        println!("installing wasm-opt ({BINARYEN}) into target/tools");
        let mut npm = self.project.command("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]);
        npm.arg(&self.project.tools).arg(BINARYEN);
        self.run(&mut npm, 300, "install-wasm-opt")?;
        match self.has_wasm_opt() {
            true => Ok(()),
            false => Err("wasm-opt was installed and does not run".into()),
        }
    }

    fn has_wasm_opt(&self) -> bool {
        let mut wasm_opt = self.project.command("wasm-opt");
        let text = run::output(wasm_opt.arg("--version")).unwrap_or_default();
        // "wasm-opt version 132 (...)"
        let version = text.split_whitespace().nth(2).and_then(|v| v.parse().ok());
        version.is_some_and(|v: u64| v >= WASM_OPT_OLDEST)
    }

    /// Builds the playground into `web/static/pkg`; says whether it was optimised.
    pub(crate) fn build_web(&self) -> Result<String, String> {
        self.wasm_tools()?;
        let optimiser = self.wasm_opt();
        let mut build = self.project.command("wasm-pack");
        build.args(["build", "web", "--target", "web", "--release", "--no-typescript"]);
        build.args(["--no-pack", "--mode", "no-install", "--out-dir", "static/pkg"]);
        if optimiser.is_err() {
            build.arg("--no-opt");
        }
        self.run(&mut build, 1800, "wasm-pack")?;
        let wasm = self.project.root.join("web/static/pkg/tidepool_web_bg.wasm");
        let size = std::fs::metadata(&wasm).map_err(|e| format!("{}: {e}", wasm.display()))?;
        let kib = size.len() >> 10;
        Ok(match optimiser {
            Ok(()) => format!("{kib} KiB of WebAssembly"),
            Err(why) => format!("{kib} KiB of WebAssembly, not optimised: {}", first_line(&why)),
        })
    }

    fn run(&self, command: &mut Command, seconds: u64, name: &str) -> Result<(), String> {
        if self.shown {
            return run::shown(command);
        }
        let log = self.project.log(name);
        run::logged(command, Duration::from_secs(seconds), &log).map(drop)
    }
}

pub(crate) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}
