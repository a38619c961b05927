//! A table as lines of text.

use crate::{width, Table};

/// A cell in at most so many columns; what is cut off is shown by an ellipsis.
pub fn fit(cell: &str, limit: usize) -> String {
    let line = cell.split(['\r', '\n']).next().unwrap_or_default();
    let whole = line.len() == cell.len();
    if whole && width::of(line) <= limit {
        return line.to_string();
    }
    format!("{}…", width::head(line, limit.saturating_sub(1)))
}

/// The whole table. No cell is wider than the limit.
pub fn render(table: &Table, limit: usize) -> String {
    let limit = limit.max(2);
    let columns = table.header.len();
    let rows: Vec<Vec<String>> = std::iter::once(&table.header)
        .chain(&table.rows)
        .map(|row| row.iter().map(|cell| fit(cell, limit)).collect())
        .collect();
    let widths: Vec<usize> = (0..columns)
        .map(|n| rows.iter().map(|row| width::of(&row[n])).max().unwrap_or(0))
        .collect();
    let right: Vec<bool> = (0..columns).map(|n| table.is_numeric(n)).collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> =
            (0..columns).map(|n| width::pad(&row[n], widths[n], right[n])).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Bars for numbers; the largest number has the longest one. What is more than nothing has a bar.
pub fn bars(numbers: &[f64], longest: usize) -> Vec<String> {
    let most = numbers.iter().copied().fold(0.0, f64::max);
    numbers
        .iter()
        .map(|n| {
            if *n <= 0.0 || most <= 0.0 {
                return String::new();
            }
            let length = (n / most * longest as f64).round() as usize;
            "█".repeat(length.max(1))
        })
        .collect()
}
