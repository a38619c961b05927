//! The database: there, writable, of a schema that this mend knows.

use super::Doctor;
use crate::onboard::report::Finding;
use crate::store::{Standing, Store, StoreError};
use secrecy::ExposeSecret;

const NAME: &str = "database";

pub(super) async fn look(doctor: &Doctor) -> Vec<Finding> {
    let url = doctor.settings.parts.engine.database.url.expose_secret();
    let found = match Store::look(url).await {
        Ok(Standing::Absent(file)) => {
            let folder = file.parent().unwrap_or(&file);
            match folder.is_dir() {
                true => Finding::ok(
                    NAME,
                    format!("{} is made at the first start", file.display()),
                ),
                false => Finding::ok(
                    NAME,
                    format!(
                        "{} and its folder are made at the first start",
                        file.display()
                    ),
                ),
            }
        }
        Ok(Standing::Schema { found, known }) if found == known => Finding::ok(
            NAME,
            format!("it answers and is writable, at schema {found}"),
        ),
        Ok(Standing::Schema { found, known }) => Finding::warning(
            NAME,
            format!("it is at schema {found}; the next start brings it to {known}"),
            "make a backup first",
        ),
        Err(error) => Finding::failed(NAME, error.to_string(), remedy(&error, url)),
    };
    vec![found]
}

fn remedy(error: &StoreError, url: &str) -> &'static str {
    let sqlite = url.starts_with("sqlite:");
    match error {
        StoreError::Busy(_) if sqlite => {
            "another program holds its lock: end what has the file open beside mend (a backup, a shell of sqlite3)"
        }
        StoreError::Busy(_) => {
            "check that the server of `database.url` runs, is reached from here, and takes user and password"
        }
        StoreError::Full(_) => {
            "give the disk room, and the file and its folder to the user that mend runs as"
        }
        StoreError::Url(_) => "correct `database.url`",
        StoreError::Newer { .. } => "start the newer mend",
        _ if sqlite => "restore the file from a backup, or move it away and start anew",
        _ => "see the message; `database.url` names the database",
    }
}
