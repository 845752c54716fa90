/** What it takes to start git from a process of a server's size: by the spawner, against the process itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { startProgram } from '../src/forge/git/process/spawner/spawner.ts'
import type { Row } from './table.ts'

const rounds = 5
const startsPerRound = 100
const ballastMib = 250

const program = { file: '/bin/sh', words: ['-c', 'exec git --version'], cwd: tmpdir(), env: { PATH: process.env.PATH } }

export async function bench(): Promise<Row[]> {
  const ballast = Array.from({ length: ballastMib }, (_, i) => Buffer.alloc(1024 * 1024, i + 1))
  await startBySpawner()
  const spawner = Number(readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8'))
  const all: number[] = []
  const own: number[] = []
  for (let round = 0; round < rounds; round++) {
    const beside = await measure(startBySpawner, spawner)
    const direct = await measure(startDirectly, spawner)
    all.push(beside.all / direct.all)
    own.push(beside.own / direct.own)
  }
  const against = `started by a process with ${ballast.length} MiB of its own`
  const goal = { atMost: 0.5 }
  return [
    { what: 'processor time of a start of git by the spawner, all processes together', against, ratios: all, goal },
    { what: 'of it, what the server’s own thread spends', against, ratios: own, goal },
  ]
}

async function startBySpawner(): Promise<void> {
  const { stdout, ended } = await startProgram({ ...program, hasInput: false })
  stdout.resume()
  await Promise.all([ended, once(stdout, 'close')])
}

async function startDirectly(): Promise<void> {
  const { file, words, ...options } = program
  const child = spawn(file, words, { ...options, detached: true })
  child.stdout.resume()
  child.stderr.resume()
  await once(child, 'close')
}

/** In hundredths of a second. */
async function measure(start: () => Promise<void>, spawner: number): Promise<{ all: number; own: number }> {
  const before = [readTimes('self'), readTimes(spawner)]
  for (let i = 0; i < startsPerRound; i++) await start()
  const [self, beside] = [readTimes('self'), readTimes(spawner)]
  const own = self.own - before[0]!.own
  const others = self.children - before[0]!.children + beside.own + beside.children
  return { own, all: own + others - before[1]!.own - before[1]!.children }
}

/** proc_pid_stat(5): `utime` and `stime`, `cutime` and `cstime`. */
function readTimes(pid: number | 'self'): { own: number; children: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [own, ownSystem, children, childrenSystem] = fields.slice(11, 15).map(Number) as [
    number,
    number,
    number,
    number,
  ]
  return { own: own + ownSystem, children: children + childrenSystem }
}
