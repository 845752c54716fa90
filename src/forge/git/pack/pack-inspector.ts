/** Inspects packs on a worker thread that runs only during pushes. Small packs are inspected on the main thread. */
import { Worker } from 'node:worker_threads'
import { Failure } from '../../../lib/failure.ts'
import { programFile } from '../../../lib/process/program-file.ts'
import { makeFairScheduler } from '../../../lib/scheduling/fair-scheduler.ts'
import { currentBill, currentCaller } from '../process/processor-accounting.ts'
import type { InspectionResult, InspectionTask } from './inspection-worker.ts'
import { makePackInspection, type PackBounds, PackRefused } from './pack-inspection.ts'

export type PackInspector = ReturnType<typeof makePackInspector>

/** A pack up to this size is inspected on the main thread: that takes a few milliseconds at most. */
const smallPackBytes = 4 * 1024
const idleMs = 10_000
/** The bytes inspected at a time: tens of milliseconds, even for the smallest objects. */
const sliceBytes = 64 * 1024

type Waiting = { resolve(result: InspectionResult): void; reject(error: Error): void }

export function makePackInspector(bounds: PackBounds) {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let open = 0
  let lastId = 0
  /** One slice at a time, callers in turn. The slots of pushes bound how many can wait. */
  const { run: takeTurn } = makeFairScheduler({
    slots: 1,
    slotsPerCaller: 1,
    what: 'a look through packs',
  })
  const waiting = new Map<number, Waiting>()

  function start(): Worker {
    const started = new Worker(programFile(import.meta.dirname, 'inspection-worker.ts'), {
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    })
    started.unref()
    const fail = (error: Error) => {
      if (worker === started) worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    started.on('message', (result: InspectionResult) => {
      waiting.get(result.id)?.resolve(result)
      waiting.delete(result.id)
    })
    started.on('error', fail)
    started.on('exit', (code) => fail(new Error(`the thread that looks through packs ended with ${code}`)))
    return started
  }

  function send(task: InspectionTask): void {
    worker ??= start()
    worker.postMessage(task)
  }

  const ask = (task: InspectionTask): Promise<InspectionResult> =>
    new Promise((resolve, reject) => {
      waiting.set(task.id, { resolve, reject })
      send(task)
    })

  function stop(): void {
    const stopped = worker
    worker = undefined
    // Terminated on purpose: the exit is not an error.
    stopped?.removeAllListeners('exit')
    void stopped?.terminate()
  }

  return {
    /** Begins the inspection of one push's pack, which is passed batch by batch. Always call `close`. */
    begin() {
      const id = ++lastId
      const bill = currentBill()
      const caller = currentCaller()
      let unfoldedBytes = 0
      let isOnThread = false
      open++
      clearTimeout(idle)

      async function inspectHere(bytes: Buffer): Promise<void> {
        const inspection = makePackInspection(bounds)
        try {
          await inspection.take(bytes)
          unfoldedBytes = inspection.unfoldedBytes
        } catch (error) {
          throw error instanceof PackRefused ? refused(error.message) : error
        } finally {
          inspection.close()
        }
      }

      return {
        /** `isWhole`: these bytes are the whole pack. */
        async take(bytes: Buffer, isWhole: boolean): Promise<void> {
          if (bytes.length === 0) return
          if (isWhole && bytes.length <= smallPackBytes) return inspectHere(bytes)
          isOnThread = true
          for (let at = 0; at < bytes.length; at += sliceBytes) {
            // A copy: posting a part of a buffer would send the whole buffer.
            const slice = new Uint8Array(bytes.subarray(at, at + sliceBytes))
            const result = await takeTurn(caller, () => ask({ id, bounds, bytes: slice }))
            bill(result.cpuMicros)
            unfoldedBytes = result.unfoldedBytes
            if (result.refusal !== undefined) throw refused(result.refusal)
          }
        },
        get unfoldedBytes() {
          return unfoldedBytes
        },
        close(): void {
          if (isOnThread && worker) send({ id, isOver: true })
          if (--open === 0) idle = setTimeout(stop, idleMs).unref()
        },
      }
    },
  }
}

const refused = (message: string) => new Failure('precondition', 'pack-refused', message)
