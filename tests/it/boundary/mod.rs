//! What passes between strangers, the model and people: text in, text out, secrets, the gate; and a
//! model that obeys every injection.

mod gate;
mod kept;
mod markdown;
mod obey;
mod out;
mod read;
mod redact;
