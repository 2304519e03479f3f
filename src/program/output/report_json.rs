//! A step's report as JSON: a field for each phase, counter and measure, by its name.

use std::collections::BTreeMap;

use cloth_sim::step::{Counter, EnergyRise, Measure, Phase, StepReport};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Writes `report`. Leaves out measures that are zero, and a gap and an energy that are not
/// known.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(report: &StepReport, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for phase in Phase::ALL {
        map.serialize_entry(&format!("{}_s", phase.name()), &report.seconds(*phase))?;
    }
    for phase in Phase::ALL {
        map.serialize_entry(&busy(*phase), &report.busy_s[*phase as usize])?;
    }
    for counter in Counter::ALL {
        map.serialize_entry(counter.name(), &report.get(*counter))?;
    }
    // Many readers of JSON keep only 53 bits of a number.
    map.serialize_entry("test_hash", &format!("{:016x}", report.test_hash))?;
    for measure in Measure::ALL.iter().filter(|&&measure| report.measured(measure) != 0.0) {
        map.serialize_entry(measure.name(), &report.measured(*measure))?;
    }
    map.serialize_entry("collisions_per_round", trimmed(&report.collisions_per_round))?;
    map.serialize_entry("truncated_per_pass", trimmed(&report.truncated_per_pass))?;
    if report.smallest_gap_m.is_finite() {
        map.serialize_entry("smallest_gap_m", &report.smallest_gap_m)?;
    }
    if !report.energy_j.is_nan() {
        map.serialize_entry("energy_j", &report.energy_j)?;
    }
    if !report.internal_j.is_nan() {
        map.serialize_entry("internal_j", &report.internal_j)?;
    }
    if let Some(EnergyRise { unexplained_j, limit_j, vertex, at_m }) = report.energy_rise() {
        map.serialize_entry("energy_rise", &RiseRecord { unexplained_j, limit_j, vertex, at_m })?;
    }
    map.end()
}

/// An [`EnergyRise`] in the file.
#[derive(Serialize, Deserialize)]
struct RiseRecord {
    unexplained_j: f64,
    limit_j: f64,
    vertex: u64,
    at_m: [f64; 3],
}

/// Reads a report. A missing field is zero, because another version may not have measured it.
///
/// # Errors
/// A value that is no JSON object.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<StepReport, D::Error> {
    let fields = BTreeMap::<String, Value>::deserialize(deserializer)?;
    let number = |name: &str| fields.get(name).and_then(Value::as_f64);
    let counts = |name: &str, counts: &mut [u64]| {
        let values = fields.get(name).and_then(Value::as_array).into_iter().flatten();
        let values = values.filter_map(Value::as_u64);
        counts.iter_mut().zip(values).for_each(|(count, value)| *count = value);
    };
    let mut report = StepReport::default();
    for &phase in Phase::ALL {
        report.seconds[phase as usize] = number(&format!("{}_s", phase.name())).unwrap_or_default();
        report.busy_s[phase as usize] = number(&busy(phase)).unwrap_or_default();
    }
    for &counter in Counter::ALL {
        let count = fields.get(counter.name()).and_then(Value::as_u64);
        report.counts[counter as usize] = count.unwrap_or_default();
    }
    for &measure in Measure::ALL {
        report.measures[measure as usize] = number(measure.name()).unwrap_or_default();
    }
    counts("collisions_per_round", &mut report.collisions_per_round);
    counts("truncated_per_pass", &mut report.truncated_per_pass);
    let hash = fields.get("test_hash").and_then(Value::as_str);
    let hash = hash.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    report.test_hash = hash.unwrap_or_default();
    report.smallest_gap_m = number("smallest_gap_m").unwrap_or(f64::INFINITY);
    report.energy_j = number("energy_j").unwrap_or(f64::NAN);
    report.internal_j = number("internal_j").unwrap_or(f64::NAN);
    let rise = fields.get("energy_rise").and_then(|rise| RiseRecord::deserialize(rise).ok());
    if let Some(RiseRecord { unexplained_j, limit_j, vertex, at_m }) = rise {
        report.note_rise(EnergyRise { unexplained_j, limit_j, vertex, at_m });
    }
    Ok(report)
}

/// The name of the processor time of a phase.
fn busy(phase: Phase) -> String {
    format!("{}_busy_s", phase.name())
}

/// `counts` without the trailing zeros.
fn trimmed(counts: &[u64]) -> &[u64] {
    &counts[..counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
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
        let back = deserialize(&mut serde_json::Deserializer::from_slice(&text)).unwrap();
        assert_eq!(back, report);
    }
}
