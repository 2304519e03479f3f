//! The state of a simulation as bytes, for its hash and for going on from it later.
//!
//! The hash is taken from the bytes. So everything that is saved is in the hash, and simulations
//! with equal hashes go on alike. A field that is added to [`State`] is both saved and hashed.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::model::Model;
use crate::state::State;
use crate::state::context::ThisRank;
use crate::time::scheme::Integrator;
use cloth_bodies::contact::ContactMemory;
use cloth_collision::collision::Pair;
use cloth_core::error::{Error, Result};
use cloth_core::ranks::message;

/// A saved state.
#[derive(Serialize, Deserialize)]
pub(crate) struct Saved {
    /// The state, with the memories of contacts of all ranks.
    pub state: State,
    /// The owner of each patch. It decides only which rank computes what, so it is not in the
    /// hash.
    owners: Owners,
}

/// The owners of the patches.
#[derive(Serialize, Deserialize)]
struct Owners {
    /// Number of ranks.
    ranks: u64,
    rank_of_patch: Vec<u32>,
}

impl Saved {
    /// The owner of each patch, if the state was saved with this number of `ranks` and `patches`.
    pub fn owners(&self, ranks: usize, patches: usize) -> Option<&[u32]> {
        let Owners { ranks: saved, rank_of_patch } = &self.owners;
        (*saved == ranks as u64 && rank_of_patch.len() == patches).then_some(rank_of_patch)
    }
}

/// The state of all ranks, on rank 0. Collective.
fn gather(rank: &ThisRank, state: &State) -> Result<Option<State>> {
    let owns = |memory: &&ContactMemory| rank.layout.own_index(memory.owner).is_some();
    let own = Vec::from_iter(state.contacts.iter().filter(owns).copied());
    let mut contacts = message::gather_v(&*rank.world, 0, &own)?;
    contacts.sort_unstable_by_key(|memory| memory.pair);
    Ok((rank.world.rank() == 0).then(|| State { contacts, ..state.clone() }))
}

/// The hash of the state of all ranks. It is the same for any number of ranks. Collective.
///
/// # Errors
/// When another rank has failed.
pub(crate) fn hash(rank: &ThisRank, state: &State) -> Result<u64> {
    let whole = gather(rank, state)?.map(|whole| to_bytes(&whole, state)).transpose()?;
    let mut hash = whole.map(|bytes| xxh3_64(&bytes).to_le_bytes().to_vec()).unwrap_or_default();
    rank.world.broadcast(0, &mut hash)?;
    let hash = hash.try_into().map_err(|_| Error::internal("hash", "rank 0 sent no number"))?;
    Ok(u64::from_le_bytes(hash))
}

/// The state of all ranks as bytes on rank 0, none elsewhere. Collective.
///
/// # Errors
/// When another rank has failed.
pub(crate) fn save(rank: &ThisRank, state: &State) -> Result<Vec<u8>> {
    let Some(whole) = gather(rank, state)? else { return Ok(Vec::new()) };
    let (ranks, rank_of_patch) = (rank.world.size() as u64, rank.partition.rank_of_patch.clone());
    to_bytes(&Saved { state: whole, owners: Owners { ranks, rank_of_patch } }, state)
}

/// `value`, then what `state` saves behind all else, if there is any.
fn to_bytes(value: &impl Serialize, state: &State) -> Result<Vec<u8>> {
    let failed = |cause| Error::internal("saved state", cause);
    let bytes = postcard::to_allocvec(value).map_err(failed)?;
    let State { released, joint_forces, welded, .. } = state;
    let risen_j = state.energy.map_or(0.0, |energy| energy.risen_j);
    let bytes = match welded {
        Some(welded) => postcard::to_extend(&(released, joint_forces, welded), bytes),
        None if released.is_empty() && joint_forces.is_empty() && risen_j == 0.0 => Ok(bytes),
        None => postcard::to_extend(&(released, joint_forces), bytes),
    };
    match risen_j {
        0.0 => bytes,
        _ => bytes.and_then(|bytes| postcard::to_extend(&risen_j, bytes)),
    }
    .map_err(failed)
}

/// Reads a state of `model` from what [`save`] returned.
///
/// # Errors
/// When the bytes are damaged, or belong to another model.
pub(crate) fn read(bytes: &[u8], model: &Model) -> Result<Saved> {
    let remedy = "give what `save` returned for this scene";
    let refused = |cause: &str| Error::input("the saved state", cause, remedy);
    let (mut saved, mut rest): (Saved, _) =
        postcard::take_from_bytes(bytes).map_err(|_| refused("the bytes are damaged"))?;
    let damaged = |_| refused("the bytes are damaged");
    let state = &mut saved.state;
    if model.sewing.is_some() {
        let welded;
        ((state.released, state.joint_forces, welded), rest) =
            postcard::take_from_bytes(rest).map_err(damaged)?;
        state.welded = Some(welded);
    } else if !rest.is_empty() {
        ((state.released, state.joint_forces), rest) =
            postcard::take_from_bytes(rest).map_err(damaged)?;
    }
    if let Some(energy) = state.energy.as_mut().filter(|_| !rest.is_empty()) {
        (energy.risen_j, rest) = postcard::take_from_bytes(rest).map_err(damaged)?;
    }
    if !rest.is_empty() {
        return Err(refused("there are more bytes than those of a state"));
    }
    if model.settings.solver.integrator == Integrator::Bdf2 {
        // Two empty lists are the history of no cloth.
        saved.state.history.get_or_insert_default();
    }
    saved.state.fit_skins(model);
    match saved.state.misfit(model) {
        None => Ok(saved),
        Some(what) => Err(refused(&format!("its {what} are those of another scene"))),
    }
}

/// Keeps the memories of contacts that may push a node of this rank.
pub(crate) fn keep_own(model: &Model, rank: &ThisRank, contacts: &mut Vec<ContactMemory>) {
    let is_own = |node| rank.layout.own_index(node).is_some();
    let touches =
        |pair: &Pair| pair.vertices.iter().any(|&it| model.numbering.nodes_of(it).any(is_own));
    contacts.retain(|memory| touches(&memory.pair));
}
