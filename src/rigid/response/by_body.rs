//! Constraints in the order of their bodies, and for each body in the order of its partners.

use crate::rigid::contact::Constraint;

/// Constraints by body. The sums of a body run in the order of (partner, feature): it does not
/// depend on who found them.
#[derive(Debug, Default)]
pub struct ByBody {
    /// Constraints of body `i`: `order[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    order: Vec<u32>,
    places: Vec<u32>,
    constraints: Vec<Constraint>,
}

impl ByBody {
    /// Forgets all constraints; keeps the memory.
    pub fn clear(&mut self) {
        self.places.clear();
        self.constraints.clear();
    }

    /// Adds a constraint of the body at `place` of this rank's list.
    pub fn push(&mut self, place: u32, constraint: &Constraint) {
        self.places.push(place);
        self.constraints.push(*constraint);
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.constraints.len()
    }

    /// True if there is no constraint.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// Orders all constraints; `bodies` is the length of this rank's list. Then [`ByBody::of`] may be
    /// called.
    pub fn order(&mut self, bodies: usize) {
        self.starts.clear();
        self.starts.resize(bodies + 1, 0);
        for &place in &self.places {
            self.starts[place as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.order.clear();
        self.order.resize(self.places.len(), 0);
        for (i, &place) in self.places.iter().enumerate().rev() {
            let start = &mut self.starts[place as usize];
            *start -= 1;
            self.order[*start as usize] = i as u32;
        }
        let constraints = &self.constraints;
        for body in 0..bodies {
            let own = self.starts[body] as usize..self.starts[body + 1] as usize;
            if own.len() > 1 {
                self.order[own].sort_unstable_by_key(|&i| {
                    let constraint = &constraints[i as usize];
                    (constraint.partner, constraint.feature)
                });
            }
        }
    }

    /// The constraints of the body at `place`, in order.
    pub fn of(&self, place: usize) -> impl ExactSizeIterator<Item = &Constraint> + Clone {
        let own = self.starts[place] as usize..self.starts[place + 1] as usize;
        self.order[own].iter().map(|&i| &self.constraints[i as usize])
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.order.capacity() + self.places.capacity())
            + size_of::<Constraint>() * self.constraints.capacity()
    }
}
