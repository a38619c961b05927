//! CSV as RFC 4180 has it: quotes around cells, doubled within them, line breaks within quotes.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A quote that opens in this line and never closes.
    Open(usize),
    /// Text after a closing quote.
    After(usize),
    /// A row with so many cells where the header has another number.
    Cells { row: usize, cells: usize, header: usize },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Open(line) => write!(f, "line {line}: a quote is not closed"),
            Error::After(line) => write!(f, "line {line}: text after a closing quote"),
            Error::Cells { row, cells, header } => {
                write!(f, "row {row} has {cells} cells, the header {header}")
            }
        }
    }
}

impl std::error::Error for Error {}

#[derive(PartialEq)]
enum State {
    /// Before a cell's first character.
    Start,
    Plain,
    Quoted,
    /// After a quote within a quoted cell: its end, or half of a doubled one.
    Quote,
}

/// All rows. Empty lines are left out; every row has as many cells as the first one.
pub fn parse(text: &str) -> Result<Vec<Vec<String>>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut cell = String::new();
    let mut state = State::Start;
    let (mut line, mut opened) = (1, 1);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let c = if c == '\r' && chars.peek() == Some(&'\n') && state != State::Quoted {
            chars.next();
            '\n'
        } else {
            c
        };
        match (&state, c) {
            (State::Start, '"') => {
                opened = line;
                state = State::Quoted;
            }
            (State::Quoted, '"') => state = State::Quote,
            (State::Quoted, _) => cell.push(c),
            (State::Quote, '"') => {
                cell.push('"');
                state = State::Quoted;
            }
            (_, ',') => {
                row.push(std::mem::take(&mut cell));
                state = State::Start;
            }
            (_, '\n') => {
                if !(row.is_empty() && cell.is_empty() && state == State::Start) {
                    row.push(std::mem::take(&mut cell));
                    finish(&mut rows, std::mem::take(&mut row))?;
                }
                state = State::Start;
            }
            (State::Quote, _) => return Err(Error::After(line)),
            (State::Start | State::Plain, _) => {
                cell.push(c);
                state = State::Plain;
            }
        }
        if c == '\n' {
            line += 1;
        }
    }
    if state == State::Quoted {
        return Err(Error::Open(opened));
    }
    if state != State::Start || !row.is_empty() {
        row.push(cell);
        finish(&mut rows, row)?;
    }
    Ok(rows)
}

fn finish(rows: &mut Vec<Vec<String>>, row: Vec<String>) -> Result<(), Error> {
    if let Some(header) = rows.first() {
        if header.len() != row.len() {
            return Err(Error::Cells {
                row: rows.len() + 1,
                cells: row.len(),
                header: header.len(),
            });
        }
    }
    rows.push(row);
    Ok(())
}

/// A row as a line of CSV, with quotes where they are needed.
pub fn write_row(cells: &[String]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|cell| {
            if cell.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        })
        .collect();
    cells.join(",") + "\r\n"
}
