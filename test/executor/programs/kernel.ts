/** C against the kernel's own memory and counts: what is taken there counts against the box, or is refused. */
import { programsIn, type SuiteProgram } from './program.ts'

const { passes, eatsMemory, runsOver } = programsIn('c')
const head = `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#define CLOSED(call) do { errno = 0; if ((long)(call) != -1) { printf("open: %s\\n", #call); return 0; } } while (0)
/* Many processes, since descriptors are counted for each. The parent waits for all. */
#define EACH(n) for (int each = 0; each < (n); each++) if (fork() == 0)
#define ALL while (wait(0) > 0) ;
static char page[65536];
`
const roomy = { timeLimitMs: 3000 }
const main = (body: string) => `${head}int main(void) {\n${body}\n}\n`
const attempt = (name: string, body: string, more: Partial<SuiteProgram> = {}): SuiteProgram =>
  passes(name, main(`${body}\nputs("closed"); return 0;`), { expected: 'closed\n', ...roomy, ...more })
const eats = (name: string, body: string, more: Partial<SuiteProgram> = {}): SuiteProgram =>
  eatsMemory(name, main(body), { ...roomy, ...more })

export const kernelPrograms: SuiteProgram[] = [
  attempt(
    'record locks, which no cgroup counts',
    'int f = open("/box/f", O_RDWR | O_CREAT, 0600); struct flock l = { .l_type = F_WRLCK, .l_len = 1 }; for (long i = 0; i < 100; i++) { l.l_start = 2 * i; CLOSED(fcntl(f, F_SETLK, &l)); CLOSED(fcntl(f, F_SETLKW, &l)); CLOSED(fcntl(f, F_OFD_SETLK, &l)); } CLOSED(fcntl(f, F_SETLEASE, F_RDLCK)); CLOSED(lockf(f, F_LOCK, 1));',
  ),
  attempt(
    'signals to other boxes by locks, notices and the page cache of shared files',
    'int f = open("/usr/bin/env", O_RDONLY); CLOSED(flock(f, LOCK_EX)); CLOSED(fcntl(open("/usr/bin", O_RDONLY), F_NOTIFY, 1)); CLOSED(syscall(SYS_inotify_init1, 0)); CLOSED(syscall(451, f, 0, 0, 0));',
  ),
  attempt(
    'contexts of asynchronous input, which the machine has few of',
    'unsigned long c = 0; CLOSED(syscall(SYS_io_setup, 65000, &c));',
  ),
  attempt(
    'filters of its own, whose code no cgroup counts',
    'CLOSED(prctl(PR_SET_SECCOMP, 2, 0)); CLOSED(syscall(SYS_seccomp, 1, 0, 0));',
  ),
  attempt(
    'limits of the first process',
    'struct rlimit r = { 0, 0 }; CLOSED(prlimit(1, RLIMIT_CPU, &r, 0)); CLOSED(prlimit(getppid(), RLIMIT_NOFILE, &r, 0));',
  ),
  attempt(
    'flushes of the host’s disks, which do nothing',
    'for (int i = 0; i < 10000; i++) { sync(); int f = open("/usr/bin/env", O_RDONLY); if (fsync(f) || syncfs(f)) return 1; close(f); }',
  ),
  attempt(
    'queues, shared memory and semaphores that outlive their process',
    'struct mq_attr a = { .mq_maxmsg = 10, .mq_msgsize = 8192 }; CLOSED(mq_open("/q", O_CREAT | O_RDWR, 0600, &a)); CLOSED(msgget(IPC_PRIVATE, 0600)); CLOSED(shmget(IPC_PRIVATE, 8 << 20, 0600)); CLOSED(semget(IPC_PRIVATE, 3, 0600));',
  ),
  attempt(
    'descriptors on their way through sockets',
    'int s[2], n = 0; socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, s); for (; n < 100000; n++) { int f = open("/dev/null", O_RDONLY), p[2]; char b[CMSG_SPACE(sizeof f)] = {0}; struct iovec v = { "x", 1 }; struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = b, .msg_controllen = sizeof b }; struct cmsghdr *c = CMSG_FIRSTHDR(&m); c->cmsg_level = SOL_SOCKET; c->cmsg_type = SCM_RIGHTS; c->cmsg_len = CMSG_LEN(sizeof f); memcpy(CMSG_DATA(c), &f, sizeof f); if (sendmsg(s[0], &m, 0) < 0) { if (errno == EAGAIN && socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, p) == 0) { s[0] = p[0]; s[1] = p[1]; continue; } break; } close(f); } if (n > 3000) printf("%d\\n", n);',
  ),
  attempt(
    'signals and timers that wait',
    'sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, 0); union sigval v = {0}; long n = 0, t = 0; while (n < 1000000 && sigqueue(getpid(), SIGRTMIN, v) == 0) n++; timer_t id; struct sigevent e = { .sigev_notify = SIGEV_NONE }; while (t < 1000000 && timer_create(CLOCK_MONOTONIC, &e, &id) == 0) t++; if (n + t > 999999) puts("no end");',
    { memoryLimitMiB: 256 },
  ),
  eats(
    'files in memory without a name',
    'for (;;) { int f = syscall(SYS_memfd_create, "m", 0); for (int i = 0; i < 1600; i++) if (write(f, page, sizeof page) < 0) return 1; }',
  ),
  eats(
    'full pipes',
    'EACH(100) { for (;;) { int p[2]; if (pipe2(p, O_NONBLOCK)) break; while (write(p[1], page, 65536) > 0) ; } pause(); } ALL',
    { memoryLimitMiB: 32 },
  ),
  eats(
    'full sockets',
    'EACH(100) { for (;;) { int s[2]; if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s)) break; while (write(s[0], page, 65536) > 0) ; } pause(); } ALL',
  ),
  eats(
    'a kernel page for each mapping',
    'for (unsigned long a = 1UL << 33; ; a += 1UL << 21) { char *p = mmap((void *)a, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0); if (p == MAP_FAILED) return 1; *p = 1; }',
  ),
  eats(
    'empty files without end',
    'for (long i = 0; ; i++) { char name[32]; snprintf(name, 32, "/box/%ld", i); int f = open(name, O_CREAT | O_WRONLY, 0600); if (f < 0) return 1; close(f); }',
  ),
  eats(
    'watches of descriptors',
    'EACH(100) { int e[500], t[500]; for (int i = 0; i < 500; i++) { e[i] = epoll_create1(0); t[i] = timerfd_create(CLOCK_MONOTONIC, 0); } for (int i = 0; i < 500; i++) for (int j = 0; j < 500; j++) { struct epoll_event v = { EPOLLIN }; epoll_ctl(e[i], EPOLL_CTL_ADD, t[j], &v); } pause(); } ALL',
  ),
  runsOver(
    'words on stderr in bursts, which are no excuse',
    main('for (;;) { write(2, page, 65536); write(2, page, 65536); usleep(200000); }'),
    {
      timeLimitMs: 100,
    },
  ),
]
