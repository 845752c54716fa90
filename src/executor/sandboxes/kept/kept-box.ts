/**
 * A box that is kept: the runs of one program, test after test, have the same namespaces and mounts, as long as each run left
 * the box as it found it. To make a box anew costs many times what a run in it does.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, linkSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endOf, findFirstProcess, listenTo } from '../boxes/box-process.ts'
import { finishRun, openPipe, removeSoon, type StartedBox } from '../boxes/box-run.ts'
import { type BoxProcess, watchBox } from '../boxes/box-watch.ts'
import type { BoxPlace } from '../boxes/launch-script.ts'
import type { Group } from '../cgroups/group.ts'
import { readProc } from '../processes.ts'
import type { BoxProgram } from '../sandbox.ts'
import { type KeptFolder, openKeptFolder } from './kept-folder.ts'

export type KeptStart = {
  readonly bwrap: string
  readonly drawPipe: () => string
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly stage: NonNullable<BoxPlace['stage']>
  readonly filterPath: string
  readonly group: Group
  readonly cores: number
}

/** The paths of the pipes that join a run to another's. */
export type JoinedPipes = { readonly input: string; readonly output: string }

export type KeptBox = {
  /** Resolves once it can be started, or is gone: a start then tells why. */
  readonly made: Promise<void>
  start(program: BoxProgram, joined?: JoinedPipes): StartedBox
  /** Resolves once the last run was looked after: whether there may be another. */
  isClean(): Promise<boolean>
  end(): Promise<void>
}

export function startKeptBox(start: KeptStart): KeptBox {
  const { group, stage } = start
  const child = launch(start)
  const gone = endOf(child)
  const place = (name: string, from: string) => {
    const path = join(stage.folder, name)
    rmSync(path, { force: true })
    linkSync(from, path)
  }
  const placePipe = (name: string) => {
    const path = join(stage.folder, name)
    renameSync(start.drawPipe(), path)
    return openPipe(path)
  }
  const placeTestFiles = (files: BoxProgram['testFiles']) => {
    if (!files) return
    for (const name of readdirSync(stage.testFolder)) rmSync(join(stage.testFolder, name))
    for (const { from, name } of files) linkSync(from, join(stage.testFolder, name))
  }
  const made = Promise.withResolvers<void>()
  let clean = Promise.withResolvers<boolean>()
  let round: Group | null = group
  let folder: KeptFolder | null = null
  let heldAtFirst = ''
  let saidBefore = ''
  let hear: ((text: string) => void) | null = null
  let complaint = ''
  /** Until it is over its group is read, though the box may be gone. */
  let running: Promise<unknown> = Promise.resolve()

  listenTo(child, (text) => {
    if (hear) return hear(text)
    saidBefore += text
    if (saidBefore === 'made\n') made.resolve()
  })
  child.stderr!.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(0, 4096)
  })
  child.stdin!.on('error', () => undefined)
  const ended = gone.then((error) => {
    made.resolve()
    clean.resolve(false)
    void running.then(() => removeSoon(group))
    return error
  })

  const begin = (program: BoxProgram, counts: Group, isJoined: boolean): StartedBox => {
    const over = Promise.withResolvers<undefined>()
    // What one that is joined writes goes to the other.
    const output = isJoined && !program.handOut ? null : placePipe('output')
    const errors = placePipe('errors')
    let ownEnds = [...(output ? [output.writeEnd] : []), errors.writeEnd]
    /** Until the program has ends of its own, the pipes would read as ended. */
    const closeOwnEnds = () => {
      for (const descriptor of ownEnds) closeSync(descriptor)
      ownEnds = []
    }
    const listen: BoxProcess['listen'] = (take) => {
      let said = ''
      hear = (text) => {
        said += text
        if (said.startsWith('ready\n')) closeOwnEnds()
        take(text)
        if (/^ended \d+$/m.test(said)) over.resolve(undefined)
        if (said.endsWith('\nclean\n')) clean.resolve(true)
      }
      if (saidBefore !== 'made\n') hear(saidBefore)
      saidBefore = 'made\n'
    }
    const run: BoxProcess = {
      listen,
      findFirst: () => findFirstProcess(child),
      ended: Promise.race([over.promise, ended]).finally(closeOwnEnds),
    }
    const box = watchBox(run, { program, cores: start.cores }, counts)
    child.stdin!.write('run\n')
    return { box, outcome: finishRun(box, program, counts, [output?.stream ?? null, errors.stream], () => complaint) }
  }

  return {
    made: made.promise,
    start(program, joined) {
      clean = Promise.withResolvers()
      if (child.exitCode !== null || child.signalCode !== null) clean.resolve(false)
      const input = joined?.input ?? program.input
      if (input !== undefined) place('input', input)
      if (joined) place('joint', joined.output)
      placeTestFiles(program.testFiles)
      if (hear === null) {
        const first = findFirstProcess(child)
        folder = openKeptFolder(first, program.handOut?.folder)
        heldAtFirst = readHeld(first)
      }
      const started = begin(program, round!, joined !== undefined)
      running = started.outcome.catch(() => undefined)
      return started
    },
    async isClean() {
      if (!(await clean.promise) || !folder?.restore() || readHeld(findFirstProcess(child)) !== heldAtFirst)
        return false
      round = group.beginRound?.() ?? null
      return round !== null
    },
    async end() {
      child.stdin!.end()
      await ended
    },
  }
}

/**
 * What the kernel may hold of a run after its last process: how much its session is to have of the processors, which each
 * process may set for those to come, and sockets that were sent through one another.
 */
const readHeld = (firstProcess: number | null): string =>
  ['autogroup', 'net/unix'].map((name) => readProc(`${firstProcess}/${name}`)).join('\n')

function launch({ bwrap, words, environment, filterPath, group }: KeptStart): ChildProcess {
  const filter = openSync(filterPath, constants.O_RDONLY)
  const entryFiles = group.entryFiles.map((entryFile) => openSync(entryFile, constants.O_WRONLY))
  try {
    return spawn(bwrap, words, {
      env: { ...environment },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe', filter, ...entryFiles],
    })
  } finally {
    for (const descriptor of [filter, ...entryFiles]) closeSync(descriptor)
  }
}
