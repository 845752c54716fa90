/** Boxes that are kept: a run in one has the figures of its own, and finds nothing that an earlier run left. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { BoxOutcome } from '../../../src/executor/sandboxes/sandbox.ts'
import { skipWithoutKeptBoxes, textOf, useKeptStage } from './kept-stage.ts'

/** Does what its input says; tells its number and what is to be seen of others. */
const source = `
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
static void *idle(void *x) { return x; }
static void list(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return;
  for (struct dirent *e; (e = readdir(folder));) if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) printf(" %s/%s", path, e->d_name);
  closedir(folder);
}
static void tellTime(void) {
  char line[200];
  FILE *file = fopen("/proc/self/sched", "r");
  while (fgets(line, sizeof line, file)) if (!strncmp(line, "se.vruntime", 11)) fputs(strchr(line, ':') + 1, stderr);
}
int main(void) {
  char word[100] = "";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  scanf("%99[^\\n]", word);
  pthread_t t;
  if (!strcmp(word, "file")) close(open("/box/left", O_CREAT | O_WRONLY, 0600));
  else if (!strcmp(word, "hidden")) close(open("/box/..x", O_CREAT | O_WRONLY, 0600));
  else if (!strcmp(word, "link")) symlink("/nowhere", "/box/left");
  else if (!strcmp(word, "folder")) mkdir("/box/left", 0);
  else if (!strcmp(word, "trace")) { usleep(20000); close(open("/tmp/x", O_CREAT | O_WRONLY, 0600)); unlink("/tmp/x"); }
  else if (!strcmp(word, "unnamed")) close(open("/box", O_TMPFILE | O_RDWR, 0600));
  else if (!strcmp(word, "fork")) { if (fork() == 0) _exit(0); }
  else if (!strcmp(word, "stay")) { if (fork() == 0) for (;;) pause(); }
  else if (!strcmp(word, "thread")) { pthread_create(&t, 0, idle, 0); pthread_join(t, 0); }
  else if (!strcmp(word, "attribute")) printf("%d ", setxattr("/box", "user.left", "x", 1, 0));
  else if (!strcmp(word, "shared")) printf("%d ", shmget(1, 4096, IPC_CREAT | 0600));
  else if (!strcmp(word, "memory")) { volatile char *p = malloc(40 << 20); for (long i = 0; i < 40 << 20; i += 4096) p[i] = 1; }
  else if (!strcmp(word, "spin")) { for (volatile long i = 0; i < 100000000; i++); }
  else if (!strcmp(word, "spin there")) { sched_setaffinity(0, sizeof one, &one); for (volatile long i = 0; i < 100000000; i++); }
  else if (!strcmp(word, "tell time there")) { sched_setaffinity(0, sizeof one, &one); tellTime(); }
  else if (!strcmp(word, "crash")) abort();
  else if (!strcmp(word, "eat")) for (;;) { volatile char *p = malloc(1 << 20); for (long i = 0; i < 1 << 20; i += 4096) p[i] = 1; }
  else if (!strcmp(word, "sleep")) pause();
  else if (!strcmp(word, "age")) { struct stat s; stat("/", &s); printf("%lld ", (long long)s.st_ctime * 1000 + s.st_ctim.tv_nsec / 1000000); }
  else if (!strcmp(word, "stage")) { printf("%d %d ", access("/stage/run", F_OK), access("/proc/1/stat", F_OK)); }
  printf("%d", getpid());
  list("/box");
  char held[1];
  if (getxattr("/box", "user.left", held, 1) >= 0) printf(" attribute");
  if (shmget(1, 4096, 0) >= 0) printf(" shared");
  return 0;
}
`

describe('a box that is kept', { skip: skipWithoutKeptBoxes }, () => tryBoxes(false))
describe('a box that is kept, with runs that are moved into their cgroups', { skip: skipWithoutKeptBoxes }, () =>
  tryBoxes(true),
)

function tryBoxes(areRunsMoved: boolean): void {
  const stage = useKeptStage(source, { areRunsMoved })

  async function run(word: string, change: object = {}): Promise<BoxOutcome & { output: string }> {
    const input = await stage.sandbox().keep(Buffer.from(word))
    const box = stage.box()
    let output = ''
    try {
      const outcome = await stage.sandbox().run({
        ...{ ...box, input: input.path, limits: { ...box.limits, wallMs: 1_000, ...change } },
        onOutput: (chunk) => {
          output += Buffer.from(chunk).toString()
        },
      })
      return { ...outcome, output }
    } finally {
      input.drop()
    }
  }
  /** In a new box the program is the second process. */
  const isNew = ({ output }: { output: string }) => /(?:^| )2$/.test(output)
  const renew = async () => {
    await run('fork')
    assert.ok(isNew(await run('look')))
  }

  it('is used again by the same program, with the input of each run', async () => {
    await renew()
    assert.equal((await run('look')).output, '4')
    assert.deepEqual([(await run('crash')).signal, (await run('look')).output], ['SIGABRT', '8'])
    for (let number = 10; number < 40; number += 2) assert.equal((await run('look')).output, String(number))
    assert.ok(isNew(await run('look', { memoryBytes: 65 << 20 })), 'a box with other limits is another')
  })

  it('is not used again once something is left in it, or was there', async () => {
    const words = ['file', 'hidden', 'link', 'folder', 'trace', 'unnamed', 'fork', 'stay', 'thread', 'eat', 'sleep']
    for (const word of words) {
      await renew()
      await run(word)
      assert.equal((await run('look')).output, '2', `after ${word}`)
    }
  })

  it('takes nothing else that could be found by the next run', async () => {
    for (const word of ['attribute', 'shared']) {
      assert.match((await run(word)).output, /^-1 \d+$/)
      assert.match((await run('look')).output, /^\d+$/)
    }
    assert.match((await run('stage')).output, /^-1 -1 \d+$/)
  })

  it('is made while the program is compiled that will run in it', async () => {
    const sandbox = stage.sandbox()
    const { limits, ...box } = stage.box()
    const input = await sandbox.keep(Buffer.from('age'))
    const next = { ...box, keptFor: 'next', input: input.path, limits }
    let output = ''
    await sandbox.run(
      { ...box, command: ['/bin/sh', '-c', 'sleep 0.5; echo x >/box/out'], collect: '/box/out', limits },
      { next },
    )
    const compiledAt = Date.now()
    const { exitCode } = await sandbox.run({ ...next, onOutput: (chunk) => (output += Buffer.from(chunk).toString()) })
    input.drop()
    assert.equal(exitCode, 0)
    const [madeAt, number] = output.split(' ').map(Number)
    assert.ok(madeAt! < compiledAt - 200, `made at ${madeAt}, compiled at ${compiledAt}`)
    assert.equal(number, 2)
  })

  it('counts for each run what it took, and not what others did', async () => {
    await renew()
    const [large, busy, small] = [await run('memory'), await run('spin'), await run('look')]
    assert.ok(!isNew(small))
    assert.ok(large.peakMemoryBytes > 40 << 20 && small.peakMemoryBytes < 2 << 20, `${small.peakMemoryBytes}`)
    assert.ok(busy.cpuMs > 20 && small.cpuMs < busy.cpuMs / 2, `${busy.cpuMs} and ${small.cpuMs}`)
  })

  it('tells no run the processor time of those before', {
    skip: !existsSync('/proc/self/sched') && 'this kernel does not tell it',
  }, async () => {
    await renew()
    const first = await run('tell time there')
    const busy = await run('spin there')
    const second = await run('tell time there')
    assert.ok(!isNew(second))
    const [before, after] = [first, second].map((told) => Number(textOf(told)))
    assert.ok(after! < before! + busy.cpuMs / 2, `${after} after ${before} and ${busy.cpuMs} ms`)
  })
}
