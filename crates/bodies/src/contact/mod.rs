//! Contact, from near pairs to forces, impulses and the fail-safe.
//!
//! The stages of a step, in their order:
//!
//! 1. [`cloth_collision::candidates`]: processors of all ranks share the search for pairs that come near;
//! 2. [`point`]: candidates become contacts, with closest points and a normal;
//! 3. [`route`]: contacts go to the ranks that own their nodes;
//! 4. [`squeeze`]: contacts of squeezed cloth aim at less than their distance;
//! 5. [`law`]: contacts become active, each with a [`spring`] in the linear system; those of a body
//!    share its mass ([`sharing`]);
//! 6. the linear system is solved (by the step);
//! 7. [`memory`]: each contact stores the forces of the solve;
//! 8. [`impulse`]: impulses against collisions that the solve left; of several on a unit only the
//!    largest counts ([`projection`]);
//! 9. [`fail_safe`]: motions are shortened until nothing comes nearer than the clearance.
//!
//! Through [`side`] a contact gets all that it needs from the bodies. It knows no kind of body.

mod bearing;
mod collided;
pub mod distance;
mod factors;
pub mod fail_safe;
pub mod friction;
pub mod impulse;
pub mod law;
pub mod memory;
pub mod own_distance;
pub mod point;
pub mod projection;
pub mod restitution;
mod round;
mod round_minima;
pub mod route;
pub mod settings;
pub mod sharing;
pub mod side;
pub mod slip;
pub mod spring;
pub mod squeeze;
pub mod stiffness;
pub mod touched;

pub use collided::note_collisions;
pub use distance::ContactDistance;
pub use friction::{Friction, Touch};
pub use impulse::{StepEnds, impulses, repulsions};
pub use law::{ActiveContact, ContactLaw, ContactStep};
pub use memory::{ContactMemory, memory_of};
pub use own_distance::Distances;
pub use point::{Contact, ContactKind, find_contacts, local_minima};
pub use projection::{NodeResponse, max_project};
pub use route::{CONTACTS_PER_CHUNK, Route};
pub use settings::ContactSettings;
pub use sharing::Sharing;
pub use side::{Dynamics, InverseMass, Sides, Term};
pub use spring::{ContactSpring, ContactSprings, lowest_pushed};
pub use squeeze::{PrescribedMotion, Squeezed};
pub use touched::Touched;
