//! The sweep: whether a secret got somewhere, in whatever form.
//!
//! What is looked for is the middle of a secret, so that up to [`CUT`] characters may be missing at
//! either end; raw, reversed, in hex, URL-encoded, in base64 at each of its three alignments, and all
//! of that inside gzip and zlib streams, git objects and files of any depth.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memmem;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

/// Characters that may be missing at either end.
pub const CUT: usize = 8;
/// A shorter middle could be there by chance.
const LEAST: usize = 12;
/// A longer middle would miss what leaks only in part.
const MOST: usize = 48;
/// Bytes that one compressed stream may open to.
const INFLATED: u64 = 32 << 20;

struct Needle {
    name: String,
    form: &'static str,
    finder: memmem::Finder<'static>,
}

/// What to look for, and what was found.
#[derive(Default)]
pub struct Sweep {
    needles: Vec<Needle>,
    /// Name, form and place.
    pub found: BTreeSet<(String, &'static str, String)>,
    /// How many places were looked at.
    pub places: usize,
    pub bytes: usize,
}

fn url_encoded(text: &str, all: bool, upper: bool) -> String {
    let plain = |b: u8| !all && (b.is_ascii_alphanumeric() || b"-_.~".contains(&b));
    let encoded = |b: u8| match upper {
        true => format!("%{b:02X}"),
        false => format!("%{b:02x}"),
    };
    text.bytes()
        .map(|b| match plain(b) {
            true => char::from(b).to_string(),
            false => encoded(b),
        })
        .collect()
}

/// The characters of base64 that only these bytes decide, when `before` bytes come first.
fn inner_base64(engine: &impl Engine, text: &str, before: usize) -> String {
    let bytes = [&vec![0; before], text.as_bytes()].concat();
    let encoded = engine.encode(&bytes);
    let start = (before * 8).div_ceil(6);
    encoded[start..bytes.len() * 8 / 6].to_string()
}

/// Every form of a text that is looked for.
fn forms(core: &str) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("raw", core.to_string()),
        ("reversed", core.chars().rev().collect()),
        ("hex", hex::encode(core)),
        ("hex", hex::encode_upper(core)),
    ];
    for (every, upper) in [(false, true), (false, false), (true, true), (true, false)] {
        all.push(("URL-encoded", url_encoded(core, every, upper)));
    }
    for before in 0..3 {
        all.push(("base64", inner_base64(&STANDARD_NO_PAD, core, before)));
        all.push(("base64", inner_base64(&URL_SAFE_NO_PAD, core, before)));
    }
    let mut seen = BTreeSet::new();
    all.retain(|(_, text)| seen.insert(text.clone()));
    all
}

impl Sweep {
    /// Adds a secret; one of several lines counts line by line, apart from the lines of a frame.
    pub fn know(&mut self, name: &str, secret: &str) {
        let before = self.needles.len();
        for line in secret.lines().filter(|l| !l.starts_with("-----")) {
            if line.len() < 2 * CUT + LEAST {
                continue;
            }
            let inner = &line[CUT..line.len() - CUT];
            let spare = inner.len().saturating_sub(MOST) / 2;
            let core = &inner[spare..inner.len() - spare];
            for (form, text) in forms(core) {
                self.needles.push(Needle {
                    name: name.to_string(),
                    form,
                    finder: memmem::Finder::new(text.as_bytes()).into_owned(),
                });
            }
        }
        assert!(
            self.needles.len() > before,
            "{name} is too short to be told from chance"
        );
    }

    /// Looks at some bytes, and into the streams that they hold.
    pub fn look(&mut self, place: &str, bytes: &[u8]) {
        self.places += 1;
        self.bytes += bytes.len();
        self.look_into(place, bytes, 0);
    }

    fn look_into(&mut self, place: &str, bytes: &[u8], depth: usize) {
        for needle in &self.needles {
            if needle.finder.find(bytes).is_some() {
                let found = (needle.name.clone(), needle.form, place.to_string());
                self.found.insert(found);
            }
        }
        if depth == 2 {
            return;
        }
        for at in memmem::find_iter(bytes, b"\x1f\x8b\x08") {
            let stream = flate2::read::MultiGzDecoder::new(&bytes[at..]);
            self.inflated(&format!("{place} (gzip at {at})"), stream, depth);
        }
        if bytes.first() == Some(&0x78) {
            let stream = flate2::read::ZlibDecoder::new(bytes);
            self.inflated(&format!("{place} (zlib)"), stream, depth);
        }
    }

    fn inflated(&mut self, place: &str, stream: impl Read, depth: usize) {
        let mut inner = Vec::new();
        // What comes before a broken end counts too.
        let _ = stream.take(INFLATED).read_to_end(&mut inner);
        if !inner.is_empty() {
            self.look_into(place, &inner, depth + 1);
        }
    }

    /// Every file beneath a folder with its name, and where links lead; no link is followed.
    pub fn folder(&mut self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path();
            let place = path.display().to_string();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            self.look(
                &format!("name of {place}"),
                entry.file_name().as_encoded_bytes(),
            );
            if kind.is_dir() {
                self.folder(&path);
                if path.join("objects").is_dir() && path.join("HEAD").is_file() {
                    self.objects(&path);
                }
            } else if kind.is_file() {
                self.look(&place, &std::fs::read(&path).unwrap_or_default());
            } else if let Ok(target) = std::fs::read_link(&path) {
                self.look(&place, target.as_os_str().as_encoded_bytes());
            }
        }
    }

    /// Every object of a git directory, packed ones as well.
    pub fn objects(&mut self, git: &Path) {
        let Ok(repo) = git2::Repository::open_bare(git) else {
            return;
        };
        let odb = repo.odb().unwrap();
        let mut ids = Vec::new();
        let _ = odb.foreach(|id| {
            ids.push(*id);
            true
        });
        for id in ids {
            if let Ok(object) = odb.read(id) {
                self.look(&format!("object {id} of {}", git.display()), object.data());
            }
        }
    }

    pub fn assert_clean(&self) {
        assert!(self.places > 0, "nothing was looked at");
        assert!(self.found.is_empty(), "secrets got out: {:#?}", self.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const SECRET: &str = "c4nary+of/the=model~key:0123456789abcdefghij?ABCDEFGHIJ";

    fn sweep() -> Sweep {
        let mut sweep = Sweep::default();
        sweep.know("canary", SECRET);
        sweep
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// The secret in each form, as a program would write it.
    fn planted(text: &str) -> Vec<(&'static str, Vec<u8>)> {
        let shifted = |n: usize| URL_SAFE_NO_PAD.encode(format!("{}{text}!!", &"xyz"[..n]));
        vec![
            ("raw", text.into()),
            ("reversed", text.chars().rev().collect::<String>().into()),
            ("hex", hex::encode(text).into()),
            ("hex", hex::encode_upper(format!(".{text}.")).into()),
            ("URL-encoded", url_encoded(text, false, true).into()),
            ("URL-encoded", url_encoded(text, true, false).into()),
            ("base64", STANDARD_NO_PAD.encode(text).into()),
            ("base64", shifted(0).into()),
            ("base64", shifted(1).into()),
            ("base64", shifted(2).into()),
        ]
    }

    #[test]
    fn the_sweep_finds_what_is_planted_in_each_form_cut_and_packed() {
        let cut = &SECRET[CUT..];
        let both = &SECRET[CUT..SECRET.len() - CUT];
        for text in [SECRET, cut, &SECRET[..SECRET.len() - CUT], both] {
            for (form, bytes) in planted(text) {
                let noise = [b"before \x00\x1f\x8b".as_slice(), &bytes, b" after"].concat();
                let packed = gzip(&noise);
                let twice = gzip(&[b"x".as_slice(), &packed].concat());
                for (how, bytes) in [("plain", noise), ("packed", packed), ("twice", twice)] {
                    let mut sweep = sweep();
                    sweep.look("here", &bytes);
                    let forms: Vec<_> = sweep.found.iter().map(|f| f.1).collect();
                    assert!(forms.contains(&form), "{form}, {how}, {text}: {forms:?}");
                }
            }
        }
    }

    #[test]
    fn the_sweep_finds_what_lies_in_files_names_links_objects_and_databases() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("deep/er")).unwrap();
        std::fs::write(at("deep/er/file"), hex::encode(SECRET)).unwrap();
        std::fs::write(at(&hex::encode(SECRET)), "").unwrap();
        let link = SECRET.replace('/', "_");
        std::os::unix::fs::symlink(format!("/nowhere/{link}"), at("link")).unwrap();
        let repo = git2::Repository::init_bare(at("bare")).unwrap();
        repo.blob(SECRET.as_bytes()).unwrap();
        let mut sweep = sweep();
        sweep.know("link", &link);
        sweep.folder(folder.path());
        let places: Vec<_> = sweep.found.iter().map(|f| f.2.as_str()).collect();
        for wanted in ["deep/er/file", "name of", "/link", "object"] {
            assert!(
                places.iter().any(|p| p.contains(wanted)),
                "{wanted}: {places:#?}"
            );
        }
    }

    #[test]
    fn the_sweep_finds_nothing_where_nothing_is() {
        let mut sweep = sweep();
        let other = SECRET.replace("0123456789", "9876543210");
        for (_, bytes) in planted(&other) {
            sweep.look("here", &bytes);
        }
        sweep.look("here", &SECRET.as_bytes()[..LEAST]);
        sweep.assert_clean();
    }
}
