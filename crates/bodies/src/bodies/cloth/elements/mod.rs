//! Elements: the forces on cloth that depend on several of its vertices.
//!
//! A new element is one file with a type that implements [`Element`], and one line of the list
//! below. Within a row of the system, elements are added in the order of the list.

pub mod air;
mod lanes;
#[cfg(test)]
mod tests;

use crate::bodies::cloth::assembly::StepInputs;
use crate::bodies::cloth::rest::RestCloths;
use cloth_core::linear::{BlockStructure, PatchEquations};
use cloth_core::partition::Layout;
use cloth_core::{FaceId, Threads, Vec3, VertexId};

/// All elements of one kind, of all cloths. They are constant, and the ranks of a process share
/// them.
///
/// A rank adds them to its own rows without a message. Every patch that an element touches
/// evaluates it, so one thread alone writes the rows of a patch.
pub trait Element: Send + Sync {
    /// What one rank keeps: which elements touch its patches, where their blocks go, and what
    /// [`Self::move_to`] and [`Self::begin`] evaluate.
    type Share: Send + Sync;

    /// Some faces and what their energy depends on.
    type Meter: Sync;

    /// The elements of `rest`.
    fn new(rest: &RestCloths) -> Self;

    /// The groups of vertices that the elements couple in the matrix.
    fn couplings(&self) -> impl Iterator<Item = &[VertexId]> + Clone;

    /// A rank's share of the elements, for the rows of `structure`.
    fn share(&self, layout: &Layout, structure: &BlockStructure) -> Self::Share;

    /// Evaluates what several patches need of the positions `x` (m) of all cloth vertices, while
    /// the faces with the number `clamps` are held ([`Clamps`](super::clamps::Clamps)). Costs
    /// little if they are those of the last call. Allocates nothing.
    fn move_to(&self, _share: &mut Self::Share, _threads: &Threads, _x: &[Vec3], _clamps: usize) {}

    /// What measures the energy of `faces`, each of which touches a row of `share`.
    fn meter(&self, share: &Self::Share, faces: &[FaceId]) -> Self::Meter;

    /// The energy (J) of the faces of `meter`. Before: [`Self::move_to`] these positions `x` (m).
    fn energy(&self, share: &Self::Share, meter: &Self::Meter, x: &[Vec3]) -> f64;

    /// Evaluates what several patches need of positions and velocities, at the start of a step.
    /// Allocates nothing. Before: [`Self::move_to`] these positions.
    fn begin(&self, _share: &mut Self::Share, _threads: &Threads, _inputs: &StepInputs) {}

    /// Adds the elements that touch own patch `patch` to its rows, by rising number of the
    /// element. `A = M + h D + h^2 K`; the right-hand side is `h f - (h D + h^2 K) v`
    /// (docs/methods.md, section 4).
    fn add(
        &self,
        share: &Self::Share,
        patch: usize,
        inputs: &StepInputs,
        rows: &mut PatchEquations,
    );
}

/// Makes [`Elements`], [`Shares`] and [`Meters`] from the list of their files. An item is a doc
/// comment, the name of the file, and the type in it that implements [`Element`].
macro_rules! elements {
    ($($(#[$doc:meta])* $file:ident: $Kind:ident,)+) => {
        $(pub mod $file;)+

        /// The elements of all cloths.
        pub struct Elements {
            $($(#[$doc])* pub $file: $file::$Kind,)+
        }

        /// One rank's share of all elements.
        pub struct Shares {
            $($file: <$file::$Kind as Element>::Share,)+
        }

        /// What measures the energy of some faces.
        pub struct Meters {
            $($file: <$file::$Kind as Element>::Meter,)+
        }

        impl Elements {
            /// The elements of `rest`.
            pub fn new(rest: &RestCloths) -> Self {
                Self { $($file: Element::new(rest),)+ }
            }

            /// The groups of vertices that elements couple in the matrix.
            pub fn couplings(&self) -> impl Iterator<Item = &[VertexId]> + Clone {
                std::iter::empty()$(.chain(self.$file.couplings()))+
            }

            /// A rank's share, for the rows of `structure`.
            pub fn share(&self, layout: &Layout, structure: &BlockStructure) -> Shares {
                Shares { $($file: self.$file.share(layout, structure),)+ }
            }

            /// Evaluates what several patches need of the positions `x` (m) of all cloth vertices,
            /// while the faces with the number `clamps` are held.
            pub fn move_to(
                &self,
                shares: &mut Shares,
                threads: &Threads,
                x: &[Vec3],
                clamps: usize,
            ) {
                $(self.$file.move_to(&mut shares.$file, threads, x, clamps);)+
            }

            /// What measures the energy of `faces`, each of which touches a row of `shares`.
            pub fn meters(&self, shares: &Shares, faces: &[FaceId]) -> Meters {
                Meters { $($file: self.$file.meter(&shares.$file, faces),)+ }
            }

            /// The energy (J) of the faces of `meters`. Before: [`Self::move_to`] these positions
            /// `x` (m).
            pub fn energy(&self, shares: &Shares, meters: &Meters, x: &[Vec3]) -> f64 {
                [$(self.$file.energy(&shares.$file, &meters.$file, x)),+].into_iter().sum()
            }

            /// Evaluates what several patches need, at the start of a step.
            pub fn begin(&self, shares: &mut Shares, threads: &Threads, inputs: &StepInputs) {
                self.move_to(shares, threads, inputs.x, inputs.clamps);
                $(self.$file.begin(&mut shares.$file, threads, inputs);)+
            }

            /// Adds the elements that touch own patch `patch` to its rows.
            pub fn add(
                &self,
                shares: &Shares,
                patch: usize,
                inputs: &StepInputs,
                rows: &mut PatchEquations,
            ) {
                $(self.$file.add(&shares.$file, patch, inputs, rows);)+
            }
        }
    };
}

elements! {
    /// Triangles, with the drag of the air on them.
    membrane: Membrane,
    /// What keeps triangles from stretching beyond a limit.
    limit: StrainLimit,
    /// Hinges between triangles.
    bending: Bending,
}
