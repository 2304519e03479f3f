//! The subcommand `view`: a run as one page for a browser.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use cloth_core::error::{Error, Result};
use serde_json::json;

use crate::program::output::{is_of_another, names, run_files, write_whole};
use crate::program::print::{self, ResultFormat};
use crate::program::view::{Live, View, limit, page};

/// Bytes of a MB.
const MB: f64 = 1e6;

/// Writes the page of a run and opens it.
///
/// # Errors
/// A folder that is no run or has no frame. A page that cannot be written.
pub fn view(arguments: &ViewArguments) -> Result<()> {
    let mut view = View::open(&arguments.folder)?;
    if arguments.live {
        return Live::new(view).serve(arguments.port, |address| {
            if !arguments.quiet {
                arguments.result.print(&json!({ "address": address }), || {
                    print::line(format_args!("{address} shows the run; Ctrl-C ends this"))
                })?;
            }
            if !arguments.no_open {
                open(address);
            }
            Ok(())
        });
    }
    limit::limit(&mut view, (arguments.limit_mb * MB) as u64)?;
    let path = arguments.output.clone().unwrap_or_else(|| arguments.folder.join(names::PAGE));
    if is_of_another(&path, page::MARK, page::MARK.len()) {
        let cause = "it exists, and is no page of this program";
        return Err(Error::file(&path, cause, "choose another file with --output"));
    }
    let faults = write(&mut view, &path, arguments.quiet)?;
    if arguments.output.is_none() {
        run_files::list_drawn(&arguments.folder, std::slice::from_ref(&path))?;
    }
    if !arguments.quiet {
        arguments.result.print(&json!({ "page": path, "left_out": faults }), || {
            faults.iter().try_for_each(print::line)?;
            print::line(path.display())
        })?;
    }
    if !arguments.no_open {
        open(&path.display().to_string());
    }
    Ok(())
}

/// Writes the page. Returns what is wrong with frames that are left out.
fn write(view: &mut View, path: &Path, quiet: bool) -> Result<Vec<String>> {
    let bar = print::counter(quiet, None, "frames written: {pos}");
    let mut faults = Ok(Vec::new());
    let written = write_whole(path, |file| {
        let mut out = BufWriter::new(file);
        faults = view.write(&mut out, || bar.inc(1));
        match &faults {
            Ok(_) => out.flush(),
            Err(cause) => Err(io::Error::other(cause.to_string())),
        }
    });
    bar.finish_and_clear();
    let faults = faults?;
    written.map_err(|cause| Error::file(path, cause, "choose another file with --output"))?;
    Ok(faults)
}

/// Opens the page in the browser. Without one, or without a display, says so. What the launchers of
/// the system say does not help.
fn open(page: &str) {
    if open::that_detached(page).is_err() {
        print::message(format_args!(
            "no browser was opened, as on a machine without a display; open {page} yourself \
             (--no-open: do not try)"
        ));
    }
}

/// Arguments of `view`.
#[derive(Debug, Clone, Args)]
pub struct ViewArguments {
    /// The run folder. The run may still be going on, or have ended early.
    pub folder: PathBuf,

    /// The file of the page [default: view.html in the run folder].
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Only write the page.
    #[arg(long)]
    pub no_open: bool,

    /// Serve the page to this machine alone, and add frames as they come, until Ctrl-C. Frames are
    /// not thinned.
    #[arg(long, conflicts_with_all = ["output", "limit_mb"])]
    pub live: bool,

    /// The port of `--live` [default: one that is free].
    #[arg(
        long,
        value_name = "PORT",
        requires = "live",
        default_value = "0",
        hide_default_value = true
    )]
    pub port: u16,

    /// The largest size of the page, in millions of bytes. Above it fewer frames are shown, then
    /// fewer faces.
    #[arg(long, value_name = "N", default_value = "64", value_parser = size)]
    pub limit_mb: f64,

    /// Print only errors.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// How the result is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}

/// A size in millions of bytes.
fn size(text: &str) -> std::result::Result<f64, String> {
    let size = text.parse().ok().filter(|size: &f64| size.is_finite() && *size > 0.0);
    size.ok_or_else(|| "write a number above 0, such as 64".to_owned())
}
