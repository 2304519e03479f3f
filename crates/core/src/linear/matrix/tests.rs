//! Products against those of `sprs`, slots, and what rounding keeps.

use sprs::CsMat;
use sprs::prod::mul_acc_mat_vec_csr;

use super::*;
use crate::Vec3;
use crate::linear::test_systems::{grid, noise3, springs};
use crate::linear::vectors::{Row, Triple, row};

/// The products of all patches, in both precisions.
fn products(matrix: &BlockMatrix, u: &[Vec3]) -> (Vec<Row>, Vec<Vec3>) {
    let narrow: Vec<Row> = u.iter().map(row).collect();
    let (mut w, mut wide) = (vec![Row::ZERO; matrix.rows()], vec![Vec3::zeros(); matrix.rows()]);
    for (patch, ends) in matrix.patch_offsets().windows(2).enumerate() {
        let rows = ends[0] as usize..ends[1] as usize;
        let (w, wide) = (&mut w[rows.clone()], &mut wide[rows.clone()]);
        matrix.multiply_within(patch, &narrow[rows.clone()], w);
        matrix.multiply_across(patch, &narrow, w);
        matrix.multiply_within_wide(patch, &u[rows], wide);
        matrix.multiply_across_wide(patch, u, wide);
    }
    (w, wide)
}

#[test]
fn products_agree_with_those_of_sprs_on_any_number_of_ranks() {
    let whole: CsMat<f64> = {
        let (graph, partition) = grid(9, 8, 10, 1);
        let layout = Layout::new(&graph, &partition, 0);
        springs(&layout, &graph, 1.0).to_triplets().to_csr()
    };
    let u = |v: u32| noise3(u64::from(v));
    let flat: Vec<f64> = (0..72).flat_map(|v| u(v).data.0[0]).collect();
    let mut expected = vec![0.0; flat.len()];
    mul_acc_mat_vec_csr(whole.view(), &flat[..], &mut expected[..]);

    let mut bits = vec![Vec::new(); 2];
    for (ranks, bits) in [1, 3].into_iter().zip(&mut bits) {
        let (graph, partition) = grid(9, 8, 10, ranks);
        let mut results = vec![(Row::ZERO, Vec3::zeros()); 72];
        let (mut sum, mut any_ghosts) = (CsMat::<f64>::zero(whole.shape()), false);
        for rank in 0..ranks {
            let layout = Layout::new(&graph, &partition, rank);
            let matrix = springs(&layout, &graph, 1.0);
            let local: Vec<Vec3> = layout.own.iter().chain(&layout.ghosts).map(|&v| u(v)).collect();
            let (w, wide) = products(&matrix, &local);
            let rows_here: CsMat<f64> = matrix.to_triplets().to_csr();
            sum = &sum + &rows_here;
            any_ghosts |= matrix.structure().has_any_ghosts();
            layout
                .own
                .iter()
                .zip(w.into_iter().zip(wide))
                .for_each(|(&v, w)| results[v as usize] = w);
        }
        assert_eq!(sum, whole);
        assert_eq!(any_ghosts, ranks > 1);
        for (v, (narrow, wide)) in results.iter().enumerate() {
            let expected = Vec3::from_column_slice(&expected[3 * v..3 * v + 3]);
            assert!((wide - expected).norm() < 1e-13);
            assert!((narrow.wide() - expected).norm() < 1e-5);
            bits.extend(wide.iter().map(|x| x.to_bits()));
            bits.extend(narrow.to_array().map(|x| u64::from(x.to_bits())));
        }
    }
    assert_eq!(bits[0], bits[1]);
}

#[test]
fn rounding_keeps_what_a_translation_does() {
    let (graph, partition) = grid(9, 8, 12, 1);
    let layout = Layout::new(&graph, &partition, 0);
    let mass = 1e-6;
    let matrix = springs(&layout, &graph, mass);
    let velocity = Vec3::new(1.0, -2.0, 0.5);
    let (_, wide) = products(&matrix, &[velocity; 72]);
    // The blocks are as large as 1, and single precision has 6e-8 of that.
    assert!(wide.iter().all(|w| (w - velocity * mass).norm() < 1e-14));
}

#[test]
fn slots_find_each_coupling_once() {
    let (graph, partition) = grid(5, 4, 6, 1);
    let layout = Layout::new(&graph, &partition, 0);
    let matrix = BlockMatrix::new(&layout, &graph).unwrap();
    let of_row = |row: u32| layout.patch_offsets.partition_point(|&first| first <= row) - 1;
    let mut found = std::collections::BTreeSet::new();
    let mut couplings = 0;
    for (row, &v) in (0..).zip(&layout.own) {
        for (column, &w) in (0..).zip(&layout.own) {
            let (patch, other) = (of_row(row), of_row(column));
            let slot = matrix.structure().slot(patch, row, column);
            let coupled = graph.neighbours(v).contains(&w);
            couplings += usize::from(coupled);
            assert_eq!(slot.is_some(), coupled && (patch != other || column < row));
            assert!(slot.is_none_or(|slot| found.insert((patch, slot))));
        }
    }
    assert_eq!(matrix.len() as usize, couplings + 20);
}
