//! Examples for the help texts.

pub const PARTITION: &str = "Examples:
  cloth-lab partition scenes/tablecloth.ron --ranks 2,4
  cloth-lab partition out/tablecloth --frame 20 --method all";

pub const REPLAY: &str = "Examples:
  cloth-sim scenes/tablecloth.ron --ranks 1 --threads 1 --record-tasks trees.bin
  cloth-lab replay trees.bin --processors 1,16,256";

pub const CCD_QUERIES: &str = "Examples:
  cloth-lab ccd-queries queries.csv --kind edge-edge";
