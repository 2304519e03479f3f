//! Fabrics of the library in Cusick's drape meter, on a coarse mesh. `examples/cusick.rs` has the
//! whole table.

use crate::cusick::{Specimen, fabric};

/// Sources: Matsudaira et al. 2015, 49.8 % and 28.3 %.
#[test]
fn wool_and_faille_drape_as_measured() {
    for (name, measured) in [("wool_tropical", 49.8), ("polyester_faille", 28.3)] {
        let drape = Specimen::rings(6).drape(fabric(name), 1, 0.02);
        let (found, folds) = (drape.coefficient(), drape.folds());
        println!("{name}: {found:.1} %, measured {measured} %, {folds} folds");
        assert!((found - measured).abs() < 8.0);
        assert!((5..=11).contains(&folds));
    }
}
