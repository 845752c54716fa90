/** `npm start` and what becomes of it: npm is killed, or its whole group is told to end. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listChildren } from '../../src/executor/sandboxes/processes.ts'
import { awaitAddress, type Program, root } from '../support/program.ts'

/** Each way of the start script: it becomes the server where its Node can, and stays beside it otherwise. */
const ways = {
  'handed over': {},
  'run beside': { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent('delete process.execve')}` },
}

for (const [way, extra] of Object.entries(ways)) {
  describe(`npm start, ${way}`, () => {
    let folder: string
    const pids = new Set<number>()
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'guildhall-npm-'))
    })
    after(async () => {
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      await rm(folder, { recursive: true, force: true })
    })

    async function start(): Promise<{ npm: Program; below: number[] }> {
      const { HOME, TMPDIR, PATH } = process.env
      const path = `${dirname(process.execPath)}${delimiter}${PATH}`
      const env = { PATH: path, HOME, TMPDIR, GUILDHALL_PORT: '0', GUILDHALL_EXECUTORS: '0', GUILDHALL_DATA: folder }
      // The shell that finds npm becomes it: the process that we kill is npm itself.
      const child = spawn('npm', ['start'], {
        cwd: root,
        env: { ...env, ...extra },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      const npm = await awaitAddress(child)
      const below = listAllBelow(child.pid!)
      for (const pid of [child.pid!, ...below]) pids.add(pid)
      return { npm, below }
    }

    it('ends with npm, when that is killed without a word', async () => {
      const { npm, below } = await start()
      assert.ok(below.some((pid) => /\.build\/\w+\/cli\.js.serve/.test(readCommand(pid))))
      npm.child.kill('SIGKILL')
      while (below.some(isAlive)) await sleep(50)
      await assert.rejects(fetch(`${npm.url}/healthz`))
    })

    it('ends with 0 when its whole group is told to', async () => {
      const { npm } = await start()
      const ended = once(npm.child, 'exit')
      process.kill(-npm.child.pid!, 'SIGTERM')
      assert.deepEqual(await ended, [0, null])
    })

    if (way === 'handed over') {
      it('leaves no start script beside the server', async () => {
        const { npm, below } = await start()
        assert.equal(below.length, 1, below.map(readCommand).join('\n'))
        assert.equal(await npm.end('SIGTERM'), 0)
      })
    }
  })
}

const listAllBelow = (pid: number): number[] => listChildren(pid).flatMap((child) => [child, ...listAllBelow(child)])

const readCommand = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')

/** One that has ended and that nobody has asked about is a zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
