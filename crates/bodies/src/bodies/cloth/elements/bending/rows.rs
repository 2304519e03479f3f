//! Sparse matrices of hinges by hinges, stored row by row.

/// A sparse matrix whose rows and columns are hinges.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HingeRows {
    /// Where each row begins, and the end of the last one.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl HingeRows {
    /// Without a row yet.
    pub(super) fn with_capacity(rows: usize, entries: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Self { starts, columns: Vec::with_capacity(entries), values: Vec::with_capacity(entries) }
    }

    /// Adds a row after the last one.
    pub(super) fn push(&mut self, row: impl Iterator<Item = (u32, f64)>) {
        for (column, value) in row {
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
    }

    /// Gives back memory that no row needs.
    pub(super) fn shrink_to_fit(&mut self) {
        self.columns.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of entries of all rows.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// The columns of a row.
    #[inline]
    pub fn columns(&self, row: u32) -> &[u32] {
        &self.columns[self.range(row)]
    }

    /// The entries of a row: columns and values.
    #[inline]
    pub fn row(&self, row: u32) -> impl Iterator<Item = (u32, f64)> + Clone {
        let range = self.range(row);
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// An entry of a row with rising columns.
    pub fn entry(&self, row: u32, column: u32) -> Option<f64> {
        let range = self.range(row);
        let at = self.columns[range.clone()].binary_search(&column).ok()?;
        Some(self.values[range.start + at])
    }

    /// A row times a vector. Four sums run side by side, so the order of the sum is fixed by the row
    /// alone.
    #[inline]
    pub fn times(&self, row: u32, vector: &[f64]) -> f64 {
        let range = self.range(row);
        let (columns, last_columns) = self.columns[range.clone()].as_chunks::<4>();
        let (values, last_values) = self.values[range].as_chunks::<4>();
        let mut sums = [0.0; 4];
        for (columns, values) in columns.iter().zip(values) {
            for i in 0..4 {
                sums[i] += values[i] * vector[columns[i] as usize];
            }
        }
        for (i, (&column, value)) in last_columns.iter().zip(last_values).enumerate() {
            sums[i] += value * vector[column as usize];
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// The transpose. Its rows have rising columns.
    pub(super) fn transposed(&self) -> Self {
        let mut starts = vec![0; self.starts.len().max(1)];
        self.columns.iter().for_each(|&column| starts[column as usize + 1] += 1);
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0; self.entries()], vec![0.0; self.entries()]);
        for row in 0..self.count() as u32 {
            for (column, value) in self.row(row) {
                let place = &mut next[column as usize];
                (columns[*place], values[*place]) = (row, value);
                *place += 1;
            }
        }
        Self { starts, columns, values }
    }

    /// Gives both entries of each pair of rows the bits of the one in the lower row. The rows have
    /// rising columns.
    pub(super) fn symmetrise(&mut self) {
        for row in 0..self.count() as u32 {
            for at in self.range(row) {
                let column = self.columns[at];
                if column >= row {
                    break;
                }
                if let Some(value) = self.entry(column, row) {
                    self.values[at] = value;
                }
            }
        }
    }

    #[inline]
    fn range(&self, row: u32) -> std::ops::Range<usize> {
        self.starts[row as usize]..self.starts[row as usize + 1]
    }
}
