//! stub
use crate::comm::World; use crate::error::Result; use crate::math::Vec3; use crate::threads::Threads; use super::pair::Pair; use crate::ids::VertexId;
/// stub
#[derive(Default)] pub struct FailSafe {}
/// stub
pub struct Paths<'a> { /// a
pub x0: &'a [Vec3], /// a
pub inverse_masses: &'a [f64], /// a
pub delta_m: f64 }
/// stub
#[derive(Debug, Clone, Copy, PartialEq)] pub struct Conflict { /// a
pub pair: Pair, /// a
pub vertex: VertexId }
/// stub
pub struct Truncation { /// a
pub vertex: VertexId, /// a
pub normal: Vec3, /// a
pub plane_motion_m: f64, /// a
pub lost_m: f64 }
/// stub
#[derive(Default)] pub struct Outcome { /// a
pub truncated: Vec<Truncation>, /// a
pub per_pass: Vec<u64>, /// a
pub pushed: u64, /// a
pub conflict: Option<Conflict> }
impl FailSafe { /// a
/// # Errors
/// a
pub fn run(&mut self, _w: &dyn World, _t: &Threads, _c: &[Pair], _p: &Paths, _s: &(dyn Fn(usize, &Vec3) -> bool + Sync), _x1: &mut [Vec3]) -> Result<Outcome> { Ok(Outcome::default()) } }
