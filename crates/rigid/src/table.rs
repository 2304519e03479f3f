//! A table of bodies, stored by columns.
//!
//! The motion of a body that flies freely needs only its state: 104 of the 232 bytes of a
//! [`Body`]. Most bodies fly freely in most steps, and memory traffic limits a pass over all
//! bodies.

use std::ops::Range;

use crate::{Body, BodyId, BodyState, Load, MaterialId, Shape};
use cloth_bodies::bodies::rigid::is_isotropic;
use cloth_core::Vec3;

/// Bodies in a table. A place is an index into all columns.
#[derive(Debug, Clone, Default)]
pub struct BodyTable {
    states: Vec<BodyState>,
    constants: Vec<Constants>,
    /// The load of each body. Empty if nothing acts on any body.
    loads: Vec<Load>,
    /// True since a body with unequal moments of inertia was added.
    has_tops: bool,
    /// True since a body was added that is not a sphere.
    has_others: bool,
}

/// The part of a body that never changes.
#[derive(Debug, Clone, Copy)]
struct Constants {
    id: BodyId,
    shape: Shape,
    material: MaterialId,
    mass: f64,
    inertia: Vec3,
}

/// A view of bodies of a table.
#[derive(Debug, Clone, Copy)]
pub struct BodyList<'a> {
    states: &'a [BodyState],
    rest: Rest<'a>,
}

/// A view of bodies of a table without their states.
#[derive(Debug, Clone, Copy)]
pub struct Rest<'a> {
    constants: &'a [Constants],
    loads: &'a [Load],
    has_tops: bool,
    has_others: bool,
}

impl BodyTable {
    /// All bodies.
    pub fn bodies(&self) -> BodyList<'_> {
        let Self { states, constants, loads, has_tops, has_others } = self;
        let rest = Rest { constants, loads, has_tops: *has_tops, has_others: *has_others };
        BodyList { states, rest }
    }

    /// The states, and all other columns.
    pub fn parts_mut(&mut self) -> (&mut [BodyState], Rest<'_>) {
        let Self { states, constants, loads, has_tops, has_others } = self;
        (states, Rest { constants, loads, has_tops: *has_tops, has_others: *has_others })
    }

    /// The states, by place.
    pub fn states_mut(&mut self) -> &mut [BodyState] {
        &mut self.states
    }

    /// Adds a body after the last one.
    pub fn push(&mut self, body: Body) {
        let Body { id, shape, material, mass, inertia, state, load } = body;
        self.states.push(state);
        self.constants.push(Constants { id, shape, material, mass, inertia });
        self.has_tops |= !is_isotropic(&inertia);
        self.has_others |= !shape.is_ball();
        if !self.loads.is_empty() {
            self.loads.push(load);
        } else {
            self.set_load(self.states.len() - 1, load);
        }
    }

    /// Removes the last body.
    pub fn pop(&mut self) -> Option<Body> {
        let last = self.states.len().checked_sub(1)?;
        let body = self.bodies().at(last);
        self.states.pop();
        self.constants.pop();
        self.loads.pop();
        Some(body)
    }

    /// Swaps the places of two bodies.
    pub fn swap(&mut self, a: usize, b: usize) {
        self.states.swap(a, b);
        self.constants.swap(a, b);
        if !self.loads.is_empty() {
            self.loads.swap(a, b);
        }
    }

    /// Sets the load of a body.
    pub fn set_load(&mut self, place: usize, load: Load) {
        if self.loads.is_empty() {
            if load == Load::NONE {
                return;
            }
            self.loads.resize(self.states.len(), Load::NONE);
        }
        self.loads[place] = load;
    }

    /// Removes all loads.
    pub fn clear_loads(&mut self) {
        self.loads.clear();
    }
}

impl FromIterator<Body> for BodyTable {
    fn from_iter<I: IntoIterator<Item = Body>>(bodies: I) -> Self {
        let mut table = Self::default();
        bodies.into_iter().for_each(|body| table.push(body));
        table
    }
}

impl<'a> BodyList<'a> {
    /// The body at a place.
    #[inline]
    pub fn at(&self, place: usize) -> Body {
        self.rest.with(place, &self.states[place])
    }

    /// The number of the body at a place.
    #[inline]
    pub fn id(&self, place: usize) -> BodyId {
        self.rest.constants[place].id
    }

    /// See `Rest::swing`.
    pub fn swing(&self, place: usize, radius: f64) -> f64 {
        self.rest.swing(place, radius)
    }

    /// The geometry of the body at a place.
    #[inline]
    pub fn shape(&self, place: usize) -> &'a Shape {
        &self.rest.constants[place].shape
    }

    /// The principal moments of inertia of the body at a place, kg m^2.
    #[inline]
    pub fn inertia(&self, place: usize) -> &'a Vec3 {
        self.rest.inertia(place)
    }

    /// The states, by place.
    pub fn states(&self) -> &'a [BodyState] {
        self.states
    }

    /// The bodies at a range of places.
    pub fn range(&self, places: Range<usize>) -> Self {
        let Rest { constants, loads, .. } = self.rest;
        let loads = if loads.is_empty() { loads } else { &loads[places.clone()] };
        let rest = Rest { constants: &constants[places.clone()], loads, ..self.rest };
        Self { states: &self.states[places], rest }
    }

    /// All bodies.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Body> + Clone + use<'a> {
        (0..self.len()).map(move |place| self.at(place))
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
}

impl<'a> Rest<'a> {
    /// The body at a place, with the given state.
    #[inline]
    pub fn with(&self, place: usize, state: &BodyState) -> Body {
        let Constants { id, shape, material, mass, inertia } = self.constants[place];
        let load = self.loads.get(place).copied().unwrap_or(Load::NONE);
        Body { id, shape, material, mass, inertia, state: *state, load }
    }

    /// See [`BodyList::inertia`].
    #[inline]
    pub fn inertia(&self, place: usize) -> &'a Vec3 {
        &self.constants[place].inertia
    }

    /// [`Shape::swing`] of the body at a place, whose bounding ball has this `radius` (m), m.
    #[inline]
    pub fn swing(&self, place: usize, radius: f64) -> f64 {
        if self.has_others { self.constants[place].shape.swing(radius) } else { 0.0 }
    }

    /// True if only gravity and contacts change velocities, because no body has a load or a
    /// gyroscopic term.
    pub fn falls(&self) -> bool {
        self.loads.is_empty() && !self.has_tops
    }
}
