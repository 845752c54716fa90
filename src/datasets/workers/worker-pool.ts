/** Threads for heavy work on items, so that a large export does not hold up other requests. Started when first needed. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Piscina } from 'piscina'
import { Failure } from '../../base/failure.ts'
import type { Part, RenderPlan } from '../formats/slice.ts'
import type { Survey } from '../formats/table-rows.ts'
import type { SheetPart } from '../formats/xlsx/sheet.ts'
import { ownMemory } from '../items/memory.ts'
import { type ScannedItems, scanItems } from '../items/scan.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { Place } from '../query/records.ts'
import type { InvalidItem } from '../schemas/schema-validator.ts'
import type { Summary } from '../summaries/summary.ts'

/** The acts a thread knows, each with what it takes beside the lines, and what it answers. */
export type WorkerTasks = {
  scan: { input: object; output: ScannedItems }
  survey: { input: { query: ItemQuery; from: Place }; output: Part<Survey> }
  render: { input: { plan: RenderPlan; from: Place }; output: Part<Uint8Array> }
  pack: { input: { plan: RenderPlan; from: Place; firstRow: number }; output: Part<SheetPart[]> }
  summarize: { input: object; output: Summary | null }
  measure: { input: object; output: Summary['ranges'] }
  check: { input: { fields: unknown }; output: string | null }
  validate: { input: { fields: object }; output: InvalidItem[] }
}

export type Outcome<T> = { value: T } | { failure: Pick<Failure, 'kind' | 'code' | 'message' | 'detail'> }

export type WorkerPool = ReturnType<typeof makeWorkerPool>

export const workerCount = Math.max(2, Math.min(availableParallelism(), 8))

/** A schema whose patterns never come to an end is stopped here. All else ends by itself, and may have to wait for a thread. */
const maxValidationMs = 10_000

/** Up to here a body is read on the spot: that takes about as long as handing it over. */
const smallBodyBytes = 256 * 1024

const mayTakeLong = (act: keyof WorkerTasks) => act === 'check' || act === 'validate'

/** What a push waits for is not done behind the pieces of exports, of which there may be many. */
const isOfPush = (act: keyof WorkerTasks) => act === 'scan' || mayTakeLong(act)

export function makeWorkerPool() {
  const pools: { forPushes?: Piscina; forExports?: Piscina } = {}

  const open = () =>
    new Piscina({
      filename: join(import.meta.dirname, 'worker.ts'),
      minThreads: 0,
      maxThreads: workerCount,
      idleTimeout: 10_000,
      // Small on purpose: what a thread makes of a piece is garbage a moment later.
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 },
    })

  /** Gives the lines away: they are not to be used after. */
  async function run<A extends keyof WorkerTasks>(
    act: A,
    lines: Buffer,
    input: WorkerTasks[A]['input'],
  ): Promise<WorkerTasks[A]['output']> {
    const which = isOfPush(act) ? 'forPushes' : 'forExports'
    pools[which] ??= open()
    const own = ownMemory(lines)
    const task = { lines: own, ...input }
    const signal = mayTakeLong(act) ? AbortSignal.timeout(maxValidationMs) : null
    const options = { name: act, transferList: [own.buffer as ArrayBuffer], signal }
    const outcome: Outcome<WorkerTasks[A]['output']> = await pools[which].run(task, options)
    if ('value' in outcome) return outcome.value
    const { kind, code, message, detail } = outcome.failure
    throw new Failure(kind, code, message, detail)
  }

  return {
    run,
    /** Reads a pushed body, a large one beside the others. */
    async scan(body: Buffer): Promise<ScannedItems> {
      if (body.length <= smallBodyBytes) return scanItems(body)
      const scanned = await run('scan', body, {})
      const { buffer, byteOffset, byteLength } = scanned.lines
      return { ...scanned, lines: Buffer.from(buffer, byteOffset, byteLength) }
    },
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.destroy()))
    },
  }
}
