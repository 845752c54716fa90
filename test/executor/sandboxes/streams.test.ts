/** The streams of a run: pipes of its own, which tell nothing of the run before and are as large as for everyone. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Bubblewrap, makeBubblewrap } from '../../../src/executor/sandboxes/bubblewrap.ts'
import { makePipeReserve } from '../../../src/executor/sandboxes/pipe-reserve.ts'
import type { BoxProgram, KeptFile } from '../../../src/executor/sandboxes/sandbox.ts'
import { until } from '../../support/until.ts'
import { compileC } from './compile-c.ts'

/** Tells on its stderr the times and the sizes of its streams, and then makes them small; the partner's waits for it. */
const source = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int count, char **words) {
  char line[2];
  if (count > 1) read(0, line, 2);
  struct stat out, err;
  fstat(1, &out);
  fstat(2, &err);
  long in = fcntl(0, F_GETPIPE_SZ), size = fcntl(1, F_GETPIPE_SZ);
  int set = fcntl(1, F_SETPIPE_SZ, 4096);
  fcntl(0, F_SETPIPE_SZ, 4096);
  write(1, "x\\n", 2);
  dprintf(2, "times %ld %ld %ld %ld sizes %ld %ld set %d", out.st_atim.tv_sec, out.st_mtim.tv_sec, err.st_atim.tv_sec,
    err.st_mtim.tv_sec, in, size, set);
  return 0;
}
`
const sizes = { memoryBytes: 64 << 20, outputBytes: 1 << 20, folderBytes: 1 << 20 }
const limits = { ...sizes, cpuMs: 2_000, wallMs: 5_000, processes: 32 }

describe('the streams of a run', () => {
  let strict: Bubblewrap
  /** Without the filter, so that a program can do to its pipes what it would. */
  let lax: Bubblewrap
  let file: KeptFile
  let input: KeptFile
  before(async () => {
    strict = makeBubblewrap({ slotCount: 1 })
    lax = makeBubblewrap({ slotCount: 1, without: ['filter'] })
    file = await compileC(strict, source)
    input = await strict.keep(Buffer.from('1\n'))
  })
  after(() => Promise.all([strict.close(), lax.close()]))

  const program = (...words: string[]): BoxProgram => ({
    ...{ command: ['/program/program', ...words], environment: {}, folders: [], limits, onOutput: () => undefined },
    files: [{ from: file.path, at: '/program/program' }],
  })
  const talk = async (sandbox: Bubblewrap) => {
    const outcome = await sandbox.runPair({ program: program(), partner: program('wait'), mayGoOn: () => true })
    return Buffer.from(outcome.program.stderr).toString()
  }

  it('have no times of an earlier run, in a box that is kept and in one that is not', async () => {
    for (const isSlow of [false, false, true, true]) {
      const { stderr } = await strict.run({ ...program(), input: input.path }, { isSlow })
      assert.match(Buffer.from(stderr).toString(), /^times 0 0 0 0 /)
    }
  })

  it('are numbered in no order, and made ahead', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'guildhall-pipes-'))
    const pipes = makePipeReserve(folder)
    t.after(() => {
      pipes.close()
      rmSync(folder, { recursive: true, maxRetries: 10 })
    })
    const count = () => readdirSync(folder).length
    const [first] = [count()]
    const numbers = Array.from({ length: first - 1 }, () => statSync(pipes.take()))
    assert.ok(numbers.every((found) => found.isFIFO() && found.mtimeMs === 0))
    const inodes = numbers.map(({ ino }) => ino)
    assert.equal(new Set(inodes).size, inodes.length)
    for (const order of [1, -1])
      assert.notDeepEqual(
        inodes,
        inodes.toSorted((a, b) => order * (a - b)),
      )
    await until(() => count() === 2 * first)
    // One that finds none left makes them itself.
    assert.equal(new Set(Array.from({ length: 2 * first }, pipes.take)).size, 2 * first)
  })

  it('are new for each pair that talks, however small the pair before has made its own', async () => {
    for (let i = 0; i < 6; i++) assert.match(await talk(lax), /^times 0 0 0 0 sizes 1048576 1048576 set 4096$/)
  })

  it('keep their size', async () => {
    assert.match(await talk(strict), / set -1$/)
  })
})
