/** Pairs in boxes that are kept: each test has pipes and files of its own, and finds nothing that an earlier one left. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skipWithoutKeptBoxes, textOf, useKeptStage } from './kept-stage.ts'

/**
 * The partner (it has an argument) does what the test's first word says and tells the program the second, which that does.
 * Each tells its number and what it sees: the program its partner, and that the executor, on its stderr.
 */
const source = `
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static void *idle(void *x) { return x; }
static void list(FILE *to, const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return;
  for (struct dirent *e; (e = readdir(folder));) if (e->d_name[0] != '.' && strcmp(e->d_name, "feedback")) fprintf(to, " %s/%s", path, e->d_name);
  closedir(folder);
}
static void act(const char *word) {
  pthread_t t;
  if (!strcmp(word, "file")) close(open("/box/left", O_CREAT | O_WRONLY, 0600));
  else if (!strcmp(word, "folder")) mkdir("/box/feedback/left", 0700);
  else if (!strcmp(word, "message")) dprintf(open("/box/feedback/judgemessage.txt", O_CREAT | O_WRONLY, 0600), "said");
  else if (!strcmp(word, "hidden")) close(open("/box/feedback/.x", O_CREAT | O_WRONLY, 0600));
  else if (!strcmp(word, "trace")) { close(open("/box/feedback/x", O_CREAT | O_WRONLY, 0600)); unlink("/box/feedback/x"); }
  else if (!strcmp(word, "unnamed")) close(open("/box/feedback", O_TMPFILE | O_RDWR, 0600));
  else if (!strcmp(word, "fork")) { if (fork() == 0) _exit(0); }
  else if (!strcmp(word, "stay")) { if (fork() == 0) for (;;) pause(); }
  else if (!strcmp(word, "thread")) { pthread_create(&t, 0, idle, 0); pthread_join(t, 0); }
  else if (!strcmp(word, "refuse")) exit(1);
  else if (!strcmp(word, "memory")) { volatile char *p = malloc(40 << 20); for (long i = 0; i < 40 << 20; i += 4096) p[i] = 1; }
  else if (!strcmp(word, "sleep")) for (;;) pause();
}
int main(int count, char **words) {
  char mine[100] = "", other[100] = "", line[4096];
  if (count == 1) {
    scanf("%99s", other);
    act(other);
    printf("%d", strcmp(other, "who") ? getpid() : getuid());
    list(stdout, "/box");
    list(stdout, "/judge");
    return 0;
  }
  FILE *test = fopen("/judge/input", "r");
  fscanf(test, "%99s %99s", mine, other);
  printf("%s\\n", other);
  fclose(stdout);
  act(mine);
  fprintf(stderr, "%d", strcmp(mine, "who") ? getpid() : getuid());
  list(stderr, "/box");
  list(stderr, "/box/feedback");
  list(stderr, "/judge");
  fprintf(stderr, " | %s", fgets(line, sizeof line, stdin));
  return 0;
}
`

describe('two boxes that are kept', { skip: skipWithoutKeptBoxes }, () => {
  const stage = useKeptStage(source)

  /** Answers what both said, and the file that the partner handed out. */
  async function talk(mine: string, other: string, keptFor = 'one') {
    const { partner, program, handedOut } = await stage.talk({
      ...{ words: `${mine} ${other}`, names: ['judgemessage.txt'], keptFor },
      mayGoOn: (exitCode) => exitCode === 0,
    })
    return { said: textOf(partner), handedOut, peaks: [partner.peakMemoryBytes, program.peakMemoryBytes] as const }
  }
  const renew = async () => {
    await talk('fork', 'fork')
    assert.equal((await talk('look', 'look')).said, '2 /judge/input | 2')
  }

  it('are used again by the same two programs, with the files and the words of each test', async () => {
    await renew()
    const { said, handedOut } = await talk('look', 'look')
    assert.deepEqual([said, handedOut], ['5 /judge/input | 4', ''])
    assert.equal((await talk('look', 'file')).said, '8 /judge/input | 6 /box/left')
    assert.equal((await talk('look', 'look')).said, '11 /judge/input | 2', 'only the one that was soiled is another')
    assert.equal((await talk('look', 'look', 'another')).said, '2 /judge/input | 4', 'of another submission')
  })

  it('are not used again once something is left in one, or was there', async () => {
    for (const word of ['file', 'folder', 'fork', 'stay', 'thread', 'sleep']) {
      await renew()
      await talk(word, 'look')
      assert.match((await talk('look', 'look')).said, /^2 \/judge\/input \| /, `after ${word}`)
    }
    for (const word of ['file', 'fork', 'thread', 'sleep']) {
      await renew()
      await talk('look', word)
      assert.match((await talk('look', 'look')).said, / 2$/, `after ${word} of the program`)
    }
  })

  it('are used again by a checker that wrote its feedback, which the next test does not find', async () => {
    await renew()
    for (const [round, word] of ['message', 'hidden', 'trace', 'unnamed', 'message', 'look'].entries())
      assert.match((await talk(word, 'look')).said, new RegExp(`^${3 * round + 5} [^|]* \\| `), `before ${word}`)
    assert.match((await talk('look', 'look')).said, /^23 \/judge\/input \| /)
  })

  it('have two users and two cgroups, each of which counts what its own one took in this test', async () => {
    await renew()
    const [program, , , partner] = stage.sandbox().users
    assert.equal((await talk('who', 'who')).said, `${partner} /judge/input | ${program}`)
    const [mine, other, neither] = [
      await talk('memory', 'look'),
      await talk('look', 'memory'),
      await talk('look', 'look'),
    ].map(({ peaks }) => peaks.map((bytes) => bytes > 40 << 20))
    assert.deepEqual(
      [mine, other, neither],
      [
        [true, false],
        [false, true],
        [false, false],
      ],
    )
    assert.equal((await talk('look', 'look')).said, '17 /judge/input | 12')
  })

  it('hand out what the partner wrote, and stop the program that it refuses', async () => {
    await renew()
    assert.equal((await talk('message', 'look')).handedOut, '4 judgemessage.txt\n\nsaid')
    await talk('refuse', 'sleep')
    assert.match((await talk('look', 'look')).said, / 2$/, 'the box of one that was stopped is gone')
  })
})
