//! A second lock on the file system, where the kernel has one (Landlock, Linux 5.13 and later).
//! The mounts already say what can be read and written; this holds even if one of them is wrong.

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

/// Reading and executing everywhere, writing beneath `writable` only; no signals and abstract
/// sockets to the outside. Returns the ABI that holds, 0 where there is none.
pub(super) fn apply(writable: &[String]) -> i32 {
    restrict(writable).unwrap_or(0)
}

fn restrict(writable: &[String]) -> Result<i32, RulesetError> {
    let abi = ABI::V6;
    let all = AccessFs::from_all(abi);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(abi))?
        .create()?;
    let read = AccessFs::from_read(abi);
    let places = std::iter::once(("/", read)).chain(writable.iter().map(|w| (w.as_str(), all)));
    for (path, access) in places {
        // A place that is not there cannot be written either.
        if let Ok(fd) = PathFd::new(path) {
            let is_file = std::fs::metadata(path).is_ok_and(|m| m.is_file());
            let access: BitFlags<AccessFs> = match is_file {
                true => access & AccessFs::from_file(abi),
                false => access,
            };
            rules = rules.add_rule(PathBeneath::new(fd, access))?;
        }
    }
    let status = rules.restrict_self()?;
    Ok(match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => 0,
        (_, LandlockStatus::Available { effective_abi, .. }) => effective_abi as i32,
        _ => 0,
    })
}
