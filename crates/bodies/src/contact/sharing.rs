//! How many contacts share the mass of a body.
//!
//! A contact stops what it touches within a step, so its stiffness follows the effective mass
//! ([`super::law`]). A plate has hundreds of contacts. If each of them had the stiffness that stops
//! all of the plate, they would throw it about together: five plates of 480 triangles crept at
//! 85 mm/s. So each of `n` contacts gets the `n`th part of the body.
//!
//! Cloth between a body and a floor hands on what touches it. Its nodes are light: with their own
//! masses, contacts would give way to the body until they follow its load, and gain energy when
//! they become stiffer (0.2 J of a bowl of 1.8 kg on cotton on a table). So the part of a body
//! that a contact has counts with the nodes that it touches.
//!
//! Where cloth is drawn from under a body, pairs end and others begin in each step. The new ones take
//! over the load of those that ended. Each new contact alone would know only its own closing speed,
//! and friction would lose 15 % of its bound at 1 m/s, 40 % at 3 m/s (a glass, cells of 8 mm, 1 ms).
//!
//! Source: ours.

use bytemuck::{Pod, Zeroable};

use cloth_core::{NodeId, Result, World, message};

/// The numbers of contacts of each body of few nodes. The same on every rank.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sharing {
    /// For each body the active contacts of the last step, then all contacts of this one.
    counts: Vec<i64>,
    /// What lies on cloth nodes that touch bodies, by rising node. The same on every rank.
    carried: Vec<Carried>,
    /// What new contacts take over, by rising body. The same on every rank.
    handed_on: Vec<HandedOn>,
}

/// The load that contacts of a body had in the last step and that have ended, and the contacts that
/// take it over, as their compression says.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct HandedOn {
    /// The sum of the normal forces that have ended, N.
    pub force_n: f64,
    /// The sum of the compressions of new contacts at the start of the step, m.
    pub compression_m: f64,
    /// The number of the body.
    pub body: u32,
    padding: u32,
}

impl HandedOn {
    /// Nothing of `body` yet.
    pub fn new(body: usize) -> Self {
        Self { force_n: 0.0, compression_m: 0.0, body: body as u32, padding: 0 }
    }
}

/// What lies on a cloth node.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Carried {
    /// The mass of bodies, kg.
    pub mass_kg: f64,
    /// The node.
    pub node: NodeId,
    padding: u32,
}

impl Carried {
    /// `mass_kg` (kg) on `node`.
    pub fn new(node: NodeId, mass_kg: f64) -> Self {
        Self { mass_kg, node, padding: 0 }
    }

    /// The sums of all ranks' `parts`, by rising node. The parts of a node are on the rank that
    /// owns it, by rising contact. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn gather(world: &dyn World, mut parts: Vec<Self>) -> Result<Vec<Self>> {
        // The order of the contacts of a node stays, so that no bit depends on the ranks.
        parts.sort_by_key(|it| it.node);
        let same_node = |a: &Self, b: &Self| a.node == b.node;
        let of_nodes = parts
            .chunk_by(same_node)
            .map(|all| Self { mass_kg: all.iter().map(|it| it.mass_kg).sum(), ..all[0] });
        let mut all = message::all_gather_v(world, &Vec::from_iter(of_nodes))?;
        all.sort_unstable_by_key(|it| it.node);
        Ok(all)
    }
}

impl Sharing {
    /// No contacts of `bodies` bodies yet.
    pub fn new(bodies: usize) -> Self {
        Self { counts: vec![0; 2 * bodies], carried: Vec::new(), handed_on: Vec::new() }
    }

    /// Counts a contact of this rank that touches `body`: an active one of the last step, or one
    /// of this step.
    pub fn count(&mut self, body: usize, is_of_last: bool) {
        self.counts[2 * body + usize::from(!is_of_last)] += 1;
    }

    /// Adds the counts of all ranks. Collective, if there are bodies.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn add_ranks(&mut self, world: &dyn World) -> Result<()> {
        if self.counts.is_empty() { Ok(()) } else { world.all_reduce_sum(&mut self.counts) }
    }

    /// Adds what lies on further cloth nodes. The same on every rank.
    pub fn add_carried(&mut self, further: &[Carried]) {
        self.carried.extend_from_slice(further);
        self.carried.sort_unstable_by_key(|it| it.node);
    }

    /// What lies on cloth nodes, by rising node.
    pub fn all_carried(&self) -> &[Carried] {
        &self.carried
    }

    /// The mass of bodies that lies on a cloth node, kg.
    pub fn carried(&self, node: NodeId) -> f64 {
        let place = self.carried.binary_search_by_key(&node, |it| it.node);
        place.map_or(0.0, |place| self.carried[place].mass_kg)
    }

    /// Takes what is handed on at the bodies whose nodes this rank owns, and that of all ranks.
    /// Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn hand_on(&mut self, world: &dyn World, own: &[HandedOn]) -> Result<()> {
        self.handed_on = message::all_gather_v(world, own)?;
        self.handed_on.sort_unstable_by_key(|it| it.body);
        Ok(())
    }

    /// The load that a new contact of `body` takes over for its compression, N/m.
    pub fn handed_on(&self, body: usize) -> f64 {
        let place = self.handed_on.binary_search_by_key(&body, |it| it.body as usize);
        let handed_on = place.map(|place| self.handed_on[place]);
        let loads = handed_on.ok().filter(|it| it.compression_m > 0.0);
        loads.map_or(0.0, |it| it.force_n / it.compression_m)
    }

    /// Whether some contact of this step touches `body`.
    pub fn has_contacts(&self, body: usize) -> bool {
        self.counts.get(2 * body + 1).is_some_and(|&count| count > 0)
    }

    /// The number of contacts that share the mass of `body` with a contact. Contacts that acted
    /// before share it with those of the last step, new ones with all of this step.
    pub fn sharers(&self, body: usize, has_acted: bool) -> f64 {
        let count = self.counts.get(2 * body + usize::from(!has_acted));
        count.map_or(1.0, |&count| count.max(1) as f64)
    }
}
