//! The laboratory: the real binary `cloth-lab`, on recordings and runs of the real `cloth-sim`.

mod ccd_truth;
#[path = "../../../../tests/common/mod.rs"]
mod common;
mod partition;
mod replay;
