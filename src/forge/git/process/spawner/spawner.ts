/**
 * Programs are started by a small process beside this one, the spawner. Whoever starts a program copies the tables of all
 * its own memory, and a server's event loop stands still meanwhile: 3 ms with 50 MB, 10 with 150, 40 with 570. The spawner
 * is there from the first program until a minute after the last. It ends with this process, and ends what it started; one
 * that dies is replaced by the next start.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Failure } from '../../../../lib/failure.ts'
import { openPair } from './numbered-connection.ts'

export type Program = {
  readonly file: string
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Whether it is given anything to read; else it finds the end at once. */
  readonly hasInput: boolean
  /** How much is kept of what it says on its third stream. */
  readonly maxComplaintBytes?: number
}

export type StartedProgram = {
  readonly pid: number
  /** Null where it has no input. */
  readonly stdin: Socket | null
  readonly stdout: Socket
  /** When it has ended, be it that more of its output is to be read. Rejects where nobody can say how it ended. */
  readonly ended: Promise<Ending>
  /** Ends it and all that it started, unless it has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): void
}

export type Ending = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly complaint: string
  /** The processor time that it took, with that of its children. */
  readonly cpuMicros: number
}

/** Throws the system's error where the program can't be started. */
export async function startProgram(program: Program): Promise<StartedProgram> {
  for (let tries = 1; ; tries++) {
    current ??= launch()
    try {
      return await current.start(program)
    } catch (error) {
      // One that was gone before it was asked has started nothing: the next can.
      if (!(error instanceof SpawnerGone) || tries === maxTries) throw error
    }
  }
}

const maxTries = 3
const idleMs = 60_000
const defaultComplaintBytes = 4_000

/** They keep its memory small: the smaller it is, the cheaper is each start. */
const flags = ['--jitless', '--max-semi-space-size=1', '--v8-pool-size=0']

class SpawnerGone extends Error {}

type Spawner = { start(program: Program): Promise<StartedProgram> }
type Message =
  | { kind: 'ready'; folder: string; address: string }
  | { kind: 'started'; id: number; pid: number }
  | { kind: 'failed'; id: number; code: string | undefined; text: string }
  | ({ kind: 'ended'; id: number } & Ending)

let current: Spawner | undefined

function launch(): Spawner {
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, 'spawner-process.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { TMPDIR: process.env.TMPDIR, MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1' },
  })
  const programs = new Map<number, Followed>()
  let lastId = 0
  /** How many are asked for or run. */
  let busy = 0
  let idle: NodeJS.Timeout | undefined
  let folder: string | undefined
  const ready = Promise.withResolvers<string>()
  ready.promise.catch(() => {})

  child.on('message', (message: Message) => {
    if (message.kind === 'ready') {
      folder = message.folder
      return ready.resolve(message.address)
    }
    const program = programs.get(message.id)
    if (message.kind === 'started') return program?.started(message.pid)
    programs.delete(message.id)
    if (message.kind === 'ended') program?.ended(message)
    else program?.failed(Object.assign(new Error(message.text), { code: message.code }))
  })

  const retire = () => {
    if (current === spawner) current = undefined
    clearTimeout(idle)
  }
  for (const event of ['error', 'disconnect', 'exit'])
    child.once(event, () => {
      retire()
      ready.reject(new SpawnerGone('The spawner could not be started.'))
      for (const program of programs.values()) program.abandon()
      programs.clear()
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    })

  /** This process is kept while something runs, and may end while nothing does. */
  function count(step: 1 | -1): void {
    busy += step
    clearTimeout(idle)
    setHold(child, busy > 0)
    if (busy > 0) return
    idle = setTimeout(() => {
      retire()
      if (child.connected) child.disconnect()
    }, idleMs).unref()
  }

  async function start({ hasInput, maxComplaintBytes = defaultComplaintBytes, ...rest }: Program) {
    const address = await ready.promise
    const [output, input] = await openPair(address, hasInput).catch((error: Error) => {
      throw new SpawnerGone(error.message)
    })
    // Nothing comes back on it but its end, which must be read to be seen.
    input?.socket.resume()
    const id = ++lastId
    const program = follow()
    programs.set(id, program)
    const request = { kind: 'start', id, ...rest, maxComplaintBytes, input: input?.number, output: output.number }
    child.send(request, (error) => {
      if (error && programs.delete(id)) program.failed(new SpawnerGone(error.message))
    })
    try {
      return {
        pid: await program.pid,
        stdin: input?.socket ?? null,
        stdout: output.socket,
        ended: program.ending,
        end(signal: 'SIGTERM' | 'SIGKILL') {
          if (programs.has(id) && child.connected) child.send({ kind: 'end', id, signal }, () => {})
        },
      }
    } catch (error) {
      input?.socket.destroy()
      output.socket.destroy()
      throw error
    }
  }

  const spawner: Spawner = {
    async start(program) {
      count(1)
      try {
        const started = await start(program)
        const leave = () => count(-1)
        started.ended.then(leave, leave)
        return started
      } catch (error) {
        count(-1)
        throw error
      }
    },
  }
  return spawner
}

type Followed = ReturnType<typeof follow>

/** What is known of one program. */
function follow() {
  const start = Promise.withResolvers<number>()
  const end = Promise.withResolvers<Ending>()
  let group: number | undefined
  for (const { promise } of [start, end]) (promise as Promise<unknown>).catch(() => {})
  const failed = (error: Error) => {
    start.reject(error)
    end.reject(error)
  }
  return {
    pid: start.promise,
    ending: end.promise,
    started(pid: number): void {
      group = pid
      start.resolve(pid)
    },
    ended: end.resolve,
    failed,
    /** The spawner is gone, and could end nothing. */
    abandon(): void {
      try {
        if (group !== undefined) process.kill(-group, 'SIGKILL')
      } catch {}
      failed(
        new Failure(
          'unavailable',
          'git-ended',
          'The process that was working on this was stopped: try again in a moment.',
        ),
      )
    },
  }
}

function setHold(child: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}
