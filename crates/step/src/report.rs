//! Seconds and counters of one step, phase by phase.

use std::time::Instant;

use bytemuck::{Pod, Zeroable};

pub use cloth_core::report::EnergyRise;
use cloth_core::report::{Cell, Entry, Join, Part, PhaseRow, Report, named};
use cloth_core::threads::clock::thread_time;

named! {
    /// The phases of a step, in the order in which they run.
    Phase {
        /// Predicted motion of all bodies.
        Predict = "predict",
        /// Bounds of the hierarchies.
        Refit = "refit",
        /// Hierarchy tests and elementary pairs.
        Tests = "tests",
        /// Contacts from candidates, and their way to the owners of their nodes.
        Contacts = "contacts",
        /// Elements and contacts into matrix and right-hand side.
        Assembly = "assembly",
        /// Preconditioner and conjugate gradients, ghost exchange included.
        Solve = "solve",
        /// Velocities of all ranks to all ranks, memories of contacts to the owners of their nodes.
        AllGather = "all-gather",
        /// Continuous tests and impulses of what a rank found.
        Response = "response",
        /// Combining the responses of all ranks, and applying the largest on each unit.
        Combination = "combination",
        /// Motions shortened where surfaces would come too near.
        FailSafe = "fail-safe",
        /// The new state, and the balance of its energy.
        Advance = "advance",
    }
}

named! {
    /// What a step counts, per rank.
    Counter {
        /// Linear systems solved: more than one if the step was redone (the same on every rank).
        Solves = "solves",
        /// Steps redone at half the size because the solve failed (the same on every rank).
        Halvings = "halvings",
        /// CG iterations (the same on every rank).
        CgIterations = "cg_iterations",
        /// Bytes sent in ghost exchanges.
        GhostBytes = "ghost_bytes",
        /// Messages sent in ghost exchanges.
        GhostMessages = "ghost_messages",
        /// Hierarchy tests executed by this rank.
        Tests = "tests",
        /// Elementary pairs whose swept bounds overlap and that no screening leaves out.
        Candidates = "candidate_pairs",
        /// Contacts, as found, that are nearer than the contact distance at the start of the step.
        ProximityPairs = "proximity_pairs",
        /// Contacts, as found, that are predicted impacts. Not all of them become active.
        PredictedImpacts = "predicted_impacts",
        /// Retraversals: further searches because a vertex strayed or stops (the same on every
        /// rank).
        Retraversals = "retraversals",
        /// Vertices that strayed or stop, of all retraversals (the same on every rank).
        Strayed = "strayed_vertices",
        /// Rounds of impulses (the same on every rank).
        ImpulseRounds = "impulse_rounds",
        /// Continuous collisions over all rounds.
        Collisions = "collisions",
        /// Pairs that still collide after the last round.
        Unresolved = "unresolved_collisions",
        /// Passes of the fail-safe that shortened a motion (the same on every rank).
        FailSafePasses = "fail_safe_passes",
        /// Vertices whose motion was shortened (the same on every rank).
        Truncated = "truncated_vertices",
        /// Pairs that the fail-safe kept apart by a plane (the same on every rank).
        Planes = "fail_safe_planes",
        /// Steps redone at half the size because an edge turned too far (the same on every rank).
        Turned = "turned_steps",
        /// Steps redone at half the size because the fail-safe took too much or left a pair too
        /// near, or because energy rose without work (the same on every rank).
        Redone = "redone_steps",
        /// Steps made smaller because an obstacle approaches cloth fast (the same on every rank).
        Fast = "fast_steps",
        /// Steps made smaller because the error of positions is too large (the same on every rank).
        Inaccurate = "inaccurate_steps",
        /// Solutions that a further solve of the same step repaired (the same on every rank).
        Repairs = "repairs",
        /// Nodes that repairs solved for again (the same on every rank).
        RepairedNodes = "repaired_nodes",
        /// Steps redone because prescribed bodies left no room (the same on every rank).
        Pinches = "pinches",
        /// Steps of any size in which a prescribed body stood still for want of room (the same on
        /// every rank).
        Held = "held_steps",
        /// Repartitions after the step (the same on every rank).
        Repartitions = "repartitions",
        /// Nodes that repartitions moved to another rank (the same on every rank).
        MovedNodes = "moved_nodes",
        /// Stitches that were welded after the step (the same on every rank).
        Welds = "welds",
    }
}

named! {
    /// What a step measures. A value that all ranks know is measured on rank 0 alone, so that the
    /// sum over ranks is right.
    Measure {
        /// Sum of the lengths of all motions of a rank's own cloth vertices, m.
        Path = "path_m",
        /// Sum of the lengths that the fail-safe took away from cloth and bodies, m.
        PathLost = "path_lost_m",
        /// Momentum that impulses between cloth and cloth added, N s: a drift of max projection.
        /// Its length is summed over all rounds.
        MomentumDrift = "impulse_momentum_drift_n_s",
        /// Energy that a change of stiffness put into the springs of contacts (negative: took
        /// out), J.
        StiffnessEnergy = "stiffness_energy_j",
        /// Kinetic energy of cloth that all impulses added (negative: removed), J.
        ImpulseEnergy = "impulse_energy_j",
        /// Work of pins, handles, moving obstacles, wind and loads on cloths and bodies, J.
        Work = "work_j",
        /// Rise of the energy of cloths and bodies beyond the work, J.
        UnexplainedRise = "unexplained_rise_j",
        /// Wall time for deciding on a repartition and for moving, s.
        RepartitionTime = "repartition_s",
    }
}

/// Number of rounds and passes that are counted one by one. The last entry has all further ones.
pub const ROUNDS: usize = 20;

impl Phase {
    /// Physical modelling in the paper's sense: ghost exchange, assembly, solve,
    /// position update. All other phases are collision handling.
    pub fn is_physical_modelling(self) -> bool {
        matches!(self, Phase::Assembly | Phase::Solve | Phase::Advance)
    }
}

/// What one rank measured in one step.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct StepReport {
    /// Seconds per phase.
    pub seconds: [f64; Phase::ALL.len()],
    /// Processor time of the rank's main thread per phase, s. It leaves out waiting, except for
    /// the first microseconds of a wait, in which the thread spins.
    pub busy_s: [f64; Phase::ALL.len()],
    /// Counts.
    pub counts: [u64; Counter::ALL.len()],
    /// Measures.
    pub measures: [f64; Measure::ALL.len()],
    /// This rank's continuous collisions in each round of impulses.
    pub collisions_per_round: [u64; ROUNDS],
    /// Vertices whose motion each pass of the fail-safe shortened.
    pub truncated_per_pass: [u64; ROUNDS],
    /// Wrapping sum of the hashes of all tests that this rank executed. Summed over all ranks, it
    /// shows together with the number of tests that each was executed once (docs/methods.md,
    /// section 9).
    pub test_hash: u64,
    /// Smallest gap at the start of the step of the contacts that this rank found, m; infinite
    /// without contacts.
    pub smallest_gap_m: f64,
    /// How far the rigid joint that is open most is open at the end of the step, m (the same on every rank).
    pub joint_gap_m: f64,
    /// How much farther than its thread is long the vertices of a stitch are apart at most at the end
    /// of the step, m (the same on every rank).
    pub seam_stretch_m: f64,
    /// Total energy at the end of the step, J; NaN unless the scene asks for it.
    pub energy_j: f64,
    /// Kinetic and elastic energy at the end of the step, J; NaN if it is not known.
    pub internal_j: f64,
    /// [`Self::energy_rise`]; the vertex is [`u64::MAX`] if there is none.
    rise: EnergyRise,
}

impl Default for StepReport {
    fn default() -> Self {
        Self {
            smallest_gap_m: Join::Least.unknown(),
            joint_gap_m: Join::Most.unknown(),
            seam_stretch_m: Join::Most.unknown(),
            energy_j: Join::Last.unknown(),
            internal_j: Join::Last.unknown(),
            rise: EnergyRise::NONE,
            ..Self::zeroed()
        }
    }
}

impl Report for StepReport {
    const PART: Part = Part::Busy;

    fn phases() -> impl ExactSizeIterator<Item = PhaseRow> {
        Phase::ALL.iter().map(|&phase| PhaseRow {
            name: phase.name(),
            handles_collisions: !phase.is_physical_modelling(),
        })
    }

    fn times(&self) -> [&[f64]; 2] {
        [&self.seconds, &self.busy_s]
    }

    fn times_mut(&mut self) -> [&mut [f64]; 2] {
        [&mut self.seconds, &mut self.busy_s]
    }

    fn entries(&mut self) -> impl Iterator<Item = Entry<'_>> {
        // A field without an entry does not compile.
        let Self {
            seconds: _,
            busy_s: _,
            counts,
            measures,
            collisions_per_round,
            truncated_per_pass,
            test_hash,
            smallest_gap_m,
            joint_gap_m,
            seam_stretch_m,
            energy_j,
            internal_j,
            rise,
        } = self;
        let counts = Counter::ALL.iter().zip(counts);
        let counts = counts.map(|(it, count)| Entry::new(it.name(), Cell::Count(count)));
        let measures = Measure::ALL.iter().zip(measures);
        let measures = measures.map(|(it, value)| Entry::new(it.name(), Cell::Measure(value)));
        let others = [
            Entry::new("collisions_per_round", Cell::Rounds(collisions_per_round)),
            Entry::new("truncated_per_pass", Cell::Rounds(truncated_per_pass)),
            Entry::new("smallest_gap_m", Cell::Measure(smallest_gap_m)).joined(Join::Least),
            Entry::new("joint_gap_m", Cell::Measure(joint_gap_m)).joined(Join::Most),
            Entry::new("seam_stretch_m", Cell::Measure(seam_stretch_m)).joined(Join::Most),
            Entry::new("energy_j", Cell::Measure(energy_j)).joined(Join::Last),
            Entry::new("internal_j", Cell::Measure(internal_j)).joined(Join::Last),
            Entry::new("energy_rise", Cell::Rise(rise)),
        ];
        let hash = Entry::new("test_hash", Cell::Hash(test_hash));
        counts.chain([hash]).chain(measures).chain(others)
    }
}

impl StepReport {
    /// Runs `work` and adds its wall time and its processor time to `phase`.
    pub fn time<T>(&mut self, phase: Phase, work: impl FnOnce(&mut Self) -> T) -> T {
        let (start, processor) = (Instant::now(), thread_time());
        let result = work(self);
        self.busy_s[phase as usize] += (thread_time() - processor).as_secs_f64();
        self.seconds[phase as usize] += start.elapsed().as_secs_f64();
        result
    }

    /// Adds to a counter.
    pub fn count(&mut self, counter: Counter, amount: u64) {
        self.counts[counter as usize] += amount;
    }

    /// Adds to a measure.
    pub fn measure(&mut self, measure: Measure, amount: f64) {
        self.measures[measure as usize] += amount;
    }

    /// A measure's value.
    pub fn measured(&self, measure: Measure) -> f64 {
        self.measures[measure as usize]
    }

    /// The rise of energy that no work explains, if there is one. The report of several steps has
    /// the largest. The same on every rank.
    pub fn energy_rise(&self) -> Option<EnergyRise> {
        self.rise.known()
    }

    /// Notes a rise of energy, unless a larger one is noted already.
    pub fn note_rise(&mut self, rise: EnergyRise) {
        self.rise.note(rise);
    }

    /// A counter's value.
    pub fn get(&self, counter: Counter) -> u64 {
        self.counts[counter as usize]
    }

    /// Seconds of a phase.
    pub fn seconds(&self, phase: Phase) -> f64 {
        self.seconds[phase as usize]
    }
}
