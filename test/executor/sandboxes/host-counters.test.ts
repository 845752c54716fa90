/** What the kernel counts or keeps for the whole host, a run can neither move nor read: each is tried by a program in a box. */
import assert from 'node:assert/strict'
import { statSync, utimesSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { type Bubblewrap, makeBubblewrap } from '../../../src/executor/sandboxes/bubblewrap.ts'
import type { KeptFile } from '../../../src/executor/sandboxes/sandbox.ts'
import { compileC } from './compile-c.ts'
import { skipWithoutKeptBoxes } from './kept-stage.ts'

/** Each answer is a line: what was asked, and the number or the error that came. */
const source = `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
static void tell(const char *what, long answer, unsigned long long number) {
  if (answer < 0) fprintf(stderr, "%s: error %d\\n", what, errno);
  else fprintf(stderr, "%s: %llu\\n", what, number);
}
static void times(const char *when) {
  const char *names[] = {"/dev/null", "/dev/zero", "/dev/urandom"};
  for (int i = 0; i < 3; i++) {
    struct stat s; stat(names[i], &s);
    fprintf(stderr, "%s %s: %lld.%ld %lld.%ld %lld.%ld\\n", when, names[i], (long long)s.st_atime, s.st_atim.tv_nsec,
      (long long)s.st_mtime, s.st_mtim.tv_nsec, (long long)s.st_ctime, s.st_ctim.tv_nsec);
  }
}
int main(void) {
  times("before");
  int written = 0;
  const char *names[] = {"/dev/null", "/dev/zero", "/dev/urandom"};
  for (int i = 0; i < 3; i++) {
    int file = open(names[i], O_RDWR), one = open(names[i], O_RDONLY);
    chown(names[i], -1, -1); lchown(names[i], -1, -1); fchown(file, -1, -1); fchown(one, -1, -1);
    fchownat(AT_FDCWD, names[i], -1, -1, 0); fchownat(file, "", -1, -1, AT_EMPTY_PATH);
    chown(names[i], getuid(), -1); chown(names[i], -1, getgid()); chmod(names[i], 0666); fchmod(file, 0666);
    char byte = 0; read(file, &byte, 1); written += write(file, &byte, 1);
    mmap(0, 4096, PROT_READ, MAP_SHARED, one, 0);
    sendfile(file, one, 0, 1);
  }
  times("after");
  tell("written to devices", 0, written);
  tell("own file", chown("/box", -1, -1), 0);
  int d = socket(AF_UNIX, SOCK_STREAM, 0), pair[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  unsigned long long number = 0; socklen_t length = sizeof number;
  tell("socket", getsockopt(d, SOL_SOCKET, 57, &number, &length), number);
  length = sizeof number; tell("network", getsockopt(d, SOL_SOCKET, 71, &number, &length), number);
  length = sizeof number; tell("peer", getsockopt(pair[0], SOL_SOCKET, 77, &number, &length), number);
  struct { unsigned short family; char name[20]; } named = { AF_UNIX, "\\0left" };
  tell("chosen name", bind(d, (void *)&named, 2), 0); tell("own name", bind(d, (void *)&named, 7), 0);
  tell("sockets", open("/proc/self/net/unix", O_RDONLY), 0);
  int on = 1; tell("credentials", setsockopt(d, SOL_SOCKET, 16, &on, sizeof on), 0); tell("passing", setsockopt(d, SOL_SOCKET, 76, &on, sizeof on), 0);
  struct stat s; int process = syscall(434, getpid(), 0);
  if (process >= 0) fstat(process, &s);
  tell("process", process, s.st_ino);
  int child = -1; long made = syscall(SYS_clone, 0x1000 | 17, 0, &child, 0, 0);
  if (made == 0) _exit(0);
  tell("child", made, child);
  int net = open("/proc/self/ns/net", O_RDONLY), mounts = open("/proc/self/ns/mnt", O_RDONLY);
  tell("network by its file", ioctl(net, 0x8008b70d, &number), number);
  tell("mounts by their file", ioctl(mounts, 0x8008b705, &number), number);
  char many[512]; tell("mount", syscall(SYS_statx, AT_FDCWD, "/", 0, 0x4fff, many), 0);
  struct statfs f;
  tell("free", statfs("/etc/passwd", &f), f.f_bfree); tell("free of it", fstatfs(0, &f), f.f_bfree);
  void *huge = mmap(0, 2 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);
  tell("huge", huge == MAP_FAILED ? -1 : 0, 0); tell("huge file", memfd_create("x", 4), 0);
  struct utsname u; uname(&u); fprintf(stderr, "name: %s\\n", u.nodename);
}
`

/** By the program's words, as the kernel refuses what it does not know. */
const expected = {
  'written to devices': '3',
  'own file': '0',
  socket: 'error 92',
  network: 'error 92',
  peer: 'error 92',
  'chosen name': 'error 22',
  'own name': '0',
  sockets: 'error 13',
  credentials: 'error 92',
  passing: 'error 92',
  process: 'error 38',
  child: 'error 22',
  'network by its file': 'error 25',
  'mounts by their file': 'error 25',
  mount: 'error 22',
  free: 'error 38',
  'free of it': 'error 38',
  huge: 'error 12',
  'huge file': 'error 12',
  name: 'box',
}

const devices = ['/dev/null', '/dev/zero', '/dev/urandom']

describe('what counts for the whole host', { skip: skipWithoutKeptBoxes }, () => {
  let sandbox: Bubblewrap
  let program: KeptFile
  before(async () => {
    sandbox = makeBubblewrap({ slotCount: 1 })
    program = await compileC(sandbox, source)
  })
  after(() => sandbox.close())

  for (const isKept of [true, false]) {
    it(`is neither moved nor told in a box that is ${isKept ? 'kept' : 'made anew'}`, async () => {
      // The kernel records a reading once a day.
      for (const name of devices) utimesSync(name, 0, statSync(name).mtimeMs / 1_000)
      const answers = await run(isKept)
      for (const name of devices) assert.equal(answers.get(`after ${name}`), answers.get(`before ${name}`), name)
      const others = [...answers].filter(([what]) => !what.includes('/dev/'))
      assert.deepEqual(Object.fromEntries(others), expected)
    })
  }

  async function run(isKept: boolean): Promise<ReadonlyMap<string, string>> {
    const input = await sandbox.keep(Buffer.from(''))
    const sizes = { memoryBytes: 64 << 20, outputBytes: 1 << 20, folderBytes: 1 << 20 }
    try {
      const { exitCode, stderr } = await sandbox.run({
        ...{ command: ['/program/program'], environment: {}, folders: [], input: input.path },
        ...(isKept ? { keptFor: 'one' } : { isAnew: true }),
        files: [{ from: program.path, at: '/program/program' }],
        limits: { ...sizes, cpuMs: 5_000, wallMs: 20_000, processes: 8 },
        onOutput: () => undefined,
      })
      const said = Buffer.from(stderr).toString()
      assert.equal(exitCode, 0, said)
      const lines = said.split('\n').filter((line) => line.includes(': '))
      return new Map(lines.map((line): [string, string] => [line.split(': ')[0]!, line.split(': ')[1]!]))
    } finally {
      input.drop()
    }
  }
})
