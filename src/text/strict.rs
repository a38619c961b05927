//! JSON that says each thing once: a key given twice has no one meaning, so it is an error.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// A value in which no object has a key twice.
struct Strict(Value);

/// Reads any value; a key that is given twice in it is an error.
///
/// # Errors
/// What is wrong with the text.
pub fn strict_json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|read| read.0)
}

/// The part of a model's answer from its first brace to its last.
pub fn json_object(text: &str) -> Option<&str> {
    let from = text.find('{')?;
    let to = text.rfind('}').filter(|to| *to > from)?;
    Some(&text[from..=to])
}

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader).map(Strict)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_f64<E>(self, v: f64) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(value)) = seq.next_element()? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some((key, Strict(value))) = map.next_entry::<String, Strict>()? {
            if fields.contains_key(&key) {
                let shown = crate::text::clip_words(&key, 40);
                return Err(A::Error::custom(format!(
                    "the key `{shown}` is given twice"
                )));
            }
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}
