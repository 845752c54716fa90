/**
 * The sandbox on bubblewrap: every namespace, a seccomp filter, a cgroup if one can be created, and new pipes for each
 * run.
 */

import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { boxArguments } from './boxes/box-arguments.ts'
import { type BoxStart, runBox, startBox } from './boxes/box-run.ts'
import { makeBoxStarter } from './boxes/box-starter.ts'
import { claimUsers, unclaimedUsers } from './boxes/box-users.ts'
import { hideHostFigures } from './boxes/host-figures.ts'
import { closeInheritedDescriptors } from './boxes/inherited-descriptors.ts'
import type { BoxHost } from './boxes/launch-script.ts'
import { openCgroups } from './cgroups/cgroups.ts'
import { makeSampledGroup } from './cgroups/sampling.ts'
import { assembleFilter } from './filter/seccomp.ts'
import type { Machine } from './filter/system-calls.ts'
import { makeKeptBoxes } from './kept/kept-boxes.ts'
import { findOnPath, readBwrapVersion } from './machine.ts'
import type { Omission } from './omissions.ts'
import { generateOwner } from './owner.ts'
import { type JoinedStart, runPair } from './pairs/pair-run.ts'
import { makePipePairs } from './pairs/pipe-pairs.ts'
import { type BoxProgram, type RunOwner, type Sandbox, SandboxFailure } from './sandbox.ts'
import { makeSlots, slowSlotCount } from './slots/slots.ts'
import { makeStateFolder, writeBoxEtc } from './state-folder.ts'
import { makePageCacheKeeper } from './views/page-cache-keeper.ts'
import { makeView } from './views/view.ts'

export type BubblewrapOptions = {
  readonly slotCount?: number
  /** All folders that any program may need. */
  readonly folders?: readonly string[]
  readonly stateParent?: string
  readonly without?: readonly Omission[]
  /** False samples figures even if a cgroup could be created. */
  readonly useCgroups?: boolean
  /** True moves the runs of reused boxes into their cgroups even if they could enter by themselves. */
  readonly areRunsMoved?: boolean
}

export type Bubblewrap = Sandbox & {
  readonly cgroup: 'v1' | 'v2' | 'none'
  /** Why there is no cgroup; empty if there is one. */
  readonly lost: string
  /** The users of its boxes; as root, no other executor has them. */
  readonly users: readonly number[]
}

/** Relative to a box in a slot. */
const slowShare = 0.25

export function makeBubblewrap(options: BubblewrapOptions = {}): Bubblewrap {
  const bwrap = findOnPath('bwrap')
  if (!bwrap) throw new SandboxFailure("bubblewrap is missing: install the system's package bubblewrap.")
  const version = readBwrapVersion(bwrap)
  if (version < 7) throw new SandboxFailure(`bubblewrap 0.7 or newer is needed, and ${bwrap} is 0.${version}.`)
  const isRoot = process.getuid?.() === 0
  const setpriv = findOnPath('setpriv')
  if (!setpriv) throw new SandboxFailure("setpriv is missing: install the system's package util-linux.")
  closeInheritedDescriptors()

  const slots = makeSlots(options.slotCount ?? availableParallelism())
  const slowSlots = makeSlots(slowSlotCount)
  const boxCount = slots.count + slowSlots.count
  // Each slot has two users: one for programs and one for checkers.
  const users = (isRoot ? claimUsers : unclaimedUsers)(2 * boxCount)
  const owner = generateOwner()
  const { cgroups, reason } =
    options.useCgroups === false ? { cgroups: null, reason: 'told to go without' } : openCgroups(owner)
  const state = makeStateFolder(owner, options.stateParent)
  // One box per user, and those being ended while the next one in their place begins.
  const starter = makeBoxStarter(setpriv, state.fleetingPath, 3 * boxCount)
  const pageCache = makePageCacheKeeper()
  const joints = makePipePairs(state.takePipe)
  const filters = { run: join(state.path, 'filter'), compile: join(state.path, 'filter-compile') }
  writeFileSync(filters.run, assembleFilter(demandMachine()))
  writeFileSync(filters.compile, assembleFilter(demandMachine(), { mayFlock: true }))
  const without = options.without ?? []
  const host: BoxHost = {
    isRoot,
    setpriv,
    hiddenFigures: hideHostFigures(state.fleetingPath, { ownsNetwork: isRoot && !without.includes('net') }),
    users: users.ids,
    etc: writeBoxEtc(state, options.folders ?? [], users.ids),
    mayDisableUserNamespaces: version >= 8,
    without,
    hasCgroup: cgroups !== null,
  }

  const describeBox = (program: BoxProgram, number: number, share: number, isJoined = false): BoxStart => ({
    starter,
    bwrap,
    words: (entryFileCount, joined) => boxArguments(host, program, { number, entryFileCount, isJoined, joined }),
    program,
    takePipe: state.takePipe,
    filterPath: program.collect === undefined ? filters.run : filters.compile,
    makeGroup: () => cgroups?.make({ ...program.limits, share }) ?? makeSampledGroup(),
    cores: availableParallelism(),
  })

  const keptBoxes = makeKeptBoxes({
    folder: state.path,
    pipeFolder: state.fleetingPath,
    entrances: options.areRunsMoved ? null : (cgroups?.entrances ?? null),
    wordsOf: (program, place) => boxArguments(host, program, { ...place, entryFileCount: 0 }),
    startOf: (program) => ({
      starter,
      bwrap,
      takePipe: state.takePipe,
      filterPath: filters.run,
      makeGroup: () => cgroups!.make(program.limits),
      cores: availableParallelism(),
    }),
  })
  /**
   * A box can be reused if the launch script has another user than the program, and a cgroup counts only the program. A
   * box whose whole folder is sent out, or restored from an archive, never returns to its initial state.
   */
  const mayKeep = ({ collect, handOut, isAnew }: BoxProgram) =>
    isRoot && cgroups !== null && !isAnew && !collect && !handOut?.archive && !handOut?.isRestored
  const prepareNext = (number: number, next: BoxProgram | undefined) =>
    next && mayKeep(next) ? keptBoxes.prepare(number, next) : () => undefined

  const runKept = async (program: BoxProgram, number: number) => {
    const box = await keptBoxes.obtain(number, program)
    try {
      await box.made
      return await box.start().outcome
    } finally {
      box.drop()
    }
  }
  /** Prepares the box of a program that will talk to another. */
  const prepareJoined = async (
    program: BoxProgram,
    number: number,
  ): Promise<{ readonly made?: Promise<void>; readonly start: JoinedStart; drop?(): void }> => {
    if (!mayKeep(program)) {
      const start = describeBox(program, number, 1, true)
      return {
        start: (from, to) => startBox({ ...start, joined: { input: from.path, output: to.path } }),
      }
    }
    const box = await keptBoxes.obtain(number, program, true)
    return { ...box, start: (from, to) => box.start({ input: from.path, output: to.path }) }
  }

  return {
    slotCount: slots.count,
    cgroup: cgroups?.version ?? 'none',
    lost: reason,
    users: users.ids,
    async show(name, request) {
      const paths = [...toolsOf(setpriv), ...request.paths]
      const view = await makeView(name, { ...request, paths }, { memory: state.fleetingPath, disk: state.path })
      await pageCache.keep(view.large)
      return view
    },
    keep: state.keep,
    open: state.open,
    expectRuns: slots.expectRuns,
    async run(program, { isExclusive, owner, isSlow = false, isChecker = false, next } = {}) {
      const { signal, limits } = program
      const slot = await (isSlow ? slowSlots : slots).take({
        isExclusive,
        ...slotsOf(owner),
        signal,
        mostMs: limits.wallMs,
      })
      const number = isSlow ? slots.count + slot.number : slot.number
      const user = isChecker ? boxCount + number : number
      const share = isSlow ? slowShare : 1
      let keepNext = () => {}
      try {
        await pageCache.keep([program, next].flatMap((each) => each?.view?.large ?? []))
        keepNext = prepareNext(user, next)
        const outcome =
          mayKeep(program) && (program.input !== undefined || program.testFiles) && !isSlow
            ? await runKept(program, user)
            : await runBox(describeBox(program, user, share))
        return { ...outcome, ranConcurrently: slot.ranConcurrently() }
      } finally {
        keepNext()
        slot.release()
      }
    },
    async runPair(pair, { isExclusive, owner } = {}) {
      const { signal, limits } = pair.program
      const slot = await slots.take({ isExclusive, ...slotsOf(owner), signal, mostMs: limits.wallMs })
      const prepared: { drop?(): void }[] = []
      const prepare = async (program: BoxProgram, number: number) => {
        const box = await prepareJoined(program, number)
        prepared.push(box)
        return box
      }
      try {
        await pageCache.keep([pair.program, pair.partner].flatMap(({ view }) => view?.large ?? []))
        const [one, other] = [
          await prepare(pair.program, slot.number),
          await prepare(pair.partner, boxCount + slot.number),
        ]
        await Promise.all([one.made, other.made])
        const { program, partner, endedFirst } = await runPair({
          ...{ pair, joints, program: one.start, partner: other.start },
        })
        const ranConcurrently = slot.ranConcurrently()
        return {
          program: { ...program, ranConcurrently },
          partner: { ...partner, ranConcurrently },
          endedFirst,
        }
      } finally {
        for (const box of prepared) box.drop?.()
        slot.release()
      }
    },
    async close() {
      const everything = await Promise.all([slots, slowSlots].map((each) => each.take({ isExclusive: true })))
      await keptBoxes.close()
      await starter.close()
      await cgroups?.close()
      joints.close()
      state.remove()
      users.release()
      for (const each of everything) each.release()
    },
  }
}

/** The tools of the launch script and of moving files out of and into a box, and some harmless ones. */
const toolsOf = (setpriv: string): string[] =>
  [
    '/bin/sh',
    setpriv,
    ...['cat', 'head', 'wc', 'tar', 'rm', 'echo', 'sleep', 'true'].map((name) => findOnPath(name) ?? ''),
  ].filter(Boolean)

const slotsOf = (owner: RunOwner | undefined) => ({
  owner: owner?.author,
  judging: owner?.judging,
  isBehind: owner?.isBehind,
})

function demandMachine(): Machine {
  if (process.arch === 'x64' || process.arch === 'arm64') return process.arch
  throw new SandboxFailure(`The filter knows x64 and arm64, and this machine is ${process.arch}.`)
}
