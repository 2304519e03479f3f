//! Constraints or impulses in the order of their bodies, and for each body in the order of its
//! partners.

use crate::BodyId;

/// Something that a contact does to one of its bodies.
pub trait OfContact {
    /// The other body, and the number of the contact among those of the two.
    fn key(&self) -> (BodyId, u64);
}

/// Items by body. The items of a body are in the order of (partner, feature), so its sums do not
/// depend on which rank found a contact.
#[derive(Debug)]
pub struct ByBody<T> {
    /// Items of body `i`: `order[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    /// Bodies with items, rising.
    bodies: Vec<u32>,
    order: Vec<u32>,
    places: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for ByBody<T> {
    fn default() -> Self {
        Self {
            starts: vec![0],
            bodies: Vec::new(),
            order: Vec::new(),
            places: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T: OfContact> ByBody<T> {
    /// Forgets all items; keeps the memory.
    pub fn clear(&mut self) {
        self.places.clear();
        self.items.clear();
    }

    /// Adds an item of the body at `place` of this rank's list.
    pub fn push(&mut self, place: u32, item: T) {
        if self.items.len() == self.items.capacity() {
            // In small steps: in dense scenes these items are the largest part of the memory.
            self.items.reserve_exact(self.items.len() / 8 + 64);
        }
        self.places.push(place);
        self.items.push(item);
    }

    /// All items, in the order in which they were added. Their keys must not be changed.
    pub fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Orders all items; `bodies` is the length of this rank's list. Then [`ByBody::of`] may be
    /// called.
    pub fn order(&mut self, bodies: usize) {
        self.starts.clear();
        self.starts.resize(bodies + 1, 0);
        for &place in &self.places {
            self.starts[place as usize] += 1;
        }
        self.bodies.clear();
        let mut end = 0;
        for (start, body) in self.starts.iter_mut().zip(0..) {
            if *start > 0 {
                self.bodies.push(body);
            }
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
        for &body in &self.bodies {
            let own = self.starts[body as usize] as usize..self.starts[body as usize + 1] as usize;
            self.order[own].sort_unstable_by_key(|&i| self.items[i as usize].key());
        }
    }

    /// The bodies that have items, rising.
    pub fn bodies(&self) -> &[u32] {
        &self.bodies
    }

    /// The items of the body at `place`, in order.
    pub fn of(&self, place: usize) -> impl ExactSizeIterator<Item = &T> + Clone {
        let own = self.starts[place] as usize..self.starts[place + 1] as usize;
        self.order[own].iter().map(|&i| &self.items[i as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl OfContact for (BodyId, u64) {
        fn key(&self) -> (BodyId, u64) {
            *self
        }
    }

    #[test]
    fn items_come_by_body_and_partner_in_whatever_order_they_were_found() {
        let found = [(2, (5, 1)), (0, (9, 0)), (2, (5, 0)), (2, (1, 7)), (0, (3, 2))];
        for turn in 0..found.len() {
            let mut by_body = ByBody::default();
            for k in 0..found.len() {
                let (place, item) = found[(k + turn) % found.len()];
                by_body.push(place, item);
            }
            by_body.order(4);
            let of = |place: usize| by_body.of(place).copied().collect::<Vec<_>>();
            assert_eq!(of(0), [(3, 2), (9, 0)]);
            assert_eq!(of(2), [(1, 7), (5, 0), (5, 1)]);
            assert!(of(1).is_empty() && of(3).is_empty());
            assert_eq!(by_body.bodies(), [0, 2]);
        }
    }
}
