//! `workers_<frame>.csv`: home and workers of each body in the step before a frame. It depends on
//! the scene alone, not on ranks.
//!
//! A row for each movable body: `id,home,workers,weights`. The last two are lists with `;` between
//! their entries: `7,0,0;2,0.4;0.6`.

use std::io::{self, Write};

use cloth_rigid::FrameBody;
use cloth_workers::report::Share;

/// Writes the workers of `rows`, which are in the order of ids. `shares` has what each worker said,
/// in the same order. The owner of a body is its home.
///
/// # Errors
/// The errors of `out`.
pub fn write(rows: &[FrameBody], shares: &[Share], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["id", "home", "workers", "weights"])?;
    let mut shares = shares.chunk_by(|a, b| a.id == b.id).peekable();
    for row in rows.iter().filter(|row| row.fixed == 0) {
        let of_row = shares.next_if(|of_body| of_body[0].id == row.id).unwrap_or(&[]);
        let list = |entry: fn(&Share) -> String| Vec::from_iter(of_row.iter().map(entry)).join(";");
        let (workers, weights) =
            (list(|it| it.worker.to_string()), list(|it| it.weight.to_string()));
        table.serialize((row.id, row.owner, workers, weights))?;
    }
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_home_workers_and_weights_of_a_body() {
        let row = |(id, owner, fixed)| FrameBody { id, owner, fixed, ..FrameBody::default() };
        let bodies = [(0, 1, 0), (2, 0, 0), (3, 0, 1), (5, 2, 0)].map(row);
        let share = |(id, worker, weight)| Share { id, worker, weight };
        let shares = [(0, 1, 1.0), (2, 0, 0.4), (2, 2, 0.6), (5, 2, 1.0)].map(share);
        let mut file = Vec::new();
        write(&bodies, &shares, &mut file).unwrap();
        let text = String::from_utf8(file).unwrap();
        assert_eq!(text, "id,home,workers,weights\n0,1,1,1\n2,0,0;2,0.4;0.6\n5,2,2,1\n");
    }
}
