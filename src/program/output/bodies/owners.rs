//! `owners_<frame>.csv`: the rank of each body, beside the frame. It depends on the number of ranks
//! and the division, so it is no part of the frame.
//!
//! A row for each run of ids with the same owner: `first_id,last_id,rank`. An id between two rows
//! is of no body. Bodies that keyframes move are not in it.

use std::io::{self, Write};

use cloth_rigid::FrameBody;

/// Writes the owners of `rows`, which are in the order of ids.
///
/// # Errors
/// The errors of `out`.
pub fn write(rows: &[FrameBody], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["first_id", "last_id", "rank"])?;
    let movable = Vec::from_iter(rows.iter().filter(|row| row.fixed == 0));
    for run in movable.chunk_by(|a, b| a.owner == b.owner && a.id + 1 == b.id) {
        if let [first, ..] = run {
            table.serialize((first.id, first.id + run.len() as u64 - 1, first.owner))?;
        }
    }
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_ids_without_gaps_of_one_owner() {
        let row = |(id, owner, fixed)| FrameBody { id, owner, fixed, ..FrameBody::default() };
        let bodies = [(0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 0, 0), (5, 0, 0), (6, 0, 1), (7, 0, 0)];
        let mut file = Vec::new();
        write(&bodies.map(row), &mut file).unwrap();
        let text = String::from_utf8(file).unwrap();
        assert_eq!(text, "first_id,last_id,rank\n0,1,0\n2,2,1\n3,3,0\n5,5,0\n7,7,0\n");
    }
}
