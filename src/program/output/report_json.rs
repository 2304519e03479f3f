//! A step's report as JSON: a field for each phase and entry of its table, by its name.

use std::collections::BTreeMap;

use cloth_core::report::{Cell, Report};
use serde::de::{DeserializeOwned, Error};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::Value;

/// Writes `report`. Leaves out measures that are not known, and a rise of energy if there is none.
///
/// # Errors
/// The errors of the serializer.
pub fn serialize<R: Report, S: Serializer>(report: &R, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (names, times) in R::time_names().iter().zip(report.times()) {
        names.iter().zip(times).try_for_each(|(name, time)| map.serialize_entry(name, time))?;
    }
    let mut report = *report;
    for entry in report.entries() {
        match entry.cell {
            Cell::Count(count) => map.serialize_entry(entry.name, count)?,
            // Many readers of JSON keep only 53 bits of a number.
            Cell::Hash(hash) => map.serialize_entry(entry.name, &format!("{hash:016x}"))?,
            Cell::Rounds(counts) => map.serialize_entry(entry.name, trimmed(counts))?,
            Cell::Measure(measure) if entry.join.knows(*measure) => {
                map.serialize_entry(entry.name, measure)?;
            }
            Cell::Rise(rise) if rise.known().is_some() => map.serialize_entry(entry.name, rise)?,
            Cell::Measure(_) | Cell::Rise(_) | Cell::Unwritten(_) => {}
        }
    }
    map.end()
}

/// Reads a report. A missing field is as in a report of no step, because another version may not
/// have measured it.
///
/// # Errors
/// A value that is no JSON object. A field of another type.
pub fn deserialize<'de, R: Report, D: Deserializer<'de>>(deserializer: D) -> Result<R, D::Error> {
    read(&BTreeMap::deserialize(deserializer)?).map_err(D::Error::custom)
}

type Fields = BTreeMap<String, Value>;

fn read<R: Report>(fields: &Fields) -> Result<R, String> {
    let mut report = R::default();
    for (names, times) in R::time_names().iter().zip(report.times_mut()) {
        for (name, time) in names.iter().zip(times) {
            set(fields, name, time)?;
        }
    }
    for entry in report.entries() {
        match entry.cell {
            Cell::Count(count) => set(fields, entry.name, count)?,
            Cell::Hash(hash) => {
                let mut digits = "0".to_owned();
                set(fields, entry.name, &mut digits)?;
                let parsed = u64::from_str_radix(&digits, 16);
                *hash = parsed.map_err(|cause| format!("`{}`: {cause}", entry.name))?;
            }
            Cell::Rounds(counts) => {
                let mut values = Vec::<u64>::new();
                set(fields, entry.name, &mut values)?;
                counts.iter_mut().zip(values).for_each(|(count, value)| *count = value);
            }
            Cell::Measure(measure) => set(fields, entry.name, measure)?,
            Cell::Rise(rise) => set(fields, entry.name, rise)?,
            Cell::Unwritten(_) => {}
        }
    }
    Ok(report)
}

/// Sets `cell` to the field `name`, if it is there. A number that is not finite is written as
/// `null`.
fn set<T: DeserializeOwned>(fields: &Fields, name: &str, cell: &mut T) -> Result<(), String> {
    if let Some(value) = fields.get(name).filter(|it| !it.is_null()) {
        *cell = T::deserialize(value).map_err(|cause| format!("`{name}`: {cause}"))?;
    }
    Ok(())
}

/// `counts` without the trailing zeros.
fn trimmed(counts: &[u64]) -> &[u64] {
    &counts[..counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use cloth_core::report::EnergyRise;
    use cloth_step::StepReport;

    use super::*;

    #[test]
    fn a_report_is_read_back_as_it_was_written() {
        let mut report = StepReport::default();
        (report.energy_j, report.internal_j, report.smallest_gap_m) = (0.1, 0.7, 1e-4);
        report.seconds = std::array::from_fn(|i| 1e-3 / (i as f64 + 3.0));
        report.busy_s = std::array::from_fn(|i| 1e-4 / (i as f64 + 7.0));
        report.counts = std::array::from_fn(|i| 7 * i as u64);
        report.measures = std::array::from_fn(|i| i as f64 - 0.3);
        report.collisions_per_round[..3].copy_from_slice(&[5, 0, 2]);
        report.truncated_per_pass[0] = 1;
        report.test_hash = u64::MAX - 2;
        let (unexplained_j, limit_j, at_m) = (0.3, 0.1, [0.1, -0.2, 1e-300]);
        report.note_rise(EnergyRise { unexplained_j, limit_j, vertex: 17, at_m });
        let mut text = Vec::new();
        serialize(&report, &mut serde_json::Serializer::new(&mut text)).unwrap();
        let back: StepReport =
            deserialize(&mut serde_json::Deserializer::from_slice(&text)).unwrap();
        assert_eq!(back, report);
    }

    #[test]
    fn a_field_of_another_type_is_refused_by_its_name() {
        let number = StepReport::time_names()[0][0].clone();
        let (mut report, mut names) = (StepReport::default(), vec![number]);
        names.extend(report.entries().filter_map(|entry| match entry.cell {
            Cell::Unwritten(_) => None,
            _ => Some(entry.name.to_owned()),
        }));
        for name in names {
            for wrong in [r#""none""#, "true", "{}"] {
                let text = format!(r#"{{"{name}": {wrong}}}"#);
                let read: Result<StepReport, _> =
                    deserialize(&mut serde_json::Deserializer::from_str(&text));
                let message = read.unwrap_err().to_string();
                assert!(message.contains(&format!("`{name}`: ")), "{text}: {message}");
            }
        }
    }
}
