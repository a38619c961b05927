//! Says why a host cannot confine a process, and which knob changes that.

use std::path::Path;

/// A reason and a fix.
pub(super) type Why = (String, String);

/// The oldest bubblewrap with `--disable-userns` and `--size` (its NEWS, 0.8.0).
pub(super) const OLDEST: (u32, u32, u32) = (0, 8, 0);

/// What the host's files say about user namespaces.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Knobs {
    /// `kernel.unprivileged_userns_clone` of Debian's kernels is 0.
    pub clone_off: bool,
    /// `user.max_user_namespaces` is 0.
    pub none_allowed: bool,
    /// `kernel.apparmor_restrict_unprivileged_userns` of Ubuntu is 1.
    pub apparmor: bool,
    /// mend runs in a container.
    pub container: bool,
}

impl Knobs {
    pub(super) fn read() -> Knobs {
        let is = |path: &str, value: &str| {
            std::fs::read_to_string(path).is_ok_and(|text| text.trim() == value)
        };
        Knobs {
            clone_off: is("/proc/sys/kernel/unprivileged_userns_clone", "0"),
            none_allowed: is("/proc/sys/user/max_user_namespaces", "0"),
            apparmor: is(
                "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
                "1",
            ),
            container: ["/.dockerenv", "/run/.containerenv"]
                .iter()
                .any(|p| Path::new(p).exists()),
        }
    }
}

/// Explains what bubblewrap printed (`said`) before the command could start.
pub(super) fn explain(said: &str, knobs: &Knobs) -> Why {
    let said = crate::text::one_line(&crate::text::visible(said));
    let said = crate::text::clip_words(&said, 300);
    let has = |words: &[&str]| words.iter().any(|w| said.contains(w));
    let why = |reason: &str, fix: &str| {
        let said = if said.is_empty() {
            "it said nothing"
        } else {
            &said
        };
        (format!("{reason} ({said})"), fix.to_string())
    };
    if has(&["Unknown option"]) {
        return why(
            "bubblewrap is too old",
            "install bubblewrap 0.8.0 or later (Debian 12, Ubuntu 24.04, Fedora have it)",
        );
    }
    if has(&["proc on /newroot", "mount proc"]) {
        return why(
            "the container around mend hides parts of /proc",
            "start the container with --security-opt systempaths=unconfined",
        );
    }
    if !has(&[
        "namespace",
        "uid map",
        "gid map",
        "setgroups",
        "loopback",
        "clone",
    ]) {
        return why("bubblewrap failed", "see what it said");
    }
    let reason = "user namespaces do not work";
    if knobs.none_allowed || has(&["max_*_namespaces", "ENOSPC"]) {
        why(reason, "sysctl -w user.max_user_namespaces=15000")
    } else if knobs.clone_off {
        why(reason, "sysctl -w kernel.unprivileged_userns_clone=1")
    } else if knobs.apparmor {
        why(
            reason,
            "give bubblewrap an AppArmor profile with `userns,` (Ubuntu: file \
             /etc/apparmor.d/bwrap, then apparmor_parser -r), or sysctl -w \
             kernel.apparmor_restrict_unprivileged_userns=0",
        )
    } else if knobs.container {
        why(
            reason,
            "the container's seccomp profile forbids them: start it with --security-opt \
             seccomp=unconfined --security-opt systempaths=unconfined, or run mend beside it",
        )
    } else {
        why(
            reason,
            "allow them: sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, an \
             AppArmor profile with `userns,`, or the container's seccomp profile",
        )
    }
}

/// Explains why init refused, after bubblewrap had done its part.
pub(super) fn no_seccomp(what: &str) -> Why {
    (
        format!("seccomp filters cannot be loaded: {what}"),
        "use a kernel with CONFIG_SECCOMP_FILTER, on x86-64 or aarch64, and a container whose \
         own profile allows seccomp(2)"
            .into(),
    )
}

/// Explains why root could not make its stage.
pub(super) fn no_mount_namespace(what: &str) -> Why {
    (
        format!("mend is root without the right to make a mount namespace: {what}"),
        "start mend as an unprivileged user; in a container also with --security-opt \
         seccomp=unconfined --security-opt systempaths=unconfined"
            .into(),
    )
}

/// Reads `bubblewrap 0.8.0`.
pub(super) fn version(text: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = text.split_whitespace().last()?.split('.');
    let mut next = || numbers.next().map_or(Some(0), |n| n.parse().ok());
    Some((next()?, next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_gets_its_knob() {
        let none = Knobs::default();
        let denied = "bwrap: No permissions to create new namespace, likely because the kernel …";
        let cases = [
            (
                "bwrap: Unknown option --disable-userns",
                none.clone(),
                "0.8.0",
            ),
            (
                "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
                none.clone(),
                "systempaths",
            ),
            (
                "bwrap: Creating new namespace failed: nesting depth or \
                 /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
                none.clone(),
                "user.max_user_namespaces",
            ),
            (
                denied,
                Knobs {
                    clone_off: true,
                    ..none.clone()
                },
                "kernel.unprivileged_userns_clone=1",
            ),
            (
                "bwrap: setting up uid map: Permission denied",
                Knobs {
                    apparmor: true,
                    ..none.clone()
                },
                "AppArmor profile",
            ),
            (
                denied,
                Knobs {
                    container: true,
                    ..none.clone()
                },
                "seccomp=unconfined",
            ),
            (denied, none.clone(), "user.max_user_namespaces"),
            ("bwrap: Can't find source path /x", none, "see what it said"),
        ];
        for (said, knobs, fix) in cases {
            let (reason, found) = explain(said, &knobs);
            assert!(found.contains(fix), "{said}: {found}");
            assert!(reason.contains("bwrap: "), "{reason}");
        }
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("bubblewrap 0.11.0\n"), Some((0, 11, 0)));
        assert_eq!(version("bubblewrap 1.2"), Some((1, 2, 0)));
        assert_eq!(version("no such"), None);
        assert!(version("bubblewrap 0.4.1") < Some(OLDEST));
        assert!(version("bubblewrap 0.10.0") > Some(OLDEST));
    }
}
