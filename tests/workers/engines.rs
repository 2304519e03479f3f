//! Engines that cannot be had are refused.

use crate::common::run::Start;
use crate::heap;
use crate::place::{Place, REFERENCE};

const AT: &str = "bad.ron: parallel.engines";

#[test]
fn engines_that_do_not_fit_are_refused() {
    let place = Place::new(&heap(""));
    let two = Start::Threads(2, 1);
    let refused = |parallel: &str, words: &[&str]| place.assert_refused(two, parallel, words);
    let words = [AT, "3 engines for 2 workers", "one for each worker"];
    refused("Workers(count: 2, engines: [Own, Own, Own])", &words);
    refused("Workers(count: 2, engines: [Rapid])", &["Rapid", "did you mean `Rapier`"]);
    let words = [AT, "gives states alone", "`coupling: States`"];
    refused("Workers(count: 2, coupling: Impulses, engines: [Rapier])", &words);
}

#[test]
fn the_engine_of_the_domain_run_can_be_named() {
    let place = Place::new(&heap(""));
    let default = place.run(REFERENCE, "Workers(count: 2)", &["--frames", "2"]);
    for engines in ["[]", "[Own]", "[Own, Own]"] {
        let parallel = format!("Workers(count: 2, engines: {engines})");
        assert!(place.run(REFERENCE, &parallel, &["--frames", "2"]) == default, "{engines}");
    }
}

#[cfg(not(feature = "rapier"))]
#[test]
fn a_program_without_the_feature_says_how_to_get_it() {
    let place = Place::new(&heap(""));
    let words = [AT, "without the feature `rapier`", "--features rapier", "`engines: [Own]`"];
    place.assert_refused(Start::Threads(2, 1), "Workers(count: 2, engines: [Own, Rapier])", &words);
}
