/** Sinks for a program's output: a comparison as it arrives, or a file for a checker. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { newline } from '../comparison/blanks.ts'
import { type ComparisonRule, makeComparison } from '../comparison/comparison.ts'
import type { Sandbox } from '../sandboxes/sandbox.ts'
import type { OutputSink } from './program-run.ts'

export function openComparison(rule: ComparisonRule, expectedPath: string): OutputSink {
  const expected = openFile(expectedPath)
  const comparison = makeComparison(rule, expected.read)
  return {
    write: comparison.feed,
    finish() {
      try {
        const found = comparison.finish()
        if (!found) return { difference: null, output: null }
        const { at, ...texts } = found
        return { difference: { ...texts, line: findLine(expectedPath, at) }, output: null }
      } finally {
        expected.close()
      }
    },
    drop: expected.close,
  }
}

export function openOutputFile(sandbox: Sandbox): OutputSink {
  const writer = sandbox.open()
  return {
    write: writer.write,
    finish: () => ({ difference: null, output: writer.finish() }),
    drop: writer.drop,
  }
}

/**
 * The line of this byte, counted from 1. Computed only for outputs that differ: counting during the comparison would
 * slow down right ones.
 */
function findLine(path: string, position: number): number {
  const file = openFile(path)
  let line = 1
  try {
    for (let left = position; left > 0; ) {
      const chunk = file.read().subarray(0, left)
      if (chunk.length === 0) break
      for (const byte of chunk) if (byte === newline) line++
      left -= chunk.length
    }
    return line
  } finally {
    file.close()
  }
}

/** Reads in chunks into one buffer, so that memory does not grow with the file. Most files are far smaller. */
export function openFile(path: string): { read(): Uint8Array; close(): void } {
  const descriptor = openSync(path, 'r')
  const buffer = Buffer.allocUnsafe(Math.min(64 * 1024, Math.max(1, fstatSync(descriptor).size)))
  let isOpen = true
  return {
    read: () => buffer.subarray(0, readSync(descriptor, buffer)),
    close() {
      if (isOpen) closeSync(descriptor)
      isOpen = false
    },
  }
}
