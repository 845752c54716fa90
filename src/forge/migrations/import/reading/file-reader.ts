/** Reads the lists of an archive on a worker thread, so that a stranger's file cannot block the event loop. */
import { Worker } from 'node:worker_threads'
import { programFile } from '../../../../lib/process/program-file.ts'
import { refuseImport } from '../refusal.ts'
import type { Batch, FileRequest } from './file-parsing.ts'
import type { BatchAnswer, BatchRequest } from './file-worker.ts'

export type FileReader = {
  /** Yields batch after batch; each is parsed only when it is requested. */
  read(request: FileRequest): AsyncGenerator<Batch>
  close(): Promise<void>
}

type Waiting = { resolve(answer: BatchAnswer): void; reject(error: Error): void }

/** The memory for one record or one batch; see the limits in `file-parsing.ts`. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

export function makeFileReader(): FileReader {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let lastFile = 0

  function start(): Worker {
    const started = new Worker(programFile(import.meta.dirname, 'file-worker.ts'), { resourceLimits })
    const fail = (error: Error) => {
      if (worker === started) worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    started.on('message', (answer: BatchAnswer) => {
      waiting.get(answer.file)?.resolve(answer)
      waiting.delete(answer.file)
    })
    started.on('error', (error) => fail(explain(error)))
    started.on('exit', () => fail(new Error('The thread that reads an archive ended.')))
    return started
  }

  const ask = (request: BatchRequest): Promise<BatchAnswer> =>
    new Promise((resolve, reject) => {
      waiting.set(request.file, { resolve, reject })
      worker ??= start()
      worker.postMessage(request)
    })

  return {
    async *read(request) {
      const file = ++lastFile
      let isOver = false
      try {
        for (let open: FileRequest | undefined = request; ; open = undefined) {
          const { batch, refusal, fault } = await ask({ file, next: true, ...(open && { open }) })
          isOver = batch === undefined
          if (refusal !== undefined) throw refuseImport(refusal)
          if (fault) throw Object.assign(new Error(fault.message), fault.code && { code: fault.code })
          if (!batch) return
          yield batch
        }
      } finally {
        if (!isOver) worker?.postMessage({ file, next: false } satisfies BatchRequest)
      }
    },

    async close() {
      await worker?.terminate()
    },
  }
}

const explain = (error: Error): Error =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? refuseImport('The records of the archive take more memory than any archive does.')
    : error
