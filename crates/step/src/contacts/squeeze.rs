//! Rooms between prescribed bodies that become too small for the cloth in them.
//!
//! Contacts can hold cloth between two prescribed bodies only if the bodies leave it about the
//! contact distance on each side. So a body that makes such a room too small waits before the
//! fail-safe must stop it. `n` layers need a room of `n + 1/2` contact distances (docs/methods.md,
//! section 8).

use crate::state::context::Context;
use crate::state::trouble::{Found, Trouble};
use cloth_bodies::contact::fail_safe::Conflict;
use cloth_bodies::contact::settings::OnPinch;
use cloth_bodies::contact::squeeze::{Narrow, Squeezed};
use cloth_collision::collision::Pair;
use cloth_core::ids::VertexId;

/// The rooms that become too narrow in the predicted step, as one conflict. In it, the bodies that
/// come nearer are those that push.
pub(crate) fn narrow(here: &Context, squeezed: &Squeezed) -> Option<Found> {
    if here.region.is_some() {
        return None;
    }
    let holds = matches!(here.model.settings.contact.on_pinch, OnPinch::Hold | OnPinch::Yield);
    let body = |vertex: VertexId| here.model.prescribed_body(vertex, here.span.t0_s);
    let yields = |body: &Option<usize>| {
        body.is_some_and(|body| here.model.skins.iter().any(|skin| skin.obstacle == body))
    };
    // Two parts of one body can only give way.
    let counts = |narrow: &&Narrow| {
        let [one, other] = narrow.sides.map(|(vertex, _)| body(vertex));
        holds && one != other || yields(&one) || yields(&other)
    };
    let narrow = Vec::from_iter(squeezed.narrow().iter().filter(counts));
    let sides = || narrow.iter().flat_map(|narrow| narrow.sides);
    let first = narrow.first()?;
    let [one, other] = first.sides.map(|(vertex, _)| vertex);
    let conflict = Conflict {
        pair: Pair::edge_edge([first.vertex, one], [first.vertex, other]),
        vertex: first.vertex,
        crowded: narrow.iter().map(|narrow| narrow.vertex).collect(),
        prescribed: sides().map(|(vertex, _)| vertex).collect(),
        pushing: sides().filter(|(_, comes)| *comes).map(|(vertex, _)| vertex).collect(),
    };
    Some(Found::new(Trouble::Squeezed(conflict.sorted())))
}
