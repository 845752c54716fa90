/** The reused boxes, at most one per number: for the next run of the same program, and only for a short time. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { JoinedPipes, StartedBox } from '../boxes/box-run.ts'
import type { BoxPlace, Stage } from '../boxes/launch-script.ts'
import type { Entrances } from '../cgroups/cgroups.ts'
import type { BoxProgram } from '../sandbox.ts'
import { type KeptBox, type KeptStart, startKeptBox } from './kept-box.ts'

export type KeptBoxes = {
  /**
   * Returns the box with this number if it is equal to the wanted one, otherwise a new one. It is kept after its run.
   */
  obtain(number: number, program: BoxProgram, isJoined?: boolean): Promise<ObtainedBox>
  /** Makes a box for a later run, which is kept once the returned function has been called. */
  prepare(number: number, program: BoxProgram): () => void
  close(): Promise<void>
}

/** For one run: started after `made` has resolved, and dropped at the end. */
export type ObtainedBox = {
  readonly made: Promise<void>
  start(joined?: JoinedPipes): StartedBox
  /** Ends a box that was never started. */
  drop(): void
}

export type KeptBoxesNeeds = {
  readonly folder: string
  /** The folder for pipes. */
  readonly pipeFolder: string
  readonly entrances: Entrances | null
  wordsOf(program: BoxProgram, place: Omit<BoxPlace, 'entryFileCount'>): readonly string[]
  startOf(program: BoxProgram): Omit<KeptStart, 'words' | 'stage'>
}

type Kept = { readonly key: string; readonly box: KeptBox; timer?: NodeJS.Timeout }

/** Short, because the next test of a submission follows at once. */
const idleMs = 2_000

export function makeKeptBoxes(needs: KeptBoxesNeeds): KeptBoxes {
  const kept = new Map<number, Kept>()
  const ending = new Set<Promise<void>>()
  const stages = new Map<number, Stage>()

  const end = ({ box, timer }: Kept) => {
    clearTimeout(timer)
    const ended = box.end().finally(() => ending.delete(ended))
    ending.add(ended)
  }
  const stageOf = (number: number): Stage => {
    const known = stages.get(number)
    if (known) return known
    const folder = join(needs.folder, `stage-${number}`)
    const testFolder = join(folder, 'test')
    const pipeFolder = join(needs.pipeFolder, `stage-pipes-${number}`)
    for (const closed of [folder, pipeFolder]) mkdirSync(closed, { mode: 0o700 })
    mkdirSync(testFolder, { mode: 0o755 })
    const stage = { folder, testFolder, pipeFolder, entrances: needs.entrances }
    stages.set(number, stage)
    return stage
  }
  /** Removes the box with this number, and returns it if it is equal to the wanted one and clean. */
  const takeAlike = async (number: number, key: string): Promise<Kept | undefined> => {
    const found = kept.get(number)
    if (!found) return undefined
    kept.delete(number)
    clearTimeout(found.timer)
    if (found.key === key && (await found.box.isClean())) return found
    end(found)
    return undefined
  }
  const keep = (number: number, one: Kept) => {
    const other = kept.get(number)
    if (other) end(other)
    kept.set(number, one)
    one.timer = setTimeout(() => kept.get(number) === one && kept.delete(number) && end(one), idleMs).unref()
  }
  async function finish(number: number, one: Kept, run: StartedBox['outcome']): StartedBox['outcome'] {
    let isKept = false
    try {
      const outcome = await run
      isKept = outcome.stopped === null && !outcome.isOutOfMemory
      return outcome
    } finally {
      if (isKept) keep(number, one)
      else end(one)
    }
  }

  const describe = (number: number, program: BoxProgram, isJoined: boolean) => {
    const stage = stageOf(number)
    const words = needs.wordsOf(program, { number, stage, isJoined })
    const { limits, keptFor } = program
    const key = JSON.stringify([words, limits.memoryBytes, limits.processes, keptFor])
    return { key, make: (): Kept => ({ key, box: startKeptBox({ ...needs.startOf(program), words, stage }) }) }
  }

  return {
    prepare(number, program) {
      const one = describe(number, program, false).make()
      return () => keep(number, one)
    },
    async obtain(number, program, isJoined = false) {
      const { key, make } = describe(number, program, isJoined)
      const one = (await takeAlike(number, key)) ?? make()
      let isStarted = false
      return {
        made: one.box.made,
        start(joined) {
          const { box, outcome } = one.box.start(program, joined)
          isStarted = true
          return { box, outcome: finish(number, one, outcome) }
        },
        drop() {
          if (!isStarted) end(one)
        },
      }
    },
    async close() {
      for (const each of kept.values()) end(each)
      kept.clear()
      await Promise.all(ending)
    },
  }
}
