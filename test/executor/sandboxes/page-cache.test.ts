/** What one run does to the system's files in memory, a later run can't find out: the ways in which that was done. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { describeProgram } from '../../../src/executor/judging/program-run.ts'
import { surveyLanguages } from '../../../src/executor/languages/configuration.ts'
import { programsIn } from '../programs/program.ts'
import { type Court, openCourt } from '../suite.ts'
import { compileC } from './compile-c.ts'

/** The input is `w` and 64 bits, or `r`: then the bits that were found are printed. */
const head = `#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static char page[4096];
static int file; static long stride;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e6 + t.tv_nsec / 1e3; }
static int openAny(void) {
  const char *names[] = { PATHS };
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    int f = open(names[i], O_RDONLY); struct stat s;
    if (f >= 0 && fstat(f, &s) == 0) { stride = s.st_size / 64 / 4096 * 4096; return f; }
  }
  return -1;
}
`
const talk = (write: string, read: string) => `${head}
int main(void) {
  char order, bits[65] = "";
  file = openAny();
  if (scanf(" %c %64s", &order, bits) < 1 || file < 0) return 1;
  if (order == 'w') { ${write} }
  else { for (int i = 0; i < 64; i++) { ${read} } }
  fputs(bits, stderr);
}
`
/** Pages are dropped by one call, and another one tells which are there. */
const evicting = talk(
  `posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
   for (int i = 0; i < 64; i++) {
     pread(file, page, 4096, i * stride);
     if (bits[i] == '1') posix_fadvise(file, i * stride, stride, POSIX_FADV_DONTNEED);
   }`,
  `struct iovec v = { page, 4096 }; bits[i] = preadv2(file, &v, 1, i * stride, RWF_NOWAIT) == 4096 ? '0' : '1';`,
)
/** Pages are read, or left where they are, and the clock tells which were. */
const reading = talk(
  `posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
   for (int i = 0; i < 64; i++) if (bits[i] == '0') pread(file, page, 4096, i * stride);`,
  `posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
   double began = now(); pread(file, page, 4096, i * stride); bits[i] = now() - began < 30 ? '0' : '1';`,
)
/** Names are looked up in vain, and the clock tells which were before. Each message needs names of its own. */
const lookingUp = (folder: string, key: string) =>
  talk(
    `char name[99];
     for (int i = 0; i < 64; i++)
       for (int k = 0; k < 8; k++) { sprintf(name, "${folder}/${key}-%d-%c-%d", i, bits[i], k); access(name, F_OK); }`,
    `char name[99]; double took[2] = { 0, 0 };
     for (int k = 0; k < 8; k++) for (char v = '0'; v < '2'; v++) {
       sprintf(name, "${folder}/${key}-%d-%c-%d", i, v, k);
       double began = now(); access(name, F_OK); took[v - '0'] += now() - began;
     }
     bits[i] = took[1] < took[0] ? '1' : '0';`,
  )
/** Pages are read, and a child of a process that maps them counts those that the kernel has marked as used. */
const marking = talk(
  `for (int i = 0; i < 64; i++) if (bits[i] == '1') for (int k = 0; k < 6; k++) pread(file, page, 1, i * stride);`,
  `char line[500], at[40]; int inside = 0, used = 0, told[2];
   char *seen = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, i * stride);
   seen[4096] = 1; madvise(seen, 4096, 22); sprintf(at, "%lx-", (long) seen); pipe(told);
   if (fork() == 0) {
     FILE *maps = fopen("/proc/self/smaps", "r");
     while (fgets(line, sizeof line, maps)) {
       if (strstr(line, at) == line) inside = 1;
       if (inside && sscanf(line, "Referenced: %d", &used) == 1) break;
     }
     write(told[1], &used, sizeof used); _exit(0);
   }
   read(told[0], &used, sizeof used); wait(0); munmap(seen, 8192);
   bits[i] = used > 0 ? '1' : '0';`,
)
/** A bit is 1 if the page's line of figures fits; the page is mapped for the purpose. */
function countActive(fits: string): string {
  return `char line[500], at[40]; bits[i] = '0';
   volatile char *seen = mmap(0, 4096, PROT_READ, MAP_SHARED, file, i * stride); *seen;
   sprintf(at, "%lx ", (long) seen);
   FILE *maps = fopen("/proc/self/numa_maps", "r");
   while (maps && fgets(line, sizeof line, maps)) if (strstr(line, at) == line && ${fits}) bits[i] = '1';
   if (maps) fclose(maps);
   munmap((void *) seen, 4096);`
}
/** Pages are locked in memory, which takes the mark of being active from them, and a program counts the marks. */
const locking = talk(
  `for (int i = 0; i < 64; i++) if (bits[i] == '1') {
     char *seen = mmap(0, 4096, PROT_READ, MAP_SHARED | MAP_LOCKED, file, i * stride);
     if (seen != MAP_FAILED) munmap(seen, 4096);
   }`,
  countActive('strstr(line, "active=0")'),
)
/** The program counts the pages of its own file that are marked as active: those that are read become so. */
const counting = `${talk('', countActive('!strstr(line, "active=0")'))}
__asm__(".section .rodata\\n.balign 4096\\n.fill 4194304, 1, 7\\n.text");`
const surveyed = await surveyLanguages()
const messages = ['0110100110010110', '1001011001101001'].map((bits) => bits.repeat(4))

describe('a later run', () => {
  let court: Court
  before(async () => {
    court = await openCourt({ slotCount: 1 }, ['c'])
  })
  after(() => court.close())

  const targets = { 'that no program needs': listUnused(), 'that every program needs': listLibraries() }
  for (const [kind, paths] of Object.entries(targets)) {
    it(`of another submission finds nothing in pages that were dropped, of a file ${kind}`, async () =>
      assertDeaf(
        paths,
        await eachMessage(paths, (input) => judge(court, evicting, [...paths, ...listLibraries()], input)),
      ))

    it(`of another submission finds nothing by the clock in pages that were read, of a file ${kind}`, async () =>
      assertDeaf(
        paths,
        await eachMessage(paths, (input) => judge(court, reading, [...paths, ...listLibraries()], input)),
      ))
  }

  for (const folder of ['/etc', '/etc/alternatives', '/proc/fs', '/proc/sys'])
    it(`of another submission finds nothing by the clock in names that were looked up in vain in ${folder}`, async () => {
      const found: string[] = []
      for (const [i, message] of messages.entries()) {
        const source = lookingUp(folder, `message-${i}`)
        assert.equal(await judge(court, source, listLibraries(), `w ${message}\n`), message)
        found.push(await judge(court, source, listLibraries(), 'r\n'))
      }
      assertDeaf([folder], found)
    })

  it('of another submission finds no mark on pages that were read', async () => {
    // Each message needs pages of its own: one that is marked stays so.
    const paths = [...listUnread()]
    const found: string[] = []
    for (const [i, message] of messages.entries()) {
      assert.equal(await judge(court, marking, [paths[i]!], `w ${message}\n`), message)
      found.push(await judge(court, marking, [paths[i]!], 'r\n'))
    }
    assertDeaf(paths, found)
  })

  it('of another submission finds no mark on pages that were locked', async () => {
    const paths = [...listUnread()]
    const found: string[] = []
    for (const [i, message] of messages.entries()) {
      assert.equal(await judge(court, locking, [paths[i]!], `w ${message}\n`), message)
      found.push(await judge(court, locking, [paths[i]!], 'r\n'))
    }
    assertDeaf(paths, found)
  })

  it('of the same source finds all of the program’s pages marked, as they were from the start', {
    skip: !existsSync('/proc/self/numa_maps') && 'this kernel tells no marks',
  }, async () => {
    assert.equal(await judge(court, counting, ['/program/program'], 'r\n'), '1'.repeat(64))
  })

  it('of the same program, in a box of its own as each pass has one, finds nothing either', async () => {
    const { sandbox, find } = court
    const program = await compileC(sandbox, withPaths(evicting, [...listUnused(), ...listLibraries()]))
    const limits = { timeLimitMs: 2_000, memoryLimitBytes: 64 << 20 }
    const signal = new AbortController().signal
    const context = {
      sandbox,
      program,
      limits,
      signal,
      isMultiPass: true,
      language: find('c')!.language,
      runtimeBytes: 0,
    }
    const runPass = async (words: string) => {
      const input = await sandbox.keep(Buffer.from(words))
      const box = describeProgram(context)
      const { stderr } = await sandbox.run({ ...box, input: input.path })
      input.drop()
      return Buffer.from(stderr).toString().trim()
    }
    assertDeaf(listUnused(), await eachMessage(listUnused(), runPass))
    program.drop()
  })
})

/** Joins a file's first pages to a huge one, and tells by the kernel's figures whether they are. */
const joining = `#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(int count, char **words) {
  char line[500];
  int inside = 0, joined;
  char *seen = mmap((void *) 0x700000000000, 2 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, open(words[1], O_RDONLY), 0);
  volatile char page = seen[0];
  if (getchar() == 'w') madvise(seen, 2 << 20, 25);
  FILE *maps = fopen("/proc/self/smaps", "r");
  while (fgets(line, sizeof line, maps)) {
    if (strstr(line, "700000000000-") == line) inside = 1;
    if (inside && (sscanf(line, "FilePmdMapped: %d", &joined) == 1 || sscanf(line, "ShmemPmdMapped: %d", &joined) == 1) && joined) fputs("joined", stderr);
    if (inside && !strncmp(line, "VmFlags", 7)) inside = 0;
  }
}
`

it('a later run finds no pages of a file that an earlier one joined', {
  skip: !findMiddling() && 'no library of a middling size here',
}, async () => {
  const court = await openCourt({ slotCount: 1 }, ['c'])
  try {
    const { sandbox, find } = court
    const [library, program] = [findMiddling()!, await compileC(sandbox, joining)]
    const view = await sandbox.show('joining', { paths: [library], beside: [program.path], leavesOut: () => false })
    const language = { ...find('c')!.language, view, run: ['{program}', library] }
    const limits = { timeLimitMs: 2_000, memoryLimitBytes: 64 << 20 }
    const signal = new AbortController().signal
    const box = describeProgram({ sandbox, program, limits, signal, language, runtimeBytes: 0 })
    const told: string[] = []
    for (const order of ['r', 'w', 'r']) {
      const input = await sandbox.keep(Buffer.from(order))
      told.push(Buffer.from((await sandbox.run({ ...box, isAnew: true, input: input.path })).stderr).toString())
      input.drop()
    }
    assert.deepEqual(told, ['', '', ''])
  } finally {
    await court.close()
  }
})

/** Drops what it can see of a runtime's files from memory in every way there is: once, or until its time is up. */
const dropping = (isEndless: boolean) => `#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static char block[1 << 16];
static int drop(const char *path, const struct stat *s, int kind, struct FTW *at) {
  if (kind != FTW_F) return 0;
  int f = open(path, O_RDONLY);
  posix_fadvise(f, 0, 0, POSIX_FADV_DONTNEED);
  void *seen = mmap(0, s->st_size, PROT_READ, MAP_SHARED, f, 0);
  if (seen != MAP_FAILED) {
    madvise(seen, s->st_size, MADV_PAGEOUT); madvise(seen, s->st_size, MADV_COLD);
    madvise(seen, s->st_size, MADV_DONTNEED); munmap(seen, s->st_size);
  }
  for (int i = 0; i < 64 && read(f, block, sizeof block) > 0; i++) ;
  posix_fadvise(f, 0, 0, POSIX_FADV_DONTNEED);
  close(f); return 0;
}
int main(void) {
  do { nftw("/usr/lib/jvm", drop, 8, FTW_PHYS); nftw("/opt", drop, 8, FTW_PHYS); } while (${isEndless ? 1 : 0});
  fputs("done", stderr);
}
`
const helloJava = 'public class Hello { public static void main(String[] a) { System.out.println("hello"); } }'

it('an honest program’s memory is the same after and beside one that drops the files of its runtime', {
  skip: !surveyed.languages.some(({ value }) => value === 'java') && 'no Java here',
}, async () => {
  const court = await openCourt({ slotCount: 2 }, ['c', 'java'])
  let beside: Promise<unknown> | undefined
  let isOver = false
  try {
    const hello = programsIn('java').passes('', helloJava, {
      expected: 'hello\n',
      memoryLimitMiB: 128,
      timeLimitMs: 5_000,
    })
    const { passes } = programsIn('c')
    const measure = async () => (await court.judge(hello)).tests[0]!.peakMemoryBytes
    const before = await measure()
    const once = await court.judge(passes('', dropping(false), { timeLimitMs: 5_000 }))
    assert.equal(once.tests[0]!.stderr, 'done')
    const figures = [await measure()]
    // Both are compiled by now: what is measured is a run of the one during a run of the other.
    const endless = passes('', dropping(true), { timeLimitMs: 1_000 })
    await court.judge(endless)
    beside = (async () => {
      while (!isOver) assert.equal((await court.judge(endless)).result, 4)
    })()
    for (let i = 0; i < 4; i++) figures.push(await measure())
    const worst = Math.max(...figures.map((figure) => Math.abs(figure - before)))
    assert.ok(worst < 8 << 20, `${before >> 20} MiB, then ${figures.map((figure) => figure >> 20)}`)
  } finally {
    isOver = true
    await beside
    await court.close()
  }
})

/** What was read after each message was written. */
async function eachMessage(paths: readonly string[], run: (input: string) => Promise<string>): Promise<string[]> {
  const found: string[] = []
  for (const message of messages) {
    for (const path of paths) execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none'])
    assert.equal(await run(`w ${message}\n`), message)
    found.push(await run('r\n'))
  }
  return found
}

/** A page by chance is no message: of two that differ in every bit, both must have come through. */
function assertDeaf(paths: readonly string[], found: readonly string[]): void {
  const right = found.map((bits, i) => [...bits].filter((bit, at) => bit === messages[i]![at]).length)
  assert.ok(
    right.some((count) => count < 48),
    `${right} of 64 bits came through ${paths[0]}`,
  )
}

async function judge(court: Court, source: string, paths: readonly string[], input: string): Promise<string> {
  const { passes } = programsIn('c')
  const said = await court.judge(passes('', withPaths(source, paths), { input, timeLimitMs: 2_000 }))
  const [test] = said.tests
  assert.equal(test?.exitCode, 0, said.compilerOutput + JSON.stringify(test))
  return test.stderr.trim()
}

const withPaths = (source: string, paths: readonly string[]) =>
  source.replace('PATHS', paths.map((path) => `"${path}"`).join())

/** The link-time optimiser is as large as a compiler, and runs for nobody here. */
function listUnused(): string[] {
  const folder = '/usr/lib/gcc'
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return found.filter((path) => /\/(?:lto1|libasan\.a|libstdc\+\+\.a)$/.test(path) && statSync(path).size > 1 << 20)
}

/** In every box, and read by no program of these tests. */
function* listUnread(): Generator<string> {
  const [library] = listLibraries()
  for (const path of ['/usr/bin/tar', join(dirname(library!), 'libpcre2-8.so.0')]) {
    if (existsSync(path)) yield path
  }
}

/** Large enough for a huge page, and small enough to be copied. */
function findMiddling(): string | undefined {
  const folder = dirname(listLibraries()[0]!)
  return readdirSync(folder)
    .filter((name) => name.includes('.so'))
    .map((name) => join(folder, name))
    .find((path) => existsSync(path) && statSync(path).size > 3 << 20 && statSync(path).size < 8 << 20)
}

function listLibraries(): string[] {
  const { platform, arch } = { platform: 'linux-gnu', arch: process.arch === 'x64' ? 'x86_64' : 'aarch64' }
  return [`/usr/lib/${arch}-${platform}/libc.so.6`]
}
