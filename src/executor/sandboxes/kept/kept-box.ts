/**
 * A reused box: the runs of one program, test after test, share its namespaces and mounts, as long as each run leaves
 * the box in its initial state. Creating a box costs many times as much as a run in it.
 */
import {
  closeSync,
  constants,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { dropIfItFails, openPipe, type ProcessStart, startProcess } from '../boxes/box-process.ts'
import { finishRun, type JoinedPipes, removeSoon, type StartedBox } from '../boxes/box-run.ts'
import { type BoxProcess, watchBox } from '../boxes/box-watch.ts'
import type { Stage } from '../boxes/launch-script.ts'
import type { Cgroup } from '../cgroups/group.ts'
import { listChildren, readProc } from '../processes.ts'
import type { BoxProgram } from '../sandbox.ts'
import { type KeptFolder, openKeptFolder } from './kept-folder.ts'

export type KeptStart = Pick<ProcessStart, 'starter' | 'bwrap' | 'words' | 'takePipe' | 'filterPath'> & {
  readonly stage: Stage
  /** Creates the cgroup of the next run. */
  readonly makeGroup: () => Cgroup
  readonly cores: number
}

/** The launch script says this when its run can't enter the cgroup by itself. */
const waiting = 'waiting\n'

export type KeptBox = {
  /** Resolves when it can be started, or is gone: a start then reports why. */
  readonly made: Promise<void>
  start(program: BoxProgram, joined?: JoinedPipes): StartedBox
  /** Resolves after the last run, if any, has been checked: whether another may follow. */
  isClean(): Promise<boolean>
  end(): Promise<void>
}

export function startKeptBox(start: KeptStart): KeptBox {
  const { stage } = start
  const orders = openOrders(start.takePipe())
  const complaints = dropIfItFails([orders], () => openPipe(start.takePipe()))
  const bubblewrap = dropIfItFails([orders, complaints], () =>
    startProcess({
      ...{ ...start, entryFiles: [], input: { read: orders.path }, output: { write: '/dev/null' } },
      errors: { write: complaints.path },
    }),
  )
  const place = (path: string, from: string) => {
    rmSync(path, { force: true })
    linkSync(from, path)
  }
  const placePipe = (name: string) => {
    const path = join(stage.pipeFolder, name)
    renameSync(start.takePipe(), path)
    return openPipe(path)
  }
  const placeTestFiles = (files: BoxProgram['testFiles']) => {
    if (!files) return
    for (const name of readdirSync(stage.testFolder)) rmSync(join(stage.testFolder, name))
    for (const { from, name } of files) linkSync(from, join(stage.testFolder, name))
  }
  const made = Promise.withResolvers<void>()
  let clean = Promise.withResolvers<boolean>()
  /** The cgroup of its present or last run. */
  let group: Cgroup | null = null
  let folder: KeptFolder | null = null
  /** The box's first process, known from the first run on. */
  let first: number | null = null
  let heldAtFirst = ''
  let saidBefore = ''
  let hear: ((text: string) => void) | null = null
  let complaint = ''
  let isGone = false
  /** While it runs its group is read, even if the box is gone. */
  let running: Promise<unknown> = Promise.resolve()

  /** The only process that the first one has is that of the run. */
  const admit = async () => {
    const isMoved = await group!.admit(listChildren(first!)[0]!).then(
      () => true,
      () => false,
    )
    if (isGone) return
    if (isMoved) orders.write('moved\n')
    // It never starts: a failure of the executor.
    else process.kill(first!, 'SIGKILL')
  }
  const leaveGroup = () => {
    if (group) removeSoon(group)
    group = null
  }

  bubblewrap.listen((said) => {
    const isWaiting = said.endsWith(waiting)
    if (isWaiting) void admit()
    const text = isWaiting ? said.slice(0, -waiting.length) : said
    if (hear) return hear(text)
    saidBefore += text
    if (saidBefore === 'made\n') made.resolve()
  })
  void bubblewrap.opened.then(() => {
    orders.forget()
    complaints.forget()
  })
  complaints.stream.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(0, 4096)
  })
  complaints.stream.on('error', () => undefined)
  const complained = new Promise<void>((resolve) => complaints.stream.on('close', () => resolve()))
  const ended = bubblewrap.ended.then(async (error) => {
    await complained
    isGone = true
    made.resolve()
    clean.resolve(false)
    void running.then(leaveGroup)
    return error
  })

  const begin = (program: BoxProgram, counts: Cgroup, isJoined: boolean): StartedBox => {
    const over = Promise.withResolvers<undefined>()
    // Output of a joined program goes to the other box.
    const output = isJoined && !program.handOut ? null : placePipe('output')
    const errors = placePipe('errors')
    const closeOwnEnds = () => {
      output?.closeOwnEnd()
      errors.closeOwnEnd()
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
      findFirst: bubblewrap.findFirst,
      ended: Promise.race([over.promise, ended]).finally(closeOwnEnds),
    }
    const box = watchBox(run, { program, cores: start.cores }, counts)
    orders.write(`${counts.name}\n`)
    return { box, outcome: finishRun(box, program, counts, [output?.stream ?? null, errors.stream], () => complaint) }
  }

  return {
    made: made.promise,
    start(program, joined) {
      clean = Promise.withResolvers()
      if (isGone) clean.resolve(false)
      if (joined) {
        place(join(stage.pipeFolder, 'input'), joined.input)
        place(join(stage.pipeFolder, 'joint'), joined.output)
      } else if (program.input !== undefined) place(join(stage.folder, 'input'), program.input)
      placeTestFiles(program.testFiles)
      if (hear === null) {
        first = bubblewrap.findFirst()
        folder = openKeptFolder(first, program.handOut?.folder)
        heldAtFirst = readHeld(first)
      }
      group = start.makeGroup()
      const started = begin(program, group, joined !== undefined)
      running = started.outcome
        .catch(() => undefined)
        .then(() => {
          if (isGone) leaveGroup()
        })
      return started
    },
    async isClean() {
      if (hear === null) return !isGone
      if (!(await clean.promise) || !folder?.restore() || readHeld(first) !== heldAtFirst) return false
      if (group?.isUnused() !== true) return false
      leaveGroup()
      return true
    },
    async end() {
      orders.close()
      await ended
    },
  }
}

/**
 * State that the kernel may keep of a run after its last process: the priority of its session, which each process may
 * set for later ones, and sockets that were sent through each other.
 */
const readHeld = (firstProcess: number | null): string =>
  ['autogroup', 'net/unix'].map((name) => readProc(`${firstProcess}/${name}`)).join('\n')

type Orders = { readonly path: string; write(text: string): void; close(): void; forget(): void; drop(): void }

/** A named pipe as the input of the box's first process: when it closes, the box ends. */
function openOrders(path: string): Orders {
  // Opened for reading and writing, it does not block, and nothing written before the box has opened it is lost.
  const descriptor = openSync(path, constants.O_RDWR)
  const close = () => closeSync(descriptor)
  const forget = () => unlinkSync(path)
  return {
    path,
    write: (text) => void writeSync(descriptor, text),
    close,
    forget,
    drop() {
      forget()
      close()
    },
  }
}
