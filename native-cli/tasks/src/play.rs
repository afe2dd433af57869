//! `cargo play`: builds everything and serves the playground.

use crate::install::Installer;
use crate::project::Project;
use crate::run;

/// Builds the page, then the program with the page in it, then serves it with `args`.
pub(crate) fn run(project: &Project, args: &[String]) -> Result<(), String> {
    let shown = true;
    println!("building the playground");
    let built = Installer { project, shown }.build_web()?;
    println!("built {built}");
    let mut serve = project.cargo(&["run", "--release", "--quiet", "--package", "tidepool-cli"]);
    // Paths are the user's, so they count from where the user stands.
    if let Ok(here) = std::env::current_dir() {
        serve.arg("--manifest-path").arg(project.root.join("Cargo.toml"));
        serve.current_dir(here);
    }
    serve.args(["--", "play"]).args(args);
    run::shown(&mut serve)
}
