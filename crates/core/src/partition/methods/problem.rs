//! The points that are divided among ranks.

use crate::partition::graph::Graph;
use crate::{Error, Result, Vec3};

/// Points in space, each with an amount of work. A point stands for a patch, or for a cell
/// (bucket) of a sparse grid.
#[derive(Debug, Clone, Copy)]
pub struct WeightedPoints<'a> {
    /// Where the points are, m.
    pub points: &'a [Vec3],
    /// The work of each point, in any unit.
    pub weights: &'a [f64],
    /// The width of the cubes that the points stand for, m; 0 if they stand for themselves.
    pub spacing_m: f64,
    /// Which points exchange data.
    pub graph: Option<Couplings<'a>>,
}

/// A graph whose edges may have weights.
#[derive(Debug, Clone, Copy)]
pub struct Couplings<'a> {
    /// The graph; its vertices are the points.
    pub graph: &'a Graph,
    /// The weight of each entry of `graph.neighbours`, equal in both directions.
    pub weights: Option<&'a [u32]>,
}

const PLACE: &str = "partition";

impl<'a> WeightedPoints<'a> {
    /// `points` that stand for themselves, without a graph.
    pub fn new(points: &'a [Vec3], weights: &'a [f64]) -> Self {
        Self { points, weights, spacing_m: 0.0, graph: None }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// True if there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The answer if no method is needed: all points are one part, or each point is its own.
    /// `None` if the points must be divided.
    ///
    /// # Errors
    /// As for [`super::Partitioner::partition`].
    pub(super) fn simple_answer(&self, parts: usize) -> Result<Option<Vec<u32>>> {
        self.check(parts)?;
        if parts == 1 {
            return Ok(Some(vec![0; self.len()]));
        }
        Ok((self.len() <= parts).then(|| (0..self.len() as u32).collect()))
    }

    fn check(&self, parts: usize) -> Result<()> {
        if parts == 0 || parts > u32::MAX as usize {
            let cause = format!("{parts} parts are asked for");
            return Err(Error::input(PLACE, cause, "ask for a number of ranks from 1 on"));
        }
        if self.weights.len() != self.len() {
            let cause = format!("{} points have {} weights", self.len(), self.weights.len());
            return Err(Error::input(PLACE, cause, "give one weight for each point"));
        }
        if u32::try_from(self.len()).is_err() {
            let cause = format!("{} points are too many", self.len());
            return Err(Error::input(PLACE, cause, "join points: 32 bits must number them"));
        }
        if let Some(i) = self.points.iter().position(|x| !x.iter().all(|c| c.abs() < 1e100)) {
            let cause = format!("point {i} is at {:?}", self.points[i].as_slice());
            return Err(Error::input(PLACE, cause, "give finite positions"));
        }
        let allowed = |weight: f64| (0.0..1e200).contains(&weight);
        if let Some(i) = self.weights.iter().position(|&weight| !allowed(weight)) {
            let cause = format!("point {i} has the weight {}", self.weights[i]);
            return Err(Error::input(PLACE, cause, "give finite weights that are not negative"));
        }
        if !self.is_empty() && self.weights.iter().sum::<f64>() <= 0.0 {
            let cause = "no point has any work";
            return Err(Error::input(PLACE, cause, "give at least one point a weight above 0"));
        }
        if !(self.spacing_m.is_finite() && self.spacing_m >= 0.0) {
            let cause = format!("the spacing is {} m", self.spacing_m);
            return Err(Error::input(PLACE, cause, "give a spacing of 0 or more"));
        }
        if let Some(graph) = self.graph.filter(|couplings| couplings.graph.len() != self.len()) {
            let cause = format!("{} points, but a graph of {}", self.len(), graph.graph.len());
            return Err(Error::input(PLACE, cause, "give the graph one vertex for each point"));
        }
        Ok(())
    }
}
