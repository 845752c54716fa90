/**
 * The kernel marks each page of a file that is used, and a program can count the marks (`Referenced` in
 * /proc/self/smaps): which pages one run reads would be a signal to a later one. A page that was read often enough has
 * all marks, and further reading changes none.
 */
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { finished } from 'node:stream/promises'

/** Used, active, and used since it is active: a reading for each. */
const readings = [1, 2, 3]

const buffer = Buffer.alloc(1 << 20)

export function markPages(path: string): void {
  for (const _ of readings) {
    const descriptor = openSync(path, 'r')
    while (readSync(descriptor, buffer) > 0);
    closeSync(descriptor)
  }
}

/** For a large file: the event loop goes on meanwhile. */
export async function markPagesSlowly(path: string): Promise<void> {
  for (const _ of readings) {
    const stream = createReadStream(path, { highWaterMark: buffer.length })
    stream.resume()
    await finished(stream)
  }
}
