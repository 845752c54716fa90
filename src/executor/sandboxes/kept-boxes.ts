/** The boxes that are kept, one for each slot at most: for the next run of the same program, and not for long. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { StartedBox } from './box-run.ts'
import { type KeptBox, type KeptStart, startKeptBox } from './kept-box.ts'
import type { BoxPlace } from './launch-script.ts'
import type { BoxProgram } from './sandbox.ts'

export type KeptBoxes = {
  /** Runs in the slot's box where that would be made alike, and else in a new one, which is then kept. */
  run(slot: number, program: BoxProgram): StartedBox['outcome']
  close(): Promise<void>
}

export type KeptBoxesNeeds = {
  readonly folder: string
  wordsOf(program: BoxProgram, slot: number, stage: NonNullable<BoxPlace['stage']>): readonly string[]
  startOf(program: BoxProgram): Omit<KeptStart, 'words' | 'stage'>
}

type Kept = { readonly key: string; readonly box: KeptBox; timer?: NodeJS.Timeout }

/** The next test of a submission follows at once. */
const idleMs = 2_000

export function makeKeptBoxes(needs: KeptBoxesNeeds): KeptBoxes {
  const kept = new Map<number, Kept>()
  const ending = new Set<Promise<void>>()

  const end = ({ box, timer }: Kept) => {
    clearTimeout(timer)
    const ended = box.end().finally(() => ending.delete(ended))
    ending.add(ended)
  }
  const stageOf = (slot: number): NonNullable<BoxPlace['stage']> => {
    const folder = join(needs.folder, `stage-${slot}`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return { folder }
  }
  /** Takes the slot's box out of the way, and answers it where it would be made alike and is as it was. */
  const takeAlike = async (slot: number, key: string): Promise<Kept | undefined> => {
    const found = kept.get(slot)
    if (!found) return undefined
    kept.delete(slot)
    clearTimeout(found.timer)
    if (found.key === key && (await found.box.isClean())) return found
    end(found)
    return undefined
  }

  return {
    async run(slot, program) {
      const stage = stageOf(slot)
      const words = needs.wordsOf(program, slot, stage)
      const key = JSON.stringify([words, program.environment, program.limits.memoryBytes, program.limits.processes])
      const alike = await takeAlike(slot, key)
      const one: Kept = alike ?? { key, box: startKeptBox({ ...needs.startOf(program), words, stage }) }
      let isKept = false
      try {
        const outcome = await one.box.run(program)
        isKept = outcome.stopped === null && !outcome.isOutOfMemory
        return outcome
      } finally {
        if (isKept) {
          kept.set(slot, one)
          one.timer = setTimeout(() => kept.get(slot) === one && kept.delete(slot) && end(one), idleMs).unref()
        } else end(one)
      }
    },
    async close() {
      for (const each of kept.values()) end(each)
      kept.clear()
      await Promise.all(ending)
    },
  }
}
