/** What a hostile program does in a box that is kept, and what the next run there looks at: one program in C for both. */

/** By name; each is the body of a function of the program. What is refused is tried all the same. */
export const attacks: Readonly<Record<string, string>> = {
  nothing: '',
  // Processes.
  'a process that stays': 'if (fork() == 0) for (;;) pause();',
  'a process of another session that ignores signals':
    'if (fork() == 0) { setsid(); for (int s = 1; s < 64; s++) signal(s, SIG_IGN); if (fork() == 0) for (;;) pause(); _exit(0); }',
  'a process that is gone': 'if (fork() == 0) _exit(0);',
  'a thread': 'pthread_t t; pthread_create(&t, 0, idle, 0); pthread_join(t, 0);',
  'a fork that is refused': 'struct rlimit none = {0, 0}; setrlimit(RLIMIT_NPROC, &none); if (fork() == 0) _exit(0);',
  'numbers of processes until they begin anew': 'for (int i = 0; i < 400; i++) { if (fork() == 0) _exit(0); wait(0); }',
  'signals to everyone':
    'for (int s = 1; s < 32; s++) if (s != SIGSTOP && s != SIGKILL) signal(s, SIG_IGN); for (int s = 1; s < 32; s++) { kill(1, s); kill(-1, s); if (s != SIGSTOP && s != SIGKILL) kill(0, s); }',
  'the first process as its own':
    'ptrace(16, 1, 0, 0); setpriority(PRIO_PROCESS, 1, 19); setpriority(PRIO_PGRP, 0, 19); setpgid(1, 0); tcsetpgrp(0, 1);',
  'limits of the first process':
    'struct rlimit few = {1, 1}; syscall(SYS_prlimit64, 1, RLIMIT_NOFILE, &few, 0); syscall(SYS_prlimit64, getppid(), RLIMIT_FSIZE, &few, 0);',
  'a processor, a priority and a class of its own':
    'cpu_set_t one; CPU_ZERO(&one); CPU_SET(0, &one); sched_setaffinity(0, sizeof one, &one); sched_setaffinity(1, sizeof one, &one); nice(19); struct sched_param p = {0}; sched_setscheduler(0, SCHED_IDLE, &p); sched_setscheduler(1, SCHED_IDLE, &p); syscall(SYS_ioprio_set, 1, 1, 3 << 13);',
  'a lower share of the session': 'say("/proc/self/autogroup", "15");',
  'its first number set': 'say("/proc/sys/kernel/ns_last_pid", "200");',
  'the first process in /proc':
    'say("/proc/1/oom_score_adj", "1000"); say("/proc/1/comm", "left"); say("/proc/1/autogroup", "15");',
  'times in /proc': 'walkProc(0);',
  'its own state':
    'umask(0); chdir("/"); signal(SIGPIPE, SIG_IGN); sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); raise(SIGTERM); alarm(100); personality(0x0040000); prctl(PR_SET_DUMPABLE, 0); prctl(PR_SET_CHILD_SUBREAPER, 1); prctl(PR_SET_PDEATHSIG, SIGKILL); say("/proc/self/oom_score_adj", "1000"); struct rlimit few = {9, 9}; setrlimit(RLIMIT_NOFILE, &few); setenv("LEFT", "1", 1);',
  // Files.
  'a file': 'make("/box/left");',
  'a hidden file': 'make("/box/.left"); make("/box/..x");',
  'a file that is gone': 'make("/box/left"); unlink("/box/left");',
  'a file without a name': 'close(open("/box", O_TMPFILE | O_RDWR, 0600));',
  'a link': 'symlink("/etc/passwd", "/box/left");',
  'a folder within a folder': 'mkdir("/box/left", 0700); mkdir("/box/left/below", 0); chmod("/box/left", 0);',
  'a pipe and a socket': 'mkfifo("/box/left", 0600); mknod("/box/right", S_IFSOCK | 0600, 0);',
  'a folder that is full':
    'int d = open("/box/left", O_CREAT | O_WRONLY, 0600); char page[4096] = {1}; while (write(d, page, sizeof page) > 0);',
  'attributes of the folders':
    'setxattr("/box", "user.left", "x", 1, 0); setxattr("/judge", "user.left", "x", 1, 0); setxattr("/program/program", "user.left", "x", 1, 0); setxattr("/dev/null", "user.left", "x", 1, 0);',
  'other rights of the folders':
    'chmod("/box", 0700); chown("/box", getuid(), getgid()); chmod("/judge", 0777); chmod("/dev/null", 0600); chmod("/program/program", 0);',
  'a folder that is read': 'list("/box", 0); list("/judge", 0); list("/program", 0);',
  'other times':
    'struct timespec t[2] = {{1, 0}, {1, 0}}; utimensat(AT_FDCWD, "/box", t, 0); utimensat(AT_FDCWD, "/judge", t, 0); utimensat(AT_FDCWD, "/dev/null", t, 0);',
  'other mounts':
    'mount("/etc", "/box", 0, MS_BIND, 0); mount(0, "/", 0, MS_REMOUNT, 0); umount2("/judge", MNT_DETACH); umount2("/proc/1", MNT_DETACH); chroot("/box"); unshare(CLONE_NEWNS); unshare(CLONE_NEWUSER);',
  'other files in place of the test’s':
    'rename("/judge/input", "/judge/left"); unlink("/judge/input"); make("/judge/left"); link("/judge/input", "/box/left"); rename("/box", "/left"); rename("/program/program", "/box/left"); make("/stage/left"); make("/stage/run/input"); make("/stage/pipes/input");',
  // The subfolder that a checker writes to.
  'a message': 'make("/box/feedback/judgemessage.txt");',
  'messages of every name':
    'make("/box/feedback/judgemessage.txt"); make("/box/feedback/teammessage.txt"); make("/box/feedback/score.txt");',
  'a message that is gone': 'make("/box/feedback/judgemessage.txt"); unlink("/box/feedback/judgemessage.txt");',
  'a message by another name':
    'make("/box/feedback/draft"); rename("/box/feedback/draft", "/box/feedback/judgemessage.txt");',
  'a message of no one’s': 'int d = open("/box/feedback/judgemessage.txt", O_CREAT | O_WRONLY, 0); fchmod(d, 0);',
  'a hidden message': 'make("/box/feedback/.left"); make("/box/feedback/..x");',
  'many names of one message':
    'make("/box/feedback/a"); char name[64]; for (int i = 0; i < 3000; i++) { sprintf(name, "/box/feedback/%d", i); link("/box/feedback/a", name); }',
  'many messages': 'char name[64]; for (int i = 0; i < 300; i++) { sprintf(name, "/box/feedback/%d", i); make(name); }',
  'many messages that are gone':
    'for (int i = 0; i < 300; i++) { make("/box/feedback/a"); unlink("/box/feedback/a"); }',
  'messages without a name': 'for (int i = 0; i < 3; i++) close(open("/box/feedback", O_TMPFILE | O_RDWR, 0600));',
  'a message that fills the folder':
    'int d = open("/box/feedback/judgemessage.txt", O_CREAT | O_WRONLY, 0600); char page[4096] = {1}; while (write(d, page, sizeof page) > 0);',
  'a message with holes':
    'int d = open("/box/feedback/judgemessage.txt", O_CREAT | O_WRONLY, 0600); ftruncate(d, 1 << 19);',
  'a message that is a link': 'symlink("/judge/input", "/box/feedback/judgemessage.txt");',
  'a message that is a pipe': 'mkfifo("/box/feedback/judgemessage.txt", 0600);',
  'a message that is a folder':
    'mkdir("/box/feedback/judgemessage.txt", 0700); make("/box/feedback/judgemessage.txt/left");',
  'a folder beside the messages':
    'mkdir("/box/feedback/left", 0700); make("/box/feedback/left/below"); chmod("/box/feedback/left", 0);',
  'another subfolder in its place':
    'rename("/box/feedback", "/box/left"); rmdir("/box/feedback"); mkdir("/box/other", 0700); rename("/box/other", "/box/feedback"); symlink("/etc", "/box/feedback");',
  'attributes of the subfolder': 'setxattr("/box/feedback", "user.left", "x", 1, 0);',
  'other rights of the subfolder': 'chmod("/box/feedback", 0700); chown("/box/feedback", getuid(), getgid());',
  'attributes of a message':
    'make("/box/feedback/judgemessage.txt"); setxattr("/box/feedback/judgemessage.txt", "user.left", "x", 1, 0);',
  'a subfolder that is read': 'list("/box/feedback", 0);',
  // What the kernel keeps.
  'memory that is shared':
    'shmget(1, 4096, IPC_CREAT | 0600); semget(1, 1, IPC_CREAT | 0600); msgget(1, IPC_CREAT | 0600); mq_open("/left", O_CREAT | O_RDWR, 0600, 0); shm_open("/left", O_CREAT | O_RDWR, 0600); memfd_create("left", 0);',
  'sockets that were sent through each other':
    'for (int i = 0; i < 50; i++) { int pair[2], named = bound("left"); socketpair(AF_UNIX, SOCK_DGRAM, 0, pair); pass(pair[0], pair[1]); pass(pair[0], named); pass(pair[1], pair[0]); }',
  'a socket that has a name': 'listen(bound("left"), 5);',
  locks:
    'int d = open("/judge/input", O_RDONLY); flock(d, LOCK_EX); lockf(d, F_LOCK, 0); struct flock l = {F_RDLCK, SEEK_SET, 0, 0, 0}; fcntl(d, F_OFD_SETLK, &l); fcntl(d, F_SETLEASE, F_RDLCK); int e = open("/program/program", O_RDONLY); flock(e, LOCK_EX);',
  keys: 'syscall(SYS_add_key, "user", "left", "x", 1, -3);',
  'another name of the machine': 'sethostname("left", 4); setdomainname("left", 4);',
  memory: 'volatile char *p = malloc(40 << 20); for (long i = 0; i < 40 << 20; i += 4096) p[i] = 1;',
  'a crash': 'struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}; setrlimit(RLIMIT_CORE, &all); abort();',
  // The pipes to the other.
  'its input filled by itself':
    'int d = open("/proc/self/fd/0", O_WRONLY | O_NONBLOCK); char page[4096]; memset(page, 65, sizeof page); while (write(d, page, sizeof page) > 0);',
  'its output filled, and read by itself':
    'int d = open("/proc/self/fd/1", O_RDWR | O_NONBLOCK); char page[4096]; memset(page, 66, sizeof page); for (int i = 0; i < 15; i++) if (write(d, page, sizeof page) < 0) break; read(d, page, 100);',
  'smaller pipes':
    'for (int d = 0; d < 3; d++) { fcntl(d, F_SETPIPE_SZ, 4096); fcntl(d, F_SETFL, O_NONBLOCK | O_ASYNC); fcntl(d, F_SETOWN, 1); fcntl(d, F_SETSIG, SIGKILL); fchmod(d, 0); }',
  'descriptors of the box’s own':
    'for (int d = 3; d < 64; d++) { write(d, "ended 0\\nclean\\n", 14); } make("/stage/run/output"); make("/stage/pipes/output"); say("/proc/1/fd/3", "clean\\n");',
  'words of the box’s own': 'dprintf(2, "ended 0\\nclean\\n"); dprintf(1, "ended 0\\nclean\\n");',
}

const cases = Object.entries(attacks)
  .map(([name, body]) => `  if (!strcmp(word, ${JSON.stringify(wordOf(name))})) { ${body} }`)
  .join('\n')

/** As it is told to the program. */
export function wordOf(name: string): string {
  return name.replaceAll(/[^a-z]/g, '_')
}

/**
 * The partner (it has an argument) finds in the test what both are to do, and tells the program. Who is to `look` writes all
 * that it sees to its stderr. `run` is how many runs its box has had, by its own number: that is no secret.
 */
export const source = `
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
static void *idle(void *x) { return x; }
static void make(const char *path) { int d = open(path, O_CREAT | O_WRONLY, 0600); if (d >= 0) { write(d, "left", 4); close(d); } }
static void say(const char *path, const char *text) { int d = open(path, O_WRONLY); if (d >= 0) { write(d, text, strlen(text)); close(d); } }
static struct sockaddr_un named(const char *name) { struct sockaddr_un a = {AF_UNIX}; strcpy(a.sun_path + 1, name); return a; }
static int bound(const char *name) {
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un a = named(name);
  bind(s, (struct sockaddr *)&a, 3 + strlen(name));
  return s;
}
static void pass(int through, int what) {
  char byte = 1, room[CMSG_SPACE(sizeof what)];
  struct iovec part = {&byte, 1};
  struct msghdr m = {0, 0, &part, 1, room, sizeof room, 0};
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET; c->cmsg_type = SCM_RIGHTS; c->cmsg_len = CMSG_LEN(sizeof what);
  memcpy(CMSG_DATA(c), &what, sizeof what);
  sendmsg(through, &m, MSG_DONTWAIT);
}
static void list(const char *path, int shown) {
  char room[8192], self[16];
  sprintf(self, "%d", getpid());
  int d = open(path, O_RDONLY | O_DIRECTORY);
  if (d < 0) return;
  for (long n; (n = syscall(SYS_getdents64, d, room, sizeof room)) > 0;)
    for (long at = 0; at < n; at += *(unsigned short *)(room + at + 16)) {
      char *name = room + at + 19;
      if (shown && strcmp(name, self) && (shown == 2 || (name[0] >= '0' && name[0] <= '9'))) fprintf(stderr, "%s: %s\\n", path, name);
      if (shown == 2 && !strcmp(path, "/box/feedback")) fprintf(stderr, "place %ld\\n", *(long *)(room + at + 8));
    }
  close(d);
}
static struct timespec begun;
static int youngCount, areShown;
static int isYoung(struct timespec t) { return t.tv_sec > begun.tv_sec || (t.tv_sec == begun.tv_sec && t.tv_nsec > begun.tv_nsec); }
static int visit(const char *path, const struct stat *s, int kind, struct FTW *at) {
  if (path[5] && path[6] >= '0' && path[6] <= '9') return FTW_SKIP_SUBTREE;
  if (at->level && (isYoung(s->st_mtim) || isYoung(s->st_atim)) && youngCount++ < 5 && areShown) fprintf(stderr, "young %s\\n", path);
  return FTW_CONTINUE;
}
/* A file of the kernel's has the time when it was first looked for. */
static void walkProc(int shown) {
  const char *links[] = {"/proc/self", "/proc/thread-self", "/proc/mounts", "/proc/net"};
  char target[100];
  /* The clock of files may be ahead of this one by a tick, in which a box that is new was made. */
  usleep(12000);
  clock_gettime(CLOCK_REALTIME_COARSE, &begun);
  usleep(12000);
  for (int i = 0; i < 4; i++) readlink(links[i], target, sizeof target);
  areShown = shown;
  nftw("/proc", visit, 16, FTW_PHYS | FTW_ACTIONRETVAL);
  if (shown) fprintf(stderr, "young in all %d\\n", youngCount);
}
static void attack(const char *word) {
${cases}
}
static void look(int isPartner, int perRun, int filesPerRun) {
  int run = (getpid() - 2) / perRun;
  struct stat s;
  struct statfs f;
  const char *paths[] = {"/box", "/box/feedback", "/judge", "/judge/input", "/dev/null", "/program/program", "/stage", "/tmp"};
  for (int i = 0; i < 8; i++) {
    char names[256];
    if (stat(paths[i], &s) < 0) { fprintf(stderr, "%s: no\\n", paths[i]); continue; }
    fprintf(stderr, "%s: %o %d %d %ld", paths[i], s.st_mode, s.st_uid == getuid(), s.st_gid == getgid(), i == 3 ? 0 : (long)s.st_size);
    if (i < 2) fprintf(stderr, " %ld %ld", s.st_mtime, s.st_atime);
    long n = listxattr(paths[i], names, sizeof names);
    fprintf(stderr, " %ld\\n", n > 0 ? n : 0);
    if (i < 3) list(paths[i], 2);
  }
  statfs("/box", &f);
  fprintf(stderr, "room %ld %ld\\n", (long)f.f_bfree, (long)f.f_ffree);
  int d = open("/box", O_TMPFILE | O_RDWR, 0600);
  fstat(d, &s);
  fprintf(stderr, "file number %ld\\n", (long)s.st_ino - run * filesPerRun);
  close(d);
  if (isPartner) { make("/box/feedback/seen"); list("/box/feedback", 2); }
  list("/proc", 1);
  walkProc(1);
  char text[4096] = "", *nice_;
  d = open("/proc/self/autogroup", O_RDONLY); if (d >= 0) { read(d, text, 4000); close(d); }
  fprintf(stderr, "session %s", (nice_ = strstr(text, "nice")) ? nice_ : "none\\n");
  fprintf(stderr, "sockets %d\\n", open("/proc/net/unix", O_RDONLY));
  struct sockaddr_un a = named("left");
  int c = socket(AF_UNIX, SOCK_STREAM, 0);
  fprintf(stderr, "name %d", connect(c, (struct sockaddr *)&a, 7) < 0 ? errno : 0);
  fprintf(stderr, " %d\\n", bind(c, (struct sockaddr *)&a, 7) < 0 ? errno : 0);
  close(c);
  fprintf(stderr, "shared %d %d %d %d %d\\n", shmget(1, 0, 0), semget(1, 0, 0), msgget(1, 0), (int)mq_open("/left", O_RDONLY), shm_open("/left", O_RDONLY, 0));
  fprintf(stderr, "key %ld\\n", syscall(SYS_request_key, "user", "left", 0, 0));
  for (int i = 0; i < 16; i++) { struct rlimit l; getrlimit(i, &l); fprintf(stderr, "limit %d %ld %ld\\n", i, (long)l.rlim_cur, (long)l.rlim_max); }
  sigset_t set;
  for (int i = 1; i < 65; i++) { struct sigaction h; if (sigaction(i, 0, &h) == 0 && h.sa_handler != SIG_DFL) fprintf(stderr, "signal %d is handled\\n", i); }
  sigprocmask(SIG_BLOCK, 0, &set); for (int i = 1; i < 65; i++) if (sigismember(&set, i) == 1) fprintf(stderr, "signal %d is blocked\\n", i);
  sigpending(&set); for (int i = 1; i < 65; i++) if (sigismember(&set, i) == 1) fprintf(stderr, "signal %d waits\\n", i);
  cpu_set_t cpus; sched_getaffinity(0, sizeof cpus, &cpus);
  struct itimerval t; getitimer(ITIMER_REAL, &t);
  fprintf(stderr, "class %d %d %d %ld %ld\\n", CPU_COUNT(&cpus), getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), syscall(SYS_ioprio_get, 1, 0), t.it_value.tv_sec);
  errno = 0; int first = getpriority(PRIO_PROCESS, 1);
  fprintf(stderr, "first %d %d %d\\n", first, errno, sched_getscheduler(1));
  fprintf(stderr, "group %d %d %d\\n", getpgid(0), getsid(0), getppid());
  fprintf(stderr, "state %o %s %d %lx %s\\n", umask(0), getcwd(text, sizeof text), prctl(PR_GET_DUMPABLE), (long)personality(0xffffffff), getenv("LEFT") ? "left" : "");
  memset(text, 0, sizeof text); d = open("/proc/self/oom_score_adj", O_RDONLY); read(d, text, 100); close(d); fprintf(stderr, "score %s", text);
  memset(text, 0, sizeof text); gethostname(text, 100); fprintf(stderr, "host %s\\n", strcmp(text, "left") ? "" : text);
  for (int i = 0; i < 64; i++) if (fcntl(i, F_GETFD) >= 0) { fstat(i, &s); fprintf(stderr, "descriptor %d %o %o", i, s.st_mode, fcntl(i, F_GETFL)); fprintf(stderr, " %d\\n", i < 3 ? fcntl(i, F_GETPIPE_SZ) : 0); }
  int waiting = 0; ioctl(0, FIONREAD, &waiting); fprintf(stderr, "waiting %d\\n", waiting);
  d = open("/judge/input", O_RDONLY); if (d >= 0) { fprintf(stderr, "lock %d\\n", flock(d, LOCK_EX | LOCK_NB) < 0 ? errno : 0); close(d); }
}
int main(int count, char **words) {
  char mine[100] = "", other[100] = "", line[256] = "";
  setvbuf(stdin, 0, _IONBF, 0);
  if (count == 1) {
    fgets(line, sizeof line, stdin);
    line[strcspn(line, "\\n")] = 0;
    if (!strcmp(line, "look")) look(0, 2, 1);
    attack(line);
    printf("well\\n");
    return 0;
  }
  FILE *test = fopen("/judge/input", "r");
  fscanf(test, "%99s %99s", mine, other);
  fclose(test);
  if (!strcmp(mine, "look")) look(1, 3, 16);
  printf("%s\\n", other);
  fflush(stdout);
  attack(mine);
  if (!fgets(line, sizeof line, stdin)) strcpy(line, "nothing\\n");
  fprintf(stderr, "heard %s", !strcmp(mine, "look") ? line : "\\n");
  return 0;
}
`
