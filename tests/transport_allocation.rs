//! Room `ranks`: exchanges and reductions allocate nothing after the first ones. This is the only
//! test of its program, because the allocator counts for all threads.
#![allow(unsafe_code)] // an allocator is unsafe to implement

#[path = "common/counting.rs"]
mod counting;

use cloth_sim::math::Vec3;
use cloth_sim::ranks::{Halo, HaloNeighbour, World, in_process};
use counting::allocations;

#[test]
fn exchanges_and_reductions_allocate_nothing_once_warm() {
    const OWN: usize = 200;
    let counts = in_process::run(4, |world: &dyn World| {
        let (rank, size) = (world.rank(), world.size());
        let others = (0..size).filter(|&other| other != rank).enumerate();
        let neighbours = others.map(|(place, other)| {
            let first = (OWN + 50 * place) as u32;
            HaloNeighbour::new(other, (0..50).collect(), first..first + 50)
        });
        let mut halo = Halo::new(neighbours.collect());
        let mut values = vec![Vec3::repeat(rank as f64); OWN + 50 * (size - 1)];
        let (counts, mut all) = ([8 * OWN; 4], vec![0; 8 * OWN * size]);
        let mine = vec![rank as u8; 8 * OWN];

        let mut iterations = |number: usize| -> cloth_sim::error::Result<()> {
            for _ in 0..number {
                halo.begin(world, &values)?;
                halo.finish(world, &mut values)?;
                let mut sums = [1; 12];
                world.all_reduce_sum(&mut sums)?;
                world.all_gather_v(&mine, &counts, &mut all)?;
            }
            Ok(())
        };
        iterations(10)?;
        world.all_reduce_sum(&mut [0])?;
        let before = allocations();
        world.all_reduce_sum(&mut [0])?;
        iterations(1000)?;
        world.all_reduce_sum(&mut [0])?;
        Ok(allocations() - before)
    });
    assert_eq!(counts.unwrap(), [0; 4]);
}
