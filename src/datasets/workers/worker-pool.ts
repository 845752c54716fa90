/** A pool of worker threads for heavy work on items, so that a large export does not block other requests. It starts when it is first needed. */
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

/** The tasks of a worker, each with its input beside the lines, and its output. */
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

/** Validation is stopped after this time, since a schema's patterns may run for ever. Every other task ends by itself, and may have to wait for a worker. */
const maxValidationMs = 10_000

/** Up to this size a body is scanned in this thread: that takes about as long as passing it to a worker. */
const smallBodyBytes = 256 * 1024

const mayTakeLong = (act: keyof WorkerTasks) => act === 'check' || act === 'validate'

/** Pushes have a pool of their own, so that they do not queue behind the many slices of exports. */
const isOfPush = (act: keyof WorkerTasks) => act === 'scan' || mayTakeLong(act)

export function makeWorkerPool() {
  const pools: { forPushes?: Piscina; forExports?: Piscina } = {}

  const open = () =>
    new Piscina({
      filename: join(import.meta.dirname, 'worker.ts'),
      minThreads: 0,
      maxThreads: workerCount,
      idleTimeout: 10_000,
      // The limits are small on purpose: what a worker allocates for a slice is garbage a moment later.
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 },
    })

  /** Transfers the lines to the worker: the caller must not use them afterwards. */
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
    /** Scans a pushed body, a large one in a worker. */
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
