//! System calls that no build and no test needs and that have opened kernels before.
//!
//! A list of what is denied: a list of what is allowed would break honest programs with each new
//! libc. What the list forgets is still held by the namespaces, the missing capabilities and
//! Landlock. A program of another architecture (32-bit on a 64-bit kernel) is killed at its first
//! call, because numbers mean other things there.

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::sync::OnceLock;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Refused with EPERM.
const DENIED: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Kernel machinery.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Mounts, roots and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    // The machine.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    libc::SYS_lookup_dcookie,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS__sysctl,
];

/// Refused as if the kernel did not know them, so that programs take their older way: the flags of
/// `clone3` are behind a pointer, where a filter cannot look.
const UNKNOWN: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

const NAMESPACES: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// The filters as the kernel takes them (`struct sock_filter`), built once.
pub(super) fn filters() -> Result<&'static [Vec<u8>], String> {
    static FILTERS: OnceLock<Result<Vec<Vec<u8>>, String>> = OnceLock::new();
    let built = FILTERS.get_or_init(|| {
        let programs = programs().map_err(|e| format!("build the seccomp filter: {e}"))?;
        Ok(programs.iter().map(|p| bytes(p)).collect())
    });
    built.as_deref().map_err(Clone::clone)
}

fn bytes(program: &[seccompiler::sock_filter]) -> Vec<u8> {
    let word = |w: &seccompiler::sock_filter| {
        let [a, b] = w.code.to_ne_bytes();
        let [c, d, e, f] = w.k.to_ne_bytes();
        [a, b, w.jt, w.jf, c, d, e, f]
    };
    program.iter().flat_map(word).collect()
}

fn programs() -> Result<Vec<BpfProgram>, seccompiler::Error> {
    let mut programs = vec![
        compile(denied()?, libc::EPERM)?,
        compile(
            UNKNOWN.iter().map(|n| (*n, Vec::new())).collect(),
            libc::ENOSYS,
        )?,
        compile(families()?, libc::EAFNOSUPPORT)?,
    ];
    if cfg!(target_arch = "x86_64") {
        programs.push(no_x32());
    }
    Ok(programs)
}

fn compile(rules: Rules, errno: i32) -> Result<BpfProgram, seccompiler::Error> {
    let arch = if cfg!(target_arch = "aarch64") {
        TargetArch::aarch64
    } else {
        TargetArch::x86_64
    };
    let deny = SeccompAction::Errno(errno as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, deny, arch)?;
    Ok(filter.try_into()?)
}

fn denied() -> Result<Rules, seccompiler::Error> {
    let mut rules: Rules = DENIED.iter().map(|n| (*n, Vec::new())).collect();
    let mut namespaces = Vec::new();
    for bit in (0..32).map(|b| 1_u64 << b) {
        if NAMESPACES as u32 as u64 & bit != 0 {
            namespaces.push(rule(&[(0, SeccompCmpOp::MaskedEq(bit), bit)])?);
        }
    }
    rules.insert(libc::SYS_clone, namespaces.clone());
    // For unshare this bit is a namespace too; for clone it belongs to the exit signal.
    let time = libc::CLONE_NEWTIME as u64;
    namespaces.push(rule(&[(0, SeccompCmpOp::MaskedEq(time), time)])?);
    rules.insert(libc::SYS_unshare, namespaces);
    // Typing into the terminal of whoever started mend (CVE-2017-5226, CVE-2023-1523).
    rules.insert(
        libc::SYS_ioctl,
        vec![
            rule(&[(1, SeccompCmpOp::Eq, libc::TIOCSTI)])?,
            rule(&[(1, SeccompCmpOp::Eq, libc::TIOCLINUX)])?,
        ],
    );
    Ok(rules)
}

/// Only local, IP and routing sockets. AF_VSOCK, for one, is not held by a network namespace.
fn families() -> Result<Rules, seccompiler::Error> {
    let other: Vec<_> = [
        libc::AF_UNIX,
        libc::AF_INET,
        libc::AF_INET6,
        libc::AF_NETLINK,
    ]
    .iter()
    .map(|family| (0, SeccompCmpOp::Ne, *family as u64))
    .collect();
    let netlink = [
        (0, SeccompCmpOp::Eq, libc::AF_NETLINK as u64),
        (2, SeccompCmpOp::Ne, libc::NETLINK_ROUTE as u64),
    ];
    Ok(BTreeMap::from([
        (libc::SYS_socket, vec![rule(&other)?, rule(&netlink)?]),
        (
            libc::SYS_socketpair,
            vec![rule(&[(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)])?],
        ),
    ]))
}

fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::Error> {
    let mut all = Vec::new();
    for (argument, operator, value) in conditions {
        let length = SeccompCmpArgLen::Dword;
        let operator = operator.clone();
        all.push(SeccompCondition::new(*argument, length, operator, *value)?);
    }
    Ok(SeccompRule::new(all)?)
}

/// The x32 calls of x86-64 have the same architecture and other numbers (syscall(2)): all unknown.
fn no_x32() -> BpfProgram {
    const X32_BIT: u32 = 0x4000_0000;
    let word = |code: u32, jt, jf, k| seccompiler::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    vec![
        // struct seccomp_data begins with the number.
        word(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        word(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32_BIT),
        word(
            libc::BPF_RET | libc::BPF_K,
            0,
            0,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
        ),
        word(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_compile_and_fit_the_kernels_bound() {
        let programs = programs().unwrap();
        // BPF_MAXINSNS in linux/bpf_common.h.
        assert!(programs.iter().all(|p| p.len() < 4096));
    }
}
