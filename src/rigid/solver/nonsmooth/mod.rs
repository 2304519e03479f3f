//! Non-smooth contact dynamics on many ranks: one communication a sweep, and sums.
//!
//! The velocity of a body is a sum over all of its constraints, kind by kind.
//!
//! | module | |
//! |---|---|
//! | [`problem`] | what the sweeps need of a constraint |
//! | [`contact`] | one contact and its impulse |
//! | `search` | when the sweeps end, and in which direction the impulses change |
//! | `group` | all constraints of one kind on one rank, with the messages about them |
//! | `announced` | what ranks tell each other of the constraints of a body |
//! | `kept` | impulses of the last step |
//! | `involved` | which other ranks need the impulses of this rank's constraints |

mod announced;
pub mod contact;
mod group;
mod involved;
mod kept;
pub mod problem;
mod search;

use self::contact::ContactProblem;
use self::group::{Change, Driver, Group};
use self::problem::Wrench;
use self::search::{Next, Progress, Search, length};
use crate::bounds;
use crate::error::Result;
use crate::ranks::ExactSums;
use crate::rigid::body::Twist;
use crate::rigid::constraint::pair::{Between, Ends, Partner};
use crate::rigid::motion::Mobility;
use crate::rigid::solver::{GRAIN, Solved, Solver, StepParts};
use crate::threads::EachPatch;

/// The buffers of non-smooth contact dynamics.
#[derive(Debug, Default)]
pub(super) struct Nonsmooth {
    sweeps: usize,
    contacts: Group<ContactProblem>,
    /// Velocities, inverses of mass and inertia, and numbers of constraints, by place.
    twists: Vec<Twist>,
    mobilities: Vec<Mobility>,
    counts: Vec<u32>,
}

impl Nonsmooth {
    /// A solver with at most `sweeps` sweeps a step.
    pub fn new(sweeps: u32) -> Self {
        Self { sweeps: sweeps as usize, ..Self::default() }
    }

    /// Fails if `sweeps` is out of its bounds. `at` names the response.
    pub fn check(sweeps: u32, at: &str) -> Result<()> {
        bounds::count(&format!("{at}.sweeps"), sweeps, bounds::MOST_SWEEPS, "")
    }
}

impl Solver for Nonsmooth {
    /// Two communications to find which bodies touch, one for the impulses to begin with, and for
    /// each sweep one and at most two all-reduces.
    fn solve(&mut self, step: &mut StepParts) -> Result<Solved> {
        let constraints = self.begin(step)?;
        self.search(step)?;
        self.drive(step, Driver::Impulses);
        for (state, twist) in step.population.own_states_mut().iter_mut().zip(&self.twists) {
            state.twist = *twist;
        }
        let mut kept = std::mem::take(step.impulses);
        self.contacts.keep(step, &mut kept);
        *step.impulses = kept;
        Ok(Solved { constraints, stopped: 0 })
    }
}

impl Nonsmooth {
    /// After: all involved ranks know the constraints of a body, with the impulses to begin with.
    /// Returns the number of constraints of own bodies.
    fn begin(&mut self, step: &mut StepParts) -> Result<u64> {
        let mut kept = std::mem::take(step.impulses);
        let constraints = self.contacts.announce(step, step.contacts, &mut kept)?;
        *step.impulses = kept;
        self.begin_contacts(step)?;
        let bodies = step.population.bodies();
        self.twists.clear();
        self.twists.extend(bodies.states().iter().map(|state| state.twist));
        self.mobilities.clear();
        self.mobilities.extend(bodies.iter().map(|body| Mobility::of(&body)));
        Ok(constraints)
    }

    fn begin_contacts(&mut self, step: &mut StepParts) -> Result<()> {
        let Self { contacts, counts, .. } = self;
        counts.clear();
        counts.extend((0..step.population.len()).map(|place| contacts.count(place) as u32));
        let (bodies, materials, settings) = (step.bodies(), step.materials, step.settings);
        contacts.make(step.threads, step.contacts, |contact, start| {
            let ends = contact.ends();
            let sides = bodies.sides(&ends, &settings.gravity);
            let surface = materials.surface(sides[0].material, sides[1].material);
            let counts = counts_of(&ends, counts);
            ContactProblem::new(contact, &sides, &surface, counts, start, settings)
        });
        contacts.share_starts(step)
    }

    /// Sweeps until the impulses are right, or their number is the largest.
    fn search(&mut self, step: &mut StepParts) -> Result<()> {
        let mut search = Search::default();
        loop {
            self.drive(step, Driver::Impulses);
            let (next, is_least) = search.next(self.sweep(step), self.sweeps, step.world)?;
            if next == Next::Back {
                self.change(step, Change::GoBack);
                return Ok(());
            }
            if is_least {
                self.change(step, Change::Mark);
            }
            self.contacts.turn(step, if let Next::Turn(share) = next { share } else { 0.0 })?;
            let length = if let Next::Turn(_) = next { self.length(step)? } else { 1.0 };
            self.change(step, Change::Advance(length));
            if next == Next::End {
                return Ok(());
            }
        }
    }

    /// After: the bodies that this rank is involved in have the velocities of `driver`.
    fn drive(&mut self, step: &StepParts, driver: Driver) {
        let Self { contacts, twists, mobilities, .. } = self;
        let states = step.population.bodies().states();
        step.threads.for_each_patch(EachPatch(twists), GRAIN, |place, twist| {
            let mut sum = Wrench::ZERO;
            if !contacts.act(place, driver, &mut sum) {
                return;
            }
            let free = match driver {
                Driver::Impulses => &states[place].twist,
                Driver::Directions => &Twist::ZERO,
            };
            let Mobility { inverse_mass, inverse_inertia } = &mobilities[place];
            twist.0[0] = Twist {
                angular: free.angular + inverse_inertia * sum.angular,
                linear: free.linear + sum.linear * *inverse_mass,
            };
        });
    }

    /// Before: bodies have the velocities of the impulses. After: each constraint of this rank
    /// knows how a sweep changes its impulse. Returns what the sweep did.
    fn sweep(&mut self, step: &StepParts) -> Progress {
        let mut all = Progress::default();
        self.contacts.sweep(step, step.contacts, &self.twists, &mut all);
        all
    }

    /// The length of the change along the directions. After: bodies have the velocities of the
    /// directions.
    fn length(&mut self, step: &StepParts) -> Result<f64> {
        self.drive(step, Driver::Directions);
        let mut products = ExactSums::default();
        self.contacts.add_products(step, step.contacts, &self.twists, &mut products);
        length(products, step.world)
    }

    /// Changes all impulses that this rank knows.
    fn change(&mut self, step: &StepParts, change: Change) {
        self.contacts.change(step, change);
    }
}

/// The number of constraints of each body. It is 0 for a fixed one.
fn counts_of(ends: &Ends, counts: &[u32]) -> [u32; 2] {
    let second = match ends.second {
        Partner::Movable(place) => counts[place as usize],
        Partner::Fixed(_) => 0,
    };
    [counts[ends.first as usize], second]
}
