//! A second lock on the file system, where the kernel has one (Landlock, Linux 5.13 and later).
//! The mounts already say what can be read and written; this holds even if one of them is wrong.
//! What is to be locked is worked out here; init locks.

use landlock::{ABI, Access, AccessFs, BitFlags, Scope};

/// For each version from the first: the accesses to files and the scopes that it knows, and the
/// size of its `struct landlock_ruleset_attr` (include/uapi/linux/landlock.h).
pub(super) fn versions() -> Vec<(u64, u64, u32)> {
    [
        (ABI::V1, 8),
        (ABI::V2, 8),
        (ABI::V3, 8),
        (ABI::V4, 16),
        (ABI::V5, 16),
        (ABI::V6, 24),
    ]
    .map(|(abi, size)| {
        let scopes: BitFlags<Scope> = Scope::from_all(abi);
        (AccessFs::from_all(abi).bits(), scopes.bits(), size)
    })
    .to_vec()
}

/// Reading and executing everywhere, writing beneath `writable` only; each place with what is
/// allowed beneath a folder and to a file.
pub(super) fn places(writable: impl Iterator<Item = String>) -> Vec<(String, u64, u64)> {
    let abi = ABI::V6;
    let of_file = AccessFs::from_file(abi);
    let place =
        |path: String, access: BitFlags<AccessFs>| (path, access.bits(), (access & of_file).bits());
    let mut all = vec![place("/".into(), AccessFs::from_read(abi))];
    all.extend(writable.map(|path| place(path, AccessFs::from_all(abi))));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of include/uapi/linux/landlock.h.
    #[test]
    fn each_version_holds_what_the_one_before_held_and_its_own() {
        let files: Vec<u64> = versions().iter().map(|v| v.0).collect();
        assert_eq!(files, [0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff, 0xffff]);
        let scopes: Vec<u64> = versions().iter().map(|v| v.1).collect();
        assert_eq!(scopes, [0, 0, 0, 0, 0, 3]);
        // Execute, read a file, list a folder; the last is nothing that a file can have.
        let places = places(["/repo".to_string()].into_iter());
        assert_eq!(places[0], ("/".into(), 0b1101, 0b0101));
        assert_eq!(places[1].1, 0xffff);
    }
}
