/** The worker thread that parses the lists of an archive. The main thread requests each batch. */
import { parentPort } from 'node:worker_threads'
import { Failure } from '../../../../lib/failure.ts'
import { type Batch, type FileRequest, parseFile } from './file-parsing.ts'

/** `file` identifies the file. `open` comes with its first request. A request without `next` closes it. */
export type BatchRequest = { readonly file: number; readonly open?: FileRequest; readonly next: boolean }

export type BatchAnswer = {
  readonly file: number
  /** Absent at the end of the file. */
  readonly batch?: Batch
  readonly refusal?: string
  readonly fault?: { readonly message: string; readonly code: string | undefined }
}

const open = new Map<number, Generator<Batch>>()

parentPort!.on('message', ({ file, open: request, next }: BatchRequest) => {
  if (request) open.set(file, parseFile(request))
  if (next) parentPort!.postMessage(answer(file))
  else leave(file)
})

function answer(file: number): BatchAnswer {
  try {
    const { value, done } = open.get(file)!.next()
    if (!done) return { file, batch: value }
    leave(file)
    return { file }
  } catch (error) {
    leave(file)
    if (error instanceof Failure && error.code === 'import-refused') return { file, refusal: error.message }
    const { message, code } = error as NodeJS.ErrnoException
    return { file, fault: { message, code } }
  }
}

function leave(file: number): void {
  open.get(file)?.return(undefined)
  open.delete(file)
}
