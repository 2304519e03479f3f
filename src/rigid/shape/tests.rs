use super::*;

/// One of each kind, with these sizes.
fn samples(sizes: [f64; 3]) -> impl Iterator<Item = Shape> {
    let sample = move |&number: &u32| Shape::of_number(number, sizes, 0).unwrap();
    Shape::NUMBERS.iter().map(sample)
}

#[test]
fn numbers_of_kinds_differ() {
    let mut numbers = [Shape::NUMBERS, &[SOLID, HALF_SPACE]].concat();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), Shape::NUMBERS.len() + 2);
}

#[test]
fn a_shape_comes_back_from_its_bits_and_has_the_reach_that_is_asked_for() {
    for shape in samples([0.3, 0.2, 0.7]).chain([Shape::Solid(7)]) {
        assert_eq!(Shape::of_words(&shape.words()), Some(shape));
    }
    for shape in samples([0.3, 0.2, 0.7]) {
        let reach = shape.with_reach(5.0).reach(|_| 0.0);
        assert!((reach - 5.0).abs() < 1e-14, "{shape:?}");
    }
}
