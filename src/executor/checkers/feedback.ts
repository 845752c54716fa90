/** Feedback: the files that a checker wrote to its folder, as sent out of the box. */
import { mebibyte } from '../../lib/text/bytes.ts'
import type { HandOut } from '../sandboxes/sandbox.ts'

export type Feedback = {
  /** The files present, by name. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Names that exist but are no plain files: links, pipes, folders. */
  readonly odd: ReadonlySet<string>
  /** The whole folder, for the next pass. It is unpacked only inside a box. */
  readonly archive: Uint8Array | null
}

export const feedbackFolder = '/box/feedback'
export const feedbackBytes = 8 * mebibyte
/** An archive of many small files is larger than the folder. */
export const handOutBytes = 4 * feedbackBytes

/** The file that an interactor writes for the checker. */
export const interactorOutput = 'out'

const files = [
  { name: 'score.txt', mostBytes: 4096 },
  { name: 'score_multiplier.txt', mostBytes: 4096 },
  { name: 'judgemessage.txt', mostBytes: 64 * 1024 },
  { name: 'teammessage.txt', mostBytes: 4096 },
  { name: 'nextpass.in', mostBytes: feedbackBytes },
  { name: interactorOutput, mostBytes: feedbackBytes },
]

const mostBytes = Math.max(...files.map((file) => file.mostBytes))

export const requestFeedback = (how: Pick<HandOut, 'archive' | 'isRestored'>): HandOut => ({
  folder: feedbackFolder,
  files,
  ...how,
})

/** Null if the bytes are incomplete, because the box was stopped meanwhile. */
export function readFeedback(bytes: Uint8Array): Feedback | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const found = new Map<string, Uint8Array>()
  const odd = new Set<string>()
  if (text.length === 0) return { files: found, odd, archive: null }
  const sizes: { file: HandOut['files'][number]; bytes: number }[] = []
  let at = 0
  for (;;) {
    const end = text.indexOf('\n', at)
    if (end < 0) return null
    const line = text.toString('latin1', at, end)
    at = end + 1
    if (line === '') break
    const [, size = '', name = ''] = /^ *(\d+|odd) (\S+)$/.exec(line) ?? []
    const file = files.find((each) => each.name === name)
    if (file && size === 'odd') odd.add(name)
    else if (file) sizes.push({ file, bytes: Math.min(Number(size), mostBytes) })
  }
  for (const { file, bytes: length } of sizes) {
    if (at + length > text.length) return null
    found.set(file.name, text.subarray(at, at + Math.min(length, file.mostBytes)))
    at += length
  }
  const hasArchive = text.toString('latin1', at, at + archiveMark.length) === archiveMark
  return { files: found, odd, archive: hasArchive ? text.subarray(at + archiveMark.length) : null }
}

const archiveMark = 'archive\n'
