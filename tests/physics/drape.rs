//! Fabrics of the library in Cusick's drape meter, on a coarse mesh. `examples/cusick.rs` has the
//! whole table.

use crate::cusick::{Specimen, fabric};

/// Matsudaira et al. 2015 measured 49.8 % for wool tropical; plain weaves of cotton have 48 to 72 %.
#[test]
fn wool_and_cotton_drape_as_measured() {
    for (name, measured) in [("wool_tropical", 42.0..58.0), ("cotton", 48.0..72.0)] {
        let drape = Specimen::rings(6).drape(fabric(name), 1, 0.02);
        let (found, folds) = (drape.coefficient(), drape.folds());
        println!("{name}: {found:.1} %, measured {measured:?} %, {folds} folds");
        assert!(measured.contains(&found) && (5..=9).contains(&folds));
    }
}
