//! Keeps the beginning and the end of an endless output in bounded memory.

use std::collections::VecDeque;

/// Collects output up to `head + tail` bytes; drops from the middle.
#[derive(Debug)]
pub(super) struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_max: usize,
    tail_max: usize,
    dropped: u64,
}

impl Output {
    pub(super) fn new(head_max: usize, tail_max: usize) -> Self {
        Output {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_max,
            tail_max,
            dropped: 0,
        }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        let room = self.head_max - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let skip = rest.len().saturating_sub(self.tail_max);
        let rest_kept = &rest[skip..];
        let over = (self.tail.len() + rest_kept.len()).saturating_sub(self.tail_max);
        self.tail.drain(..over);
        self.tail.extend(rest_kept);
        self.dropped += (skip + over) as u64;
    }

    /// Head, marker and tail, and whether something is missing. The cuts never split a character.
    pub(super) fn finish(self) -> (Vec<u8>, bool) {
        let mut out = self.head;
        let tail = Vec::from(self.tail);
        if self.dropped == 0 {
            out.extend(tail);
            return (out, false);
        }
        let cut = whole_word(&out);
        let start = first_word(&tail);
        let missing = self.dropped + (out.len() - cut) as u64 + start as u64;
        out.truncate(cut);
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        out.extend(format!("[… {missing} bytes of output left out …]\n").as_bytes());
        out.extend(&tail[start..]);
        (out, true)
    }
}

/// The longest word that is left out whole at a cut: the half of a secret is not known again.
const WORD: usize = 700;

/// The length without a word that was begun and perhaps not ended, nor a character.
fn whole_word(bytes: &[u8]) -> usize {
    let blank = bytes
        .iter()
        .rev()
        .take(WORD)
        .position(u8::is_ascii_whitespace);
    blank.map_or_else(|| whole_characters(bytes), |back| bytes.len() - back)
}

/// Where the first word begins that is there from its beginning.
fn first_word(bytes: &[u8]) -> usize {
    let blank = bytes.iter().take(WORD).position(u8::is_ascii_whitespace);
    let inner = || bytes.iter().take(3).take_while(|b| is_inner(**b)).count();
    blank.map_or_else(inner, |at| at + 1)
}

/// A continuation byte of UTF-8.
fn is_inner(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// The length without a character that was begun and not ended.
fn whole_characters(bytes: &[u8]) -> usize {
    let inner = bytes
        .iter()
        .rev()
        .take(3)
        .take_while(|b| is_inner(**b))
        .count();
    let Some(lead) = bytes.len().checked_sub(inner + 1) else {
        return bytes.len();
    };
    let needed = match bytes[lead] {
        0xc0..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf7 => 3,
        _ => return bytes.len(),
    };
    if inner < needed { lead } else { bytes.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn collect(head: usize, tail: usize, parts: &[&[u8]]) -> (String, bool) {
        let mut output = Output::new(head, tail);
        for part in parts {
            output.add(part);
        }
        let (bytes, cut) = output.finish();
        (String::from_utf8(bytes).unwrap(), cut)
    }

    #[test]
    fn short_output_is_whole() {
        assert_eq!(
            collect(4, 4, &[b"abc", b"defgh"]),
            ("abcdefgh".into(), false)
        );
        assert_eq!(collect(0, 0, &[b""]), (String::new(), false));
    }

    #[test]
    fn the_middle_goes_and_is_counted() {
        let (text, cut) = collect(4, 4, &[b"abcd12", b"3456efgh"]);
        assert_eq!(text, "abcd\n[… 6 bytes of output left out …]\nefgh");
        assert!(cut);
        let (text, _) = collect(2, 3, &[b"ab", b"0123456789xyz"]);
        assert_eq!(text, "ab\n[… 10 bytes of output left out …]\nxyz");
    }

    #[test]
    fn characters_are_not_split() {
        let text = "äöü€😀".repeat(50);
        for head in 0..14 {
            for tail in 0..14 {
                let (kept, cut) = collect(head, tail, &[text.as_bytes()]);
                assert!(cut && !kept.contains('\u{fffd}'));
            }
        }
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(data in proptest::collection::vec(any::<u8>(), 0..200),
                                size in 1_usize..50, head in 0_usize..40, tail in 0_usize..40) {
            let mut whole = Output::new(head, tail);
            whole.add(&data);
            let mut pieces = Output::new(head, tail);
            data.chunks(size).for_each(|c| pieces.add(c));
            prop_assert_eq!(whole.finish(), pieces.finish());
        }
    }
}
