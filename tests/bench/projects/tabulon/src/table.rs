use crate::number;

/// Cells by rows, with the names of the columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of rows; the first one is the header.
    pub fn new(mut rows: Vec<Vec<String>>) -> Result<Self, String> {
        if rows.is_empty() {
            return Err("the file is empty".into());
        }
        let header = rows.remove(0);
        Ok(Table { header, rows })
    }

    pub fn column(&self, name: &str) -> Result<usize, String> {
        self.header
            .iter()
            .position(|h| h == name)
            .ok_or_else(|| format!("no column {name}; there are {}", self.header.join(", ")))
    }

    pub fn cells(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row[column].as_str())
    }

    /// The numbers of a column; an empty cell is 0.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, String> {
        let column = self.column(name)?;
        self.cells(column)
            .map(|cell| match cell.trim() {
                "" => Ok(0.0),
                cell => number::parse(cell).ok_or(format!("{cell:?} in {name} is no number")),
            })
            .collect()
    }

    /// Whether a column holds nothing but numbers, and at least one.
    pub fn is_numeric(&self, column: usize) -> bool {
        let mut filled = self.cells(column).filter(|c| !c.trim().is_empty()).peekable();
        filled.peek().is_some()
            && filled.all(|c| number::parse(c.trim_end_matches('%')).is_some())
    }

    /// A new last column.
    pub fn push(&mut self, name: &str, cells: Vec<String>) {
        self.header.push(name.to_string());
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }
}
