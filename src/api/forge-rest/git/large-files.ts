/** Files too large to hold in memory: they are streamed from git to the client, raw or within JSON. */
import { pipeline, Transform } from 'node:stream'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import type { Serving } from '../../../forge/git/serve/serving.ts'
import { Failure } from '../../../lib/failure.ts'
import { makeEtag, type OpenFlow, type RestAnswer, rawFile } from '../rest-answer.ts'
import type { ForgeCall } from '../route.ts'
import { presentBlob } from './present-git.ts'

type RepositoryCall = ForgeCall<OpenRepository>
type File = { readonly sha: string; readonly size: number }

/** Larger files are not held in memory: a hundred slow clients would take a hundred times as much. */
export const maxHeldBytes = 1024 * 1024
/** Larger files are served only with the raw media type, or by git. */
const maxSpelledBytes = 100 * 1024 * 1024
/** The bytes of one line of base64. */
const lineBytes = 45

const flow = (type: string, length: number, sha: string, bytes: OpenFlow): RestAnswer => ({
  status: 200,
  raw: { type, bytes, length, etag: makeEtag(`${type} ${sha}`) },
})

/** Sends a file's raw bytes. */
export async function sendFile(
  { reading, serving }: { reading: GitReading; serving: Serving },
  { target }: RepositoryCall,
  { sha, size }: File,
): Promise<RestAnswer> {
  if (size <= maxHeldBytes) return rawFile(await reading.blob(target, sha))
  return flow('application/octet-stream', size, sha, () => serving.file(target, sha))
}

/** The same response as for a small blob, encoded while it is streamed. */
export async function sendLargeBlob(
  serving: Serving,
  { target, view }: RepositoryCall,
  { sha, size }: File,
): Promise<RestAnswer> {
  if (size > maxSpelledBytes)
    throw new Failure(
      'forbidden',
      'blob-too-large',
      'The content is too large for JSON: use the media type raw, or git.',
    )
  const frame = JSON.stringify(presentBlob(target, { sha, size, content: '' }, view))
  const end = frame.indexOf('"content":"') + '"content":"'.length
  const length = frame.length + 4 * Math.ceil(size / 3) + 2 * Math.ceil(size / lineBytes)
  return flow('application/json; charset=utf-8', length, `${view.base} ${sha}`, async () => {
    const bytes = await serving.file(target, sha)
    // Each ends when the other does: git must not wait for a client that has disconnected.
    return pipeline(bytes, encodeWithin(frame.slice(0, end), frame.slice(end)), () => {})
  })
}

/** Encodes Base64 in lines, between the given texts. */
function encodeWithin(before: string, after: string): Transform {
  let rest = Buffer.alloc(0)
  let isStarted = false
  const start = () => (isStarted ? '' : before)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const held = Buffer.concat([rest, chunk])
      const whole = held.length - (held.length % lineBytes)
      rest = held.subarray(whole)
      const text = start() + encodeLines(held.subarray(0, whole))
      isStarted = true
      done(null, text)
    },
    flush(done) {
      done(null, start() + encodeLines(rest) + after)
    },
  })
}

const encodeLines = (bytes: Buffer): string => bytes.toString('base64').replace(/.{1,60}/g, '$&\\n')
