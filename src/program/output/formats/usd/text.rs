//! The text of a USD layer (`.usda`).

use std::collections::HashSet;
use std::io::{self, Write};

use crate::program::output::formats::nine_digits::push_nine;
use crate::program::words::free_name;

/// Text is handed on in pieces of about this many bytes, to limit memory.
const PIECE: usize = 1 << 20;

/// The first line of each layer.
pub const FIRST_LINE: &str = "#usda 1.0\n";

/// Writes a layer, block by block.
pub struct Layer<'w> {
    out: &'w mut dyn Write,
    text: Vec<u8>,
    depth: usize,
}

impl<'w> Layer<'w> {
    /// Begins a layer.
    pub fn new(out: &'w mut dyn Write) -> Self {
        Self { out, text: FIRST_LINE.into(), depth: 0 }
    }

    /// Writes a line.
    pub fn line(&mut self, line: &str) {
        self.begin(line);
        self.text.push(b'\n');
    }

    /// Writes a line and the bracket that opens a block.
    pub fn open(&mut self, line: &str, bracket: char) {
        self.line(format!("{line} {bracket}").trim_start());
        self.depth += 1;
    }

    /// Ends the block that was opened last.
    pub fn close(&mut self, bracket: char) {
        self.depth = self.depth.saturating_sub(1);
        self.line(&bracket.to_string());
    }

    /// Writes a list of whole numbers after `line`, then `end`.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn integers(
        &mut self,
        line: &str,
        numbers: impl IntoIterator<Item = u64>,
        end: &str,
    ) -> io::Result<()> {
        self.list(line, numbers, |text, number| text.extend(number.to_string().bytes()), end)
    }

    /// Writes a list of vectors in single precision after `line`, then `end`.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn vectors<const N: usize>(
        &mut self,
        line: &str,
        vectors: impl IntoIterator<Item = [f64; N]>,
        end: &str,
    ) -> io::Result<()> {
        let push = |text: &mut Vec<u8>, vector: [f64; N]| {
            text.push(b'(');
            for (place, number) in vector.into_iter().enumerate() {
                if place > 0 {
                    text.extend(b", ");
                }
                // Nine digits distinguish all numbers of single precision.
                push_nine(text, f64::from(number as f32));
            }
            text.push(b')');
        };
        self.list(line, vectors, push, end)
    }

    /// Writes the vectors that `attribute` has in `frame`.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn vectors_at<const N: usize>(
        &mut self,
        attribute: &str,
        frame: u64,
        vectors: impl IntoIterator<Item = [f64; N]>,
    ) -> io::Result<()> {
        self.open(&format!("{attribute}.timeSamples ="), '{');
        self.vectors(&format!("{frame}: "), vectors, ",")?;
        self.close('}');
        Ok(())
    }

    /// Writes the whole numbers that `attribute` has in `frame`.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn integers_at(
        &mut self,
        attribute: &str,
        frame: u64,
        numbers: impl IntoIterator<Item = u64>,
    ) -> io::Result<()> {
        self.open(&format!("{attribute}.timeSamples ="), '{');
        self.integers(&format!("{frame}: "), numbers, ",")?;
        self.close('}');
        Ok(())
    }

    fn list<T>(
        &mut self,
        line: &str,
        items: impl IntoIterator<Item = T>,
        push: impl Fn(&mut Vec<u8>, T),
        end: &str,
    ) -> io::Result<()> {
        self.begin(line);
        self.text.push(b'[');
        for (place, item) in items.into_iter().enumerate() {
            if place > 0 {
                self.text.extend(b", ");
            }
            push(&mut self.text, item);
            if self.text.len() >= PIECE {
                self.hand_on()?;
            }
        }
        self.text.push(b']');
        self.text.extend(end.bytes());
        self.text.push(b'\n');
        Ok(())
    }

    fn begin(&mut self, line: &str) {
        self.text.extend(std::iter::repeat_n(b' ', 4 * self.depth));
        self.text.extend(line.as_bytes());
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    /// Ends the layer.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn end(mut self) -> io::Result<()> {
        self.hand_on()
    }
}

/// Names of prims with the same parent.
#[derive(Default)]
pub struct PrimNames(HashSet<String>);

impl PrimNames {
    /// A name like `wanted` that USD allows and that no other prim has.
    pub fn unique(&mut self, wanted: &str) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut name: String = wanted.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
        if name.chars().next().is_none_or(|first| first.is_ascii_digit()) {
            name.insert(0, '_');
        }
        let name = free_name(&name, '_', |name| !self.0.contains(name));
        self.0.insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prims_have_valid_and_unique_names() {
        let mut names = PrimNames::default();
        let found = ["a b", "a_b", "3", "", "a b"].map(|name| names.unique(name));
        assert_eq!(found, ["a_b", "a_b_2", "_3", "_", "a_b_3"]);
    }

    #[test]
    fn a_layer_is_indented_text() {
        let mut file = Vec::new();
        let mut layer = Layer::new(&mut file);
        layer.open("def Mesh \"a\"", '{');
        layer.integers("int[] n = ", [1, 2], "").unwrap();
        layer.vectors_at("float2[] x", 7, [[0.1, -2.0]]).unwrap();
        layer.close('}');
        layer.end().unwrap();
        let expected = "#usda 1.0\ndef Mesh \"a\" {\n    int[] n = [1, 2]\n    \
            float2[] x.timeSamples = {\n        7: [(0.100000001, -2)],\n    }\n}\n";
        assert_eq!(String::from_utf8(file).unwrap(), expected);
    }
}
