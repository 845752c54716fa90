/** The worker thread that inspects packs. It takes the slices of all pushes in the order they came. */
import { parentPort } from 'node:worker_threads'
import { makePackInspection, type PackBounds, type PackInspection, PackRefused } from './pack-inspection.ts'

export type InspectionTask =
  | { readonly id: number; readonly bounds: PackBounds; readonly bytes: Uint8Array }
  | { readonly id: number; readonly isOver: true }

export type InspectionResult = {
  readonly id: number
  readonly unfoldedBytes: number
  /** Processor time, billed to the caller who pushes. */
  readonly cpuMicros: number
  readonly refusal?: string
}

const inspections = new Map<number, PackInspection>()

async function inspect({ id, bounds, bytes }: Extract<InspectionTask, { bytes: Uint8Array }>): Promise<void> {
  const startedAt = process.threadCpuUsage()
  const inspection = inspections.get(id) ?? makePackInspection(bounds)
  inspections.set(id, inspection)
  let refusal: string | undefined
  try {
    await inspection.take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch (error) {
    if (!(error instanceof PackRefused)) throw error
    refusal = error.message
  }
  const { user, system } = process.threadCpuUsage(startedAt)
  const { unfoldedBytes } = inspection
  const result: InspectionResult = { id, unfoldedBytes, cpuMicros: user + system, ...(refusal && { refusal }) }
  parentPort!.postMessage(result)
}

function end(id: number): void {
  inspections.get(id)?.close()
  inspections.delete(id)
}

/** One slice at a time, so that the processor time measured belongs to one push. */
let last = Promise.resolve()
parentPort!.on('message', (task: InspectionTask) => {
  last = last.then(() => ('isOver' in task ? end(task.id) : inspect(task)))
})
