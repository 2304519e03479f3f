//! Products against those of `sprs`, and positions.

use sprs::CsMat;
use sprs::prod::mul_acc_mat_vec_csr;

use super::*;
use crate::linear::test_systems::{grid, noise3, springs};

#[test]
fn product_agrees_with_that_of_sprs_on_any_number_of_ranks() {
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
        let threads = Threads::new(2).unwrap();
        let mut result = vec![Vec3::zeros(); 72];
        let mut rows = [0, 0];
        let mut sum = CsMat::<f64>::zero(whole.shape());
        for rank in 0..ranks {
            let layout = Layout::new(&graph, &partition, rank);
            let matrix = springs(&layout, &graph, 1.0);
            let local: Vec<Vec3> = layout.own.iter().chain(&layout.ghosts).map(|&v| u(v)).collect();
            let mut w = vec![Vec3::zeros(); matrix.rows()];
            matrix.multiply(&threads, &local, &mut w);
            let rows_here: CsMat<f64> = matrix.to_triplets().to_csr();
            sum = &sum + &rows_here;
            layout.own.iter().zip(w).for_each(|(&v, w)| result[v as usize] = w);
            for (kind, run) in &matrix.runs {
                rows[usize::from(*kind == Rows::Border)] += run.len();
            }
        }
        assert_eq!(sum, whole);
        assert_eq!(rows.iter().sum::<usize>(), 72);
        assert_eq!(rows[1] > 0, ranks > 1);
        for (v, w) in result.iter().enumerate() {
            let expected = Vec3::from_column_slice(&expected[3 * v..3 * v + 3]);
            assert!((w - expected).norm() < 1e-13);
            bits.extend(w.iter().map(|x| x.to_bits()));
        }
    }
    assert_eq!(bits[0], bits[1]);
}

#[test]
fn positions_find_every_coupling_and_no_other() {
    let (graph, partition) = grid(5, 4, 6, 1);
    let layout = Layout::new(&graph, &partition, 0);
    let matrix = BlockCsr::new(&layout, &graph).unwrap();
    for (row, &v) in layout.own.iter().enumerate() {
        for w in 0..20 {
            let expected = w == v || graph.neighbours(v).contains(&w);
            assert_eq!(matrix.position(row, w).is_some(), expected);
        }
        assert_eq!(matrix.position(row, v), Some(matrix.diagonal(row)));
    }
}
