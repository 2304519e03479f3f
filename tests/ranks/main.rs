//! Transports and partitioners.

#[path = "../common/mod.rs"]
mod common;
mod partitioners;
#[path = "../../benches/partitioners/shapes.rs"]
mod shapes;
mod transport;
