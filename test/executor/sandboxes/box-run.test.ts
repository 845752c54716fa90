/** The end of a run, where something of the box outlives it for a while. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openPipe } from '../../../src/executor/sandboxes/boxes/box-process.ts'
import { type BoxStart, finishRun, startBox } from '../../../src/executor/sandboxes/boxes/box-run.ts'
import { makeBoxStarter } from '../../../src/executor/sandboxes/boxes/box-starter.ts'
import type { WatchedBox } from '../../../src/executor/sandboxes/boxes/box-watch.ts'
import type { Group } from '../../../src/executor/sandboxes/cgroups/group.ts'
import type { BoxProgram } from '../../../src/executor/sandboxes/sandbox.ts'
import { until } from '../../support/until.ts'

describe('a run that is over', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildhall-box-run-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const makePipe = (name: string) => {
    const path = join(folder, name)
    execFileSync('mkfifo', [path])
    return openPipe(path)
  }
  /** Whose process has ended; the group is empty after so many looks. */
  async function finish(looks: number, words: string) {
    const [output, errors] = [makePipe(`output-${looks}`), makePipe(`errors-${looks}`)]
    let text = ''
    const program = { limits: { outputBytes: 1 << 20 }, onOutput: (chunk: Uint8Array) => (text += chunk) }
    const box = { ended: Promise.resolve(), took: () => {}, stop: () => {}, measure: () => ({}) }
    let looked = 0
    const group = { isEmpty: () => looked++ >= looks, kill: () => {} }
    writeSync(output.writeEnd, words)
    try {
      await finishRun(box as unknown as WatchedBox, program as unknown as BoxProgram, group as unknown as Group, [
        output.stream,
        errors.stream,
      ])
      return text
    } finally {
      output.forget()
      errors.forget()
    }
  }

  it('is read to its end though something holds the other end of its output open, as sockets in each other can', async () =>
    assert.equal(await finish(0, 'x'.repeat(60_000)), 'x'.repeat(60_000)))

  it('waits for processes that take seconds to be taken down', async () =>
    assert.equal(await finish(1_200, 'ok'), 'ok'))

  it('that could not begin leaves no pipe open and no group', async () => {
    const countOpen = () => readdirSync('/proc/self/fd').length
    const before = countOpen()
    // The first pipes can be opened, one of the next can't.
    for (let good = 0; good < 3; good++) {
      let drawn = 0
      const takePipe = () => {
        const path = join(folder, `drawn-${good}-${drawn}`)
        if (drawn++ < good) execFileSync('mkfifo', [path])
        return path
      }
      const removed: number[] = []
      const group = { entryFiles: [], kill: () => {}, remove: async () => void removed.push(good) }
      const start = { takePipe, makeGroup: () => group, words: () => [] } as unknown as BoxStart
      assert.throws(() => startBox(start), { code: 'ENOENT' })
      await until(() => removed.length > 0)
    }
    await until(() => countOpen() === before)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('drawn')),
      [],
    )
  })

  it('that could not be ordered has ended with the reason, and what was to start it is free', async () => {
    const setpriv = execFileSync('sh', ['-c', 'command -v setpriv']).toString().trim()
    const starter = makeBoxStarter(setpriv, join(folder, 'not', 'there'))
    for (let round = 0; round < 2; round++) {
      const error = await starter.start({ words: ['true'], descriptors: [] }).ended
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT')
    }
    await starter.close()
  })
})
