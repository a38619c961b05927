//! Files of JSON lines that are added to: results of a run, the history of changes.

use crate::trace::{JsonlError, each_line};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Reads the lines of a file, each of which is a `what`; none where there is no file.
///
/// # Errors
/// Names the first line that is none. A last line that was cut off, as a kill leaves it, is left out.
pub(super) fn read<T: DeserializeOwned>(
    path: &Path,
    what: &'static str,
) -> Result<Vec<T>, JsonlError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e.into()),
    };
    let mut all = Vec::new();
    each_line(&mut BufReader::new(file), what, &mut |one| all.push(one))?;
    Ok(all)
}

/// Adds a line to a file, and makes it durable. A last line that a kill cut off is taken away first;
/// one that only lacks its end is ended.
///
/// # Errors
/// [`JsonlError::Io`] when the file cannot be written.
pub(super) fn append(path: &Path, value: &impl Serialize) -> Result<(), JsonlError> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::other)?;
    line.push(b'\n');
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)?;
    let length = file.metadata()?.len();
    let last = last_line(&mut file, length)?;
    if !last.is_empty() {
        match serde_json::from_slice::<serde::de::IgnoredAny>(&last) {
            Ok(_) => file.write_all(b"\n")?,
            Err(_) => file.set_len(length - last.len() as u64)?,
        }
    }
    file.write_all(&line)?;
    Ok(file.sync_data()?)
}

/// What stands after the last end of a line.
fn last_line(file: &mut File, length: u64) -> Result<Vec<u8>, io::Error> {
    const BLOCK: u64 = 4096;
    let mut last = Vec::new();
    let mut from = length;
    while from > 0 {
        let size = from.min(BLOCK);
        from -= size;
        file.seek(SeekFrom::Start(from))?;
        let mut block = vec![0; size as usize];
        file.read_exact(&mut block)?;
        let ended = block.iter().rposition(|b| *b == b'\n');
        let tail = block.split_off(ended.map_or(0, |at| at + 1));
        last.splice(0..0, tail);
        if ended.is_some() {
            break;
        }
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_left_out_and_taken_away_by_the_next() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lines.jsonl");
        let all = || read::<u32>(&path, "number").unwrap();
        assert_eq!(all(), Vec::<u32>::new());
        append(&path, &1).unwrap();
        let mut torn = std::fs::read(&path).unwrap();
        // Cut within a letter of two bytes, and longer than a block.
        torn.extend(b"\"\xc3");
        torn.resize(9000, b'x');
        std::fs::write(&path, &torn).unwrap();
        assert_eq!(all(), [1]);
        append(&path, &2).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"1\n2\n");
        std::fs::write(&path, "1\n2").unwrap();
        append(&path, &3).unwrap();
        assert_eq!(all(), [1, 2, 3], "a line without its end is whole");
        std::fs::write(&path, "1\nx\n3\n").unwrap();
        let error = read::<u32>(&path, "number").unwrap_err().to_string();
        assert!(error.starts_with("line 2 is no number"), "{error}");
    }
}
