/**
 * Starts programs through a small child process, the spawner. Starting a process copies the page tables of its parent,
 * and the server's event loop stands still meanwhile: 3 ms with 50 MB, 10 with 150, 40 with 570. The spawner runs from
 * the first program until a minute after the last. It ends with this process, and ends what it started. If it dies, the
 * next start replaces it.
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
  /** Whether the program gets input; otherwise it reads the end at once. */
  readonly hasInput: boolean
  /** How much of its standard error is kept. */
  readonly maxComplaintBytes?: number
}

export type StartedProgram = {
  readonly pid: number
  /** Null if it has no input. */
  readonly stdin: Socket | null
  readonly stdout: Socket
  /** Resolves when the program has ended, even if output is left to read. Rejects if nobody knows how it ended. */
  readonly ended: Promise<Ending>
  /** Ends the program and its children; does nothing if it has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): void
}

export type Ending = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly complaint: string
  /** Its processor time, with that of its children. */
  readonly cpuMicros: number
}

/** Throws the system's error if the program cannot be started. */
export async function startProgram(program: Program): Promise<StartedProgram> {
  for (let tries = 1; ; tries++) {
    current ??= launch()
    try {
      return await current.start(program)
    } catch (error) {
      // A spawner that was gone before the request has started nothing, so the next one can be asked.
      if (!(error instanceof SpawnerGone) || tries === maxTries) throw error
    }
  }
}

const maxTries = 3
const idleMs = 60_000
const defaultComplaintBytes = 4_000

/** These keep the spawner's memory small: the smaller it is, the cheaper each start. */
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
  /** How many programs are requested or running. */
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

  /** The child keeps this process alive only while programs run. */
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
    // The only event is its end, and a socket must be read to see that.
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

/** The state of one program. */
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
    /** The spawner is gone and could not end it. */
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
