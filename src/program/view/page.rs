//! The page: one HTML file that holds everything it needs and loads nothing.

use std::io::{self, Write};

use serde::Serialize;

/// Libraries, in one file with their licences: three.js and uPlot. `tools/bundle_view.sh` makes it.
const LIBRARIES: &str = include_str!("../../../page/vendor/libraries.min.js");
const LICENCES: &str = include_str!("../../../page/vendor/LICENSES.txt");
const LIBRARY_STYLE: &str = include_str!("../../../page/vendor/uPlot.min.css");

const STYLE: &str = include_str!("../../../page/style.css");
const BODY: &str = include_str!("../../../page/body.html");

/// The scripts of the page, in the order in which they stand in it.
const SCRIPTS: [&str; 12] = [
    include_str!("../../../page/arrays.js"),
    include_str!("../../../page/run_data.js"),
    include_str!("../../../page/colours.js"),
    include_str!("../../../page/quality.js"),
    include_str!("../../../page/stage.js"),
    include_str!("../../../page/surfaces.js"),
    include_str!("../../../page/bodies.js"),
    include_str!("../../../page/charts.js"),
    include_str!("../../../page/panel.js"),
    include_str!("../../../page/playback.js"),
    include_str!("../../../page/live.js"),
    include_str!("../../../page/main.js"),
];

/// The first lines of every page. They mark it as one of this program.
pub const MARK: &str = "<!DOCTYPE html>\n<!-- a page of cloth-sim view -->\n";

/// What a browser may do with the page: run what is in it, and load nothing. A live page asks its
/// own server for frames.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      img-src data: blob:; connect-src 'self'";

/// Writes everything before the frames. `title` is plain text, and `run` becomes JSON.
///
/// # Errors
/// The errors of `out`.
pub fn begin(out: &mut dyn Write, title: &str, run: &impl Serialize) -> io::Result<()> {
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(out, "{MARK}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<title>{title}</title>\n<!--\n{LICENCES}\n-->")?;
    writeln!(out, "<style>\n{LIBRARY_STYLE}\n{STYLE}</style>\n</head>\n<body>\n{BODY}")?;
    script(out, "id=\"run\"", &json(run)?)
}

/// Writes a frame, which is the result of [`json`].
///
/// # Errors
/// The errors of `out`.
pub fn frame(out: &mut dyn Write, json: &str) -> io::Result<()> {
    script(out, "class=\"frame\"", json)
}

/// Writes everything after the frames.
///
/// # Errors
/// The errors of `out`.
pub fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<script>{LIBRARIES}</script>\n<script>\n\"use strict\";\n(() => {{")?;
    SCRIPTS.iter().try_for_each(|text| writeln!(out, "{text}"))?;
    writeln!(out, "}})();\n</script>\n</body>\n</html>")
}

/// `value` as JSON that can stand in an element of a page.
///
/// # Errors
/// A value that is no JSON.
pub fn json(value: &impl Serialize) -> io::Result<String> {
    // `<` would let a name in the data end the element.
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

/// Writes JSON that a browser keeps and does not run.
fn script(out: &mut dyn Write, attribute: &str, json: &str) -> io::Result<()> {
    writeln!(out, "<script type=\"application/json\" {attribute}>{json}</script>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_element() {
        let mut page = Vec::new();
        begin(&mut page, "</title><script>", &["</script><script>alert(1)"]).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("<title>&lt;/title>"));
        assert!(page.contains(r#"["\u003c/script>\u003cscript>alert(1)"]"#));
    }

    #[test]
    fn the_parts_load_nothing() {
        let parts = [LIBRARIES, LIBRARY_STYLE, STYLE, BODY];
        for part in parts.iter().chain(&SCRIPTS) {
            for word in ["src=\"", "href=\"http", "@import", "url(http", "import(", "</script"] {
                assert!(!part.contains(word), "{word}");
            }
        }
    }
}
