/** C against the host: what a program tries to reach, and must find closed. Each says `closed` when it was. */
import { programsIn, type SuiteProgram } from './program.ts'

const { passes } = programsIn('c')
const head = `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <dirent.h>
#define CLOSED(call) do { errno = 0; if ((long)(call) != -1) { printf("open: %s\\n", #call); return 0; } } while (0)
#define SAY puts("closed"); return 0;
`
const attempt = (name: string, body: string, more: Partial<SuiteProgram> = {}): SuiteProgram =>
  passes(name, `${head}\nint main(void) {\n${body}\nSAY\n}\n`, { expected: 'closed\n', ...more })

export const cSystemPrograms: SuiteProgram[] = [
  attempt(
    'ptrace',
    'CLOSED(ptrace(PTRACE_TRACEME, 0, 0, 0)); CLOSED(ptrace(PTRACE_ATTACH, 1, 0, 0)); CLOSED(syscall(SYS_process_vm_readv, 1, 0, 0, 0, 0, 0));',
  ),
  attempt(
    'mount',
    'CLOSED(mount("none", "/box", "tmpfs", 0, 0)); CLOSED(umount("/usr")); CLOSED(syscall(SYS_open_tree, -100, "/", 1)); CLOSED(syscall(SYS_fsopen, "tmpfs", 0)); CLOSED(syscall(SYS_pivot_root, "/box", "/box"));',
  ),
  attempt(
    'new namespaces',
    'CLOSED(unshare(CLONE_NEWUSER)); CLOSED(unshare(CLONE_NEWNS)); CLOSED(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)); CLOSED(syscall(SYS_clone3, 0, 0)); int f = open("/proc/self/ns/net", O_RDONLY); CLOSED(setns(f, 0));',
  ),
  attempt(
    'keyctl',
    'CLOSED(syscall(SYS_keyctl, 0, -3, 1)); CLOSED(syscall(SYS_add_key, "user", "a", "b", 1, -2)); CLOSED(syscall(SYS_request_key, "user", "a", 0, 0));',
  ),
  attempt(
    'io_uring',
    'char p[256] = {0}; CLOSED(syscall(SYS_io_uring_setup, 8, p)); CLOSED(syscall(SYS_io_uring_enter, 0, 0, 0, 0, 0, 0));',
  ),
  attempt(
    'bpf and perf',
    'CLOSED(syscall(SYS_bpf, 0, 0, 0)); CLOSED(syscall(SYS_perf_event_open, 0, 0, -1, -1, 0)); CLOSED(syscall(SYS_userfaultfd, 0));',
  ),
  attempt(
    'chroot, reboot, clocks, names, modules',
    'CLOSED(chroot("/box")); CLOSED(syscall(SYS_reboot, 0, 0, 0, 0)); CLOSED(syscall(SYS_clock_settime, 0, 0)); CLOSED(sethostname("x", 1)); CLOSED(syscall(SYS_init_module, 0, 0, 0)); CLOSED(syscall(SYS_kexec_load, 0, 0, 0, 0)); CLOSED(syscall(SYS_swapon, "/box/x", 0)); CLOSED(syscall(SYS_syslog, 2, 0, 0));',
  ),
  attempt(
    'calls newer than the filter',
    'for (long n = 457; n < 600; n++) { CLOSED(syscall(n, 0, 0, 0, 0, 0, 0)); if (errno != ENOSYS) { printf("%ld: %d\\n", n, errno); return 0; } }',
  ),
  attempt(
    'becoming another user',
    'CLOSED(setuid(0)); CLOSED(setgid(0)); CLOSED(setresuid(0, 0, 0)); CLOSED(chown("/box", 0, 0)); if (getuid() == 0 || geteuid() == 0) return 1;',
  ),
  attempt(
    'running a program with set-uid',
    'pid_t p = fork(); if (p == 0) { int n = open("/dev/null", O_RDWR); dup2(n, 1); dup2(n, 2); execl("/bin/su", "su", "-c", "true", (char *)0); execl("/usr/bin/su", "su", (char *)0); _exit(9); } int s; waitpid(p, &s, 0); if (s == 0) { puts("open: su"); return 0; }',
  ),
  attempt(
    'real-time priority',
    'struct sched_param p = { .sched_priority = 1 }; CLOSED(sched_setscheduler(0, SCHED_FIFO, &p)); CLOSED(nice(-5));',
  ),
  attempt(
    'foreign socket families',
    'CLOSED(socket(AF_INET, SOCK_STREAM, 0)); CLOSED(socket(AF_INET6, SOCK_DGRAM, 0)); CLOSED(socket(AF_NETLINK, SOCK_RAW, 0)); CLOSED(socket(40, SOCK_STREAM, 0)); CLOSED(socket(38, SOCK_SEQPACKET, 0)); CLOSED(socket(AF_PACKET, SOCK_RAW, 0)); CLOSED(socket(AF_INET, SOCK_RAW, 1));',
  ),
  attempt(
    'the network',
    'for (int i = 0; i < 3; i++) { const char *a[] = { "127.0.0.1", "8.8.8.8", "169.254.169.254" }; int ports[] = { 22, 53, 80 }; struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(ports[i]) }; inet_pton(AF_INET, a[i], &to.sin_addr); int s = socket(AF_INET, SOCK_STREAM, 0); CLOSED(connect(s, (void *)&to, sizeof to)); }',
  ),
  attempt(
    "the host's network by datagrams",
    'struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53) }; inet_pton(AF_INET, "8.8.8.8", &to.sin_addr); int u = socket(AF_INET, SOCK_DGRAM, 0); CLOSED(sendto(u, "x", 1, 0, (void *)&to, sizeof to));',
  ),
  attempt(
    'abstract and named sockets of the host',
    'const char *names[] = { "/run/dbus/system_bus_socket", "/var/run/docker.sock", "/run/systemd/private" }; for (int i = 0; i < 3; i++) CLOSED(open(names[i], O_RDONLY)); CLOSED(open("/run", O_RDONLY)); CLOSED(open("/var", O_RDONLY));',
  ),
  attempt(
    'secrets in /etc',
    'CLOSED(open("/etc/shadow", O_RDONLY)); CLOSED(open("/etc/ssh", O_RDONLY)); CLOSED(open("/etc/hostname", O_RDONLY)); char b[4096] = {0}; read(open("/etc/passwd", O_RDONLY), b, 4000); if (strstr(b, "root:")) { puts("the host\'s users"); return 0; }',
  ),
  attempt(
    'homes and the work of others',
    'const char *paths[] = { "/root/.ssh", "/root/.bashrc", "/home", "/work", "/tmp/guildhall-executor-0", "/srv", "/mnt", "/sys", "/boot", "/proc/1/root", "/proc/1/fd", "/proc/1/mem", "/proc/1/environ", "/proc/1/cwd" }; for (int i = 0; i < 14; i++) CLOSED(open(paths[i], O_RDONLY));',
  ),
  attempt(
    'devices',
    'const char *paths[] = { "/dev/sda", "/dev/vda", "/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/ptmx", "/dev/fuse", "/dev/kvm", "/dev/loop0", "/proc/kcore", "/proc/kmsg", "/proc/sysrq-trigger" }; for (int i = 0; i < 12; i++) { CLOSED(open(paths[i], O_WRONLY)); CLOSED(open(paths[i], O_RDONLY)); } CLOSED(mknod("/box/disk", S_IFBLK | 0600, 0xfe00));',
  ),
  attempt(
    'writing everywhere',
    'const char *folders[] = { "/", "/usr", "/usr/bin", "/etc", "/program", "/dev", "/proc", "/proc/self", "/lib", "/bin", "/proc/1" }; for (int i = 0; i < 11; i++) { char p[64]; snprintf(p, 64, "%s/evil", folders[i]); CLOSED(open(p, O_CREAT | O_WRONLY, 0666)); CLOSED(mkdir(p, 0777)); CLOSED(symlink("/etc", p)); CLOSED(rename("/etc/passwd", p)); CLOSED(link("/etc/passwd", p)); } CLOSED(unlink("/etc/passwd")); CLOSED(chmod("/usr", 0777)); CLOSED(open("/etc/passwd", O_WRONLY)); CLOSED(truncate("/input", 0)); CLOSED(open("/proc/sys/kernel/core_pattern", O_WRONLY));',
  ),
  attempt(
    'changing its own input',
    'CLOSED(write(0, "x", 1)); CLOSED(open("/proc/self/fd/0", O_RDWR)); CLOSED(fchmod(0, 0777)); CLOSED(chmod("/input", 0777)); CLOSED(fchown(0, getuid(), getgid())); CLOSED(ftruncate(0, 0));',
    { input: 'input\n' },
  ),
  attempt(
    'changing its own program',
    'CLOSED(open("/proc/self/exe", O_WRONLY)); CLOSED(open("/program/program", O_WRONLY)); CLOSED(chmod("/program/program", 0777)); CLOSED(unlink("/program/program")); CLOSED(rename("/program", "/box/program"));',
  ),
  attempt(
    'links that lead out of the work folder',
    'symlink("/etc/shadow", "a"); symlink("/proc/1/root/etc/shadow", "b"); symlink("../../../../../../root", "c"); CLOSED(open("a", O_RDONLY)); CLOSED(open("b", O_RDONLY)); CLOSED(open("c/.bashrc", O_RDONLY)); CLOSED(link("/proc/self/exe", "d")); CLOSED(link("/usr/bin/env", "e"));',
  ),
  attempt(
    'leaving the root through a descriptor',
    'int d = open("/", O_RDONLY | O_DIRECTORY); CLOSED(openat(d, "../../../root/.bashrc", O_RDONLY)); for (int f = 3; f < 1024; f++) if (f != d) CLOSED(fcntl(f, F_GETFD)); CLOSED(syscall(SYS_open_by_handle_at, d, 0, 0));',
  ),
  attempt(
    'signals to the first process and to all',
    'kill(1, SIGKILL); kill(1, SIGTERM); kill(1, SIGSTOP); kill(-1, SIGKILL); usleep(1000);',
  ),
  attempt(
    'raising its limits',
    'struct { unsigned long a, b; } up = { -1UL, -1UL }; CLOSED(syscall(SYS_prlimit64, 0, 1, &up, 0)); CLOSED(syscall(SYS_prlimit64, 0, 0, &up, 0)); CLOSED(syscall(SYS_prlimit64, 0, 7, &up, 0)); CLOSED(open("/sys/fs/cgroup/memory/memory.limit_in_bytes", O_WRONLY));',
  ),
  attempt(
    'filling its folder',
    'int f = open("/tmp/full", O_CREAT | O_WRONLY, 0600); static char b[1 << 20]; int i = 0; while (write(f, b, sizeof b) > 0 && i < 1000) i++; if (i > 64 || errno != ENOSPC) printf("%d of %d\\n", errno, i);',
    { memoryLimitMiB: 256 },
  ),
  attempt(
    'opening files without end',
    'int n = 0; while (open("/dev/null", O_RDONLY) >= 0) n++; if (n > 1024) puts("too many");',
  ),
  attempt(
    'a terminal to type into',
    'char c = \'x\'; CLOSED(open("/dev/tty", O_RDWR)); CLOSED(syscall(SYS_ioctl, 0, 0x5412, &c));',
  ),
  attempt(
    'the environment of the executor',
    'extern char **environ; for (char **e = environ; *e; e++) if (strstr(*e, "GUILDHALL") || strstr(*e, "TOKEN") || strstr(*e, "npm_")) { puts(*e); return 0; }',
  ),
  attempt(
    'a named pipe and a socket in the folder',
    'mkfifo("pipe", 0666); int s[2]; if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) < 0) puts("no socket"); symlink("/dev/zero", "program");',
  ),
]
