//! What a command inside tries to reach (SB-01, SB-02, SB-03, NW-01).

use super::{Start, Work, starts};
use crate::host;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// SB-01: no process inside shows mend's environment or a path of the host.
#[test]
fn sb_01_environment_is_empty_everywhere() {
    for start in starts() {
        let work = Work::new(start);
        let script = "env; for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ; \
                      tr '\\0' '\\n' <$p/cmdline; done; cat /proc/1/cmdline";
        let output = work
            .mend()
            .env("CANARY_VARIABLE", "canary-value")
            .args(["sandbox", "run", "--", "/bin/sh", "-c", script])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("HOME=/tmp/home"), "{text}");
        assert!(
            !text.contains("CANARY") && !text.contains("canary"),
            "{text}"
        );
        let folder = work.path().display().to_string();
        assert!(!text.contains(&folder), "{start:?}: {text}");
    }
}

/// SB-01: descriptors that mend inherited do not go on.
#[test]
fn sb_01_no_descriptor_is_inherited() {
    for start in starts() {
        let work = Work::new(start);
        let mend = work.mend();
        let mut line: Vec<String> = vec![mend.get_program().to_string_lossy().into()];
        line.extend(mend.get_args().map(|a| a.to_string_lossy().into()));
        let script = format!(
            "exec 9</etc/hostname 8>/dev/null; exec {} sandbox run -- /bin/sh -c \
             'for f in /proc/self/fd/*; do readlink $f; done; ls /proc/1/fd'",
            line.join(" ")
        );
        let output = std::process::Command::new("/bin/bash")
            .args(["-c", &script])
            .current_dir(work.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.starts_with("/dev/null\npipe:"), "{text}");
        assert!(!text.contains("hostname"), "{text}");
        let numbers: Vec<&str> = text.lines().filter(|l| l.parse::<u32>().is_ok()).collect();
        assert!(!numbers.contains(&"9") && !numbers.contains(&"8"), "{text}");
    }
}

/// SB-02: nothing of the host but the system is readable.
#[test]
fn sb_02_nothing_outside_is_readable() {
    for start in starts() {
        let work = Work::new(start);
        let canary = work.beside("canary");
        std::fs::write(&canary, "canary-content").unwrap();
        let canary = canary.display();
        let text = work.say(&format!(
            "(cat {canary} /etc/shadow /etc/gshadow /root/.bashrc /etc/mend/config.toml; \
             ls -A /home /srv /opt /mnt /media /var /boot /sys /root/.ssh; \
             find / -xdev -type f -readable \
               -not -path '/etc/*' -not -path '/usr/*' -not -path '/proc/*'; \
             cat /etc/passwd; true) 2>/dev/null"
        ));
        assert!(!text.contains("canary-content"), "{text}");
        assert!(text.contains("mend:x:1000:1000"), "{text}");
        let own: Vec<&str> = text.lines().filter(|l| l.starts_with("root:")).collect();
        assert_eq!(own, ["root:x:0:0:root:/nonexistent:/usr/sbin/nologin"]);
        for line in text.lines().filter(|l| l.starts_with('/')) {
            let fine = ["/repo", "/tmp", "/var", "/run/mend/init"]
                .iter()
                .any(|p| line.starts_with(p));
            assert!(fine, "{start:?}: {line}");
        }
    }
}

/// SB-02: only the work folder, /tmp and /dev/shm are writable.
#[test]
fn sb_02_nothing_outside_is_writable() {
    for start in starts() {
        let work = Work::new(start);
        let text = work.say(
            "for d in / /usr /usr/bin /usr/local/lib /etc /etc/ssl/certs /dev /run /run/mend /var \
               /proc /proc/sys/kernel /root; do \
               if touch $d/x 2>/dev/null; then echo WROTE $d; fi; done; \
             find / -xdev -type d -writable 2>/dev/null | sort; \
             (: >/run/mend/init); (echo h >/proc/sysrq-trigger); \
             touch /repo/x /tmp/x /dev/shm/x && echo fine",
        );
        assert!(text.ends_with("fine\n"), "{text}");
        assert!(!text.contains("WROTE"), "{text}");
        assert!(work.path().join("x").exists());
        let mounts = work.say("cat /proc/self/mounts");
        for line in mounts.lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            let options: Vec<&str> = fields[3].split(',').collect();
            let may_write = ["/repo", "/tmp", "/proc", "/dev/shm", "/dev/pts"];
            let device = fields[1].starts_with("/dev/");
            assert!(
                options.contains(&"ro") || may_write.contains(&fields[1]) || device,
                "{start:?}: {line}"
            );
            assert!(options.contains(&"nosuid"), "{start:?}: {line}");
        }
    }
}

/// SB-03: no privileges, and other namespaces than the host's.
#[test]
fn sb_03_no_privileges_and_own_namespaces() {
    for start in starts() {
        let work = Work::new(start);
        let status = work.say("cat /proc/self/status; id -u; id -G");
        for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000"] {
            assert!(status.contains(line), "{start:?}: {status}");
        }
        assert!(status.contains("CapBnd:\t0000000000000000"), "{status}");
        assert!(status.ends_with("1000\n1000\n"), "{status}");
        for name in ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"] {
            let host = std::fs::read_link(format!("/proc/self/ns/{name}")).unwrap();
            let inside = work.say(&format!("readlink /proc/self/ns/{name}"));
            assert_ne!(inside.trim(), host.display().to_string(), "{name}");
        }
        assert_eq!(work.say("hostname"), "sandbox\n");
    }
}

/// Tries system calls by number; prints `NAME ERRNO`, 0 for one that was let through.
const CALLS: &str = r#"
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == "x86_64"
calls = dict(ptrace=(101, 0), mount=(165, 0), umount2=(166, 0), pivot_root=(155, 0), bpf=(321, 0),
    keyctl=(250, 0), add_key=(248, 0), perf_event_open=(298, 0), userfaultfd=(323, 0),
    open_by_handle_at=(304, 0), setns=(308, 0), unshare_user=(272, 0x10000000),
    unshare_net=(272, 0x40000000), clone_user=(56, 0x10000011), chroot=(161, 0),
    io_uring_setup=(425, 1), clone3=(435, 0), kexec_load=(246, 0), init_module=(175, 0),
    process_vm_readv=(310, 0), move_mount=(429, 0), fsopen=(430, 0), x32_ptrace=(0x40000000 | 521, 0),
    x32_getpid=(0x40000000 | 39, 0))
assert x86, "numbers of x86-64"
for name, (number, argument) in calls.items():
    result = libc.syscall(number, argument, 0, 0, 0, 0)
    print(name, errno.errorcode[ctypes.get_errno()] if result == -1 else "ALLOWED")
import fcntl, os, termios
leader, follower = os.openpty()
try:
    fcntl.ioctl(follower, 0x5412, b"x")
    print("tiocsti ALLOWED")
except OSError as e:
    print("tiocsti", errno.errorcode[e.errno])
"#;

/// SB-03: the calls that opened kernels before are refused, those with an older way are unknown.
#[test]
#[cfg(target_arch = "x86_64")]
fn sb_03_dangerous_calls_are_refused() {
    for start in starts() {
        let text = Work::new(start).python(CALLS);
        let mut seen = 0;
        for line in text.lines() {
            let (name, answer) = line.split_once(' ').unwrap();
            let unknown = ["io_uring_setup", "clone3", "x32_ptrace", "x32_getpid"];
            let expected = if unknown.contains(&name) {
                "ENOSYS"
            } else {
                "EPERM"
            };
            assert_eq!(answer, expected, "{start:?}: {name}");
            seen += 1;
        }
        assert_eq!(seen, 25);
        let output =
            Work::new(start).sh("unshare -Ur id 2>&1; unshare -n true 2>&1; mount -t tmpfs x /tmp");
        assert!(!output.status.success());
        assert!(!String::from_utf8_lossy(&output.stdout).contains("uid=0"));
    }
}

const FAMILIES: &str = r#"
import errno, socket
def attempt(name, *what):
    try:
        socket.socket(*what).close()
        print(name, "open")
    except OSError as e:
        print(name, errno.errorcode[e.errno])
attempt("inet", socket.AF_INET, socket.SOCK_STREAM)
attempt("inet6", socket.AF_INET6, socket.SOCK_DGRAM)
attempt("unix", socket.AF_UNIX, socket.SOCK_STREAM)
attempt("route", socket.AF_NETLINK, socket.SOCK_RAW, 0)
attempt("audit", socket.AF_NETLINK, socket.SOCK_RAW, 9)
attempt("vsock", 40, socket.SOCK_STREAM)
attempt("packet", socket.AF_PACKET, socket.SOCK_RAW)
attempt("alg", 38, socket.SOCK_SEQPACKET)
attempt("raw", socket.AF_INET, socket.SOCK_RAW, 1)
"#;

/// NW-01: only families that a network namespace holds.
#[test]
fn nw_01_other_socket_families_are_refused() {
    let vsock = host_opens_vsock();
    for start in starts() {
        let text = Work::new(start).python(FAMILIES);
        let answers: Vec<&str> = text.lines().collect();
        assert_eq!(
            answers,
            [
                "inet open",
                "inet6 open",
                "unix open",
                "route open",
                "audit EAFNOSUPPORT",
                "vsock EAFNOSUPPORT",
                "packet EAFNOSUPPORT",
                "alg EAFNOSUPPORT",
                "raw EPERM"
            ]
        );
    }
    // Without it, the refusal inside would prove nothing.
    host::has("vsock", vsock);
}

fn host_opens_vsock() -> bool {
    let script = "import socket; socket.socket(40, socket.SOCK_STREAM)";
    let status = std::process::Command::new("/usr/bin/python3")
        .args(["-c", script])
        .output();
    status.is_ok_and(|o| o.status.success())
}

/// NW-01: the host's sockets, addresses of the network and of clouds are out of reach; loopback
/// inside works.
#[test]
fn nw_01_no_network_but_a_loopback_of_its_own() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    let name = format!("mend-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _abstract = UnixListener::bind_addr(&address).unwrap();
    for start in starts() {
        let work = Work::new(start);
        let path = work.beside("socket");
        let _path = UnixListener::bind(&path).unwrap();
        let text = work.python(&format!(
            r#"
import errno, os, socket, threading
def attempt(name, family, kind, address):
    s = socket.socket(family, kind)
    s.settimeout(5)
    try:
        s.connect(address)
        if kind == socket.SOCK_DGRAM: s.send(b"x")
        print(name, "REACHED")
    except OSError as e:
        print(name, errno.errorcode.get(e.errno, e))
I, S, D = socket.AF_INET, socket.SOCK_STREAM, socket.SOCK_DGRAM
attempt("loopback", I, S, ("127.0.0.1", {port}))
attempt("metadata", I, S, ("169.254.169.254", 80))
attempt("public", I, S, ("192.0.2.1", 443))
attempt("dns", I, D, ("192.0.2.53", 53))
attempt("six", socket.AF_INET6, S, ("2001:db8::1", 443))
attempt("path", socket.AF_UNIX, S, "{}")
attempt("abstract", socket.AF_UNIX, S, "\0{name}")
try:
    socket.getaddrinfo("example.org", 80); print("name REACHED")
except OSError as e:
    print("name unknown")
for family, host in (I, "127.0.0.1"), (socket.AF_INET6, "::1"), (I, "localhost"):
    server = socket.create_server((host, 0), family=family)
    def answer(): c, _ = server.accept(); c.send(b"hello"); c.close()
    threading.Thread(target=answer).start()
    print(host, socket.create_connection(server.getsockname()[:2], 5).recv(9).decode())
"#,
            path.display()
        ));
        let answers: Vec<&str> = text.lines().collect();
        assert_eq!(
            answers,
            [
                "loopback ECONNREFUSED",
                "metadata ENETUNREACH",
                "public ENETUNREACH",
                "dns ENETUNREACH",
                "six ENETUNREACH",
                "path ENOENT",
                "abstract ECONNREFUSED",
                "name unknown",
                "127.0.0.1 hello",
                "::1 hello",
                "localhost hello"
            ],
            "{start:?}"
        );
    }
}

/// A tree that only root could write is writable inside, and belongs to its owner afterwards.
#[test]
fn the_work_folder_is_given_and_given_back() {
    for start in starts() {
        let work = Work::new(start);
        std::fs::create_dir(work.path().join("deep")).unwrap();
        work.own(&work.path().join("deep"));
        work.file("deep/old", "old");
        let outside = work.beside("outside");
        std::fs::write(&outside, "outside").unwrap();
        std::os::unix::fs::symlink(&outside, work.path().join("link")).unwrap();
        work.say("echo more >>deep/old && mkdir new && echo x >new/file && rm link && ln -s /etc/passwd l");
        let text = std::fs::read_to_string(work.path().join("deep/old")).unwrap();
        assert_eq!(text, "oldmore\n");
        let owner = |name: &str| {
            use std::os::unix::fs::MetadataExt;
            std::fs::symlink_metadata(work.path().join(name))
                .unwrap()
                .uid()
        };
        let expected = owner("deep");
        for name in ["", "deep/old", "new", "new/file", "l"] {
            assert_eq!(owner(name), expected, "{start:?}: {name}");
        }
        if start == Start::Root {
            assert_eq!(expected, 0);
        }
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "outside");
    }
}
