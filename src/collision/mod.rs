//! Collision handling: surfaces, 18-DOP hierarchies, tests, contacts, response.
//!
//! Collision sees surfaces, not cloth: positions at both ends of a step, faces,
//! inverse masses and distances.

pub mod bvh;
pub mod detector;
pub mod dop;
pub mod pair;
pub mod surface;
pub mod task;

pub use bvh::Hierarchy;
pub use detector::{Detector, root_tests};
pub use pair::{Pair, PairKind};
pub use surface::{Surface, Surfaces};
pub use task::{Test, TestCounters};
/// stub
pub mod stub {
    use super::*;
    use crate::math::Vec3;
    #[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    pub struct Contact {
        pub pair: Pair,
        pad: u32,
        pub weights: [f64; 4],
        pub normal: [f64; 3],
        pub gap_m: f64,
    }
    #[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    pub struct VertexResponse {
        pub vertex: u32,
        pub pair: Pair,
        pub delta_v: [f64; 3],
    }
    pub enum ContactKind {
        Proximity,
        Impact,
    }
    impl Contact {
        pub fn kind(&self) -> ContactKind {
            ContactKind::Proximity
        }
    }
    pub struct ResponseMotion<'a> {
        pub x0: &'a [Vec3],
        pub x1: &'a [Vec3],
        pub inverse_masses: &'a [f64],
        pub h: f64,
    }
    pub fn find_contacts(_: &[Pair], _: &[Vec3], _: &[Vec3], _: f64, _: &mut Vec<Contact>) {}
    pub fn impulses(
        _: &[Pair],
        _: &ResponseMotion,
        _: f64,
        _: f64,
        _: &mut Vec<VertexResponse>,
    ) -> u64 {
        0
    }
    pub fn max_project(_: &mut Vec<VertexResponse>) {}
    pub fn stays_within(_: &Vec3, _: &Vec3, _: &Vec3, _: f64) -> bool {
        true
    }
}
pub use stub::*;
