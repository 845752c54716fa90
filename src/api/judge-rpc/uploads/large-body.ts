/**
 * Processes a large body as it arrives: long uploads are decoded into files, and marks take their place in the rest, so
 * that an upload does not take memory.
 */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { maxAnonymousBytes, maxAnonymousValues } from '../../json/json-values.ts'
import { Base64Reader } from './base64.ts'
import { UploadFinder } from './upload-finder.ts'

/** A temporary file. */
export type UploadFile = {
  readonly fd: number
  readonly length: number
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** `bytes` is undefined if the text was not Base64. */
export type Upload = {
  readonly textBytes: number
  readonly bytes: Buffer | { readonly fd: number; readonly length: number } | undefined
}

/** The uploads by their marks in the rest. */
export type Uploads = ReadonlyMap<string, Upload>

export const noUploads: Uploads = new Map()

export type LargeBody = { readonly rest: Buffer; readonly uploads: Uploads; close(): Promise<void> }

type Needs = {
  readonly maxBytes: number
  /** Shorter uploads stay in the body, so that a body needs at most a hundred files. */
  readonly longBytes?: number
  /** An anonymous caller's call will be refused, so its uploads are checked but not stored. */
  readonly isAnonymous: boolean
  openFile(): Promise<UploadFile>
  /** Reserve memory, or disk space, before so many more bytes are kept: each waits for room, or refuses. */
  take(bytes: number): Promise<void> | undefined
  takeFile(bytes: number): Promise<void> | undefined
}

/** Errors carry a `statusCode`, as those of small bodies do. */
export async function readLargeBody(stream: Readable, needs: Needs): Promise<LargeBody> {
  const { maxBytes, longBytes = 1024 * 1024, isAnonymous, openFile, take, takeFile } = needs
  const finder = new UploadFinder(isAnonymous ? maxAnonymousValues : undefined)
  const uploads = new Map<string, Upload>()
  const files: UploadFile[] = []
  const rest: Buffer[] = []
  let bodyBytes = 0
  let restBytes = 0
  /** The chunks of an upload that is still short. */
  let held: Buffer[] = []
  let heldBytes = 0
  let current: { reader: Base64Reader; file: UploadFile | undefined } | undefined

  async function readUpload(bytes: Buffer): Promise<void> {
    held.push(bytes)
    heldBytes += bytes.length
    if (!current && heldBytes < longBytes) return
    current ??= await begin()
    for (const piece of held) {
      if (current.file) await takeFile(piece.length)
      await current.file?.write(current.reader.push(piece))
    }
    held = []
  }

  async function begin() {
    const isKept = !isAnonymous || mayBeBatch(rest[0]!)
    const file = isKept ? await openFile() : undefined
    if (file) files.push(file)
    return { reader: new Base64Reader(), file }
  }

  async function endUpload(): Promise<void> {
    rest.push(...held)
    held = []
    heldBytes = 0
    if (!current) return
    const { reader, file } = current
    current = undefined
    await file?.write(reader.end())
    const mark = randomUUID()
    uploads.set(mark, { textBytes: reader.textBytes, bytes: reader.isBase64 ? file : undefined })
    // A bare line break is invalid in a JSON string, so a body with an invalid upload becomes invalid.
    rest.push(Buffer.from(reader.isJson ? mark : '\n'))
  }

  const close = async () => {
    for (const file of files) await file.close()
  }

  try {
    for await (const chunk of chunksOf(stream)) {
      bodyBytes += chunk.length
      if (bodyBytes > maxBytes) throw refusal(`The body is over ${maxBytes} bytes.`, 413)
      const spans = finder.scan(chunk)
      if (finder.isTooMuch) throw refusal(tooMuch, 400)
      for (const { isUpload, bytes } of spans) {
        if (isUpload) {
          await readUpload(bytes)
          continue
        }
        await endUpload()
        restBytes += bytes.length
        if (isAnonymous && restBytes > maxAnonymousBytes) throw refusal(anonymousTooMuch, 413)
        await take(bytes.length)
        rest.push(bytes)
      }
    }
    return { rest: Buffer.concat(rest), uploads, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** An error that is reported to the client in this API's format of its status. */
export const refusal = (reason: string, statusCode: number): Error => Object.assign(new Error(reason), { statusCode })

const anonymousTooMuch = `Without signing in a body may have ${maxAnonymousBytes} bytes, beside what is uploaded: sign in first.`
const tooMuch = 'The body holds too many values, or too long ones besides texts; send fewer.'

/** The stream is not destroyed when reading stops, so that the response can still be sent. */
async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream.iterator({ destroyOnReturn: false })
  } catch (error) {
    throw Object.assign(error as Error, { statusCode: 400 })
  }
}

const mayBeBatch = (start: Buffer): boolean => !/^(?:\xef\xbb\xbf)?\s*\{/.test(start.toString('latin1', 0, 1000))
