//! Reads the page of `cloth-sim view` back, apart from the code that wrote it.

use std::collections::BTreeMap;

use base64::Engine as _;
use serde_json::Value;

/// A page, as JSON.
pub struct RunPage {
    /// The whole text.
    pub html: String,
    /// What stands before the frames.
    pub run: Value,
    /// The frames.
    pub frames: Vec<Value>,
}

impl RunPage {
    pub fn parse(html: String) -> Self {
        let of = |attribute: &str| -> Vec<Value> {
            let begin = format!("<script type=\"application/json\" {attribute}>");
            let texts = html.split(&begin).skip(1).filter_map(|it| it.split("</script>").next());
            texts.map(|text| serde_json::from_str(text).expect("JSON")).collect()
        };
        let (mut run, frames) = (of("id=\"run\""), of("class=\"frame\""));
        assert_eq!(run.len(), 1);
        Self { run: run.remove(0), frames, html }
    }

    /// The numbers of its frames.
    pub fn numbers(&self) -> Vec<u64> {
        self.frames.iter().map(|frame| frame["number"].as_u64().expect("a number")).collect()
    }

    /// The values of a curve, frame by frame.
    pub fn curve(&self, chart: &str, label: &str) -> Vec<f64> {
        let named = |list: &Value, key: &str, name: &str| -> Value {
            let list = list.as_array().expect("a list");
            list.iter().find(|it| it[key] == name).unwrap_or_else(|| panic!("{name}")).clone()
        };
        let chart = named(&self.run["charts"]["charts"], "title", chart);
        numbers(&named(&chart["curves"], "label", label)["values"])
    }
}

/// A list of numbers.
pub fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().expect("a list").iter().map(|it| it.as_f64().expect("a number")).collect()
}

/// The arrays of a block, by name.
pub fn arrays(block: &Value) -> BTreeMap<String, Vec<f64>> {
    let data = block["data"].as_str().expect("text");
    let bytes = base64::engine::general_purpose::STANDARD.decode(data).expect("base64");
    let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(&bytes).expect("zlib");
    let (mut arrays, mut at) = (BTreeMap::new(), 0);
    for head in block["arrays"].as_array().expect("a list") {
        let (kind, length) = (&head["type"], head["length"].as_u64().expect("a number") as usize);
        let size = match kind.as_str() {
            Some("u8") => 1,
            Some("u16") => 2,
            _ => 4,
        };
        let own = &bytes[at..at + size * length];
        let word =
            |i: usize| (0..size).map(|b| u32::from(own[b * length + i]) << (8 * b)).sum::<u32>();
        let mask = (u64::from(u32::MAX) >> (32 - 8 * size)) as u32;
        let mut last = 0_u32;
        let values = (0..length).map(|i| match kind.as_str() {
            Some("f32") => {
                let word = own[4 * i..4 * i + 4].try_into().expect("four bytes");
                f64::from(f32::from_le_bytes(word))
            }
            _ => {
                last = last.wrapping_add(word(i)) & mask;
                f64::from(last)
            }
        });
        arrays.insert(head["name"].as_str().expect("a name").to_owned(), values.collect());
        at += size * length;
    }
    assert_eq!(at, bytes.len());
    arrays
}

/// Asserts that `shares` of the box of `frame`, first all x, are these positions (m), within half
/// of a share.
pub fn expect_positions(frame: &Value, shares: &[f64], positions: &[[f64; 3]]) {
    let [low, high] = ["low", "high"].map(|end| numbers(&frame["bounds"][end]));
    let stride = shares.len() / 3;
    assert!(!positions.is_empty() && positions.len() <= stride);
    for (i, x) in positions.iter().enumerate() {
        for axis in 0..3 {
            let width = high[axis] - low[axis];
            let shown = low[axis] + shares[axis * stride + i] / 65535.0 * width;
            let error = (shown - x[axis]).abs();
            assert!(error <= 0.500_001 * width / 65535.0 + 1e-12, "vertex {i}: {error:e} m");
        }
    }
}
