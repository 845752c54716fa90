/** Where a program's output goes: to a comparison as it arrives, or to a file for a checker. */
import { closeSync, openSync, readSync } from 'node:fs'
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
        return { difference: comparison.finish(), output: null }
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

/** Reads chunk by chunk into one buffer, so that memory does not grow with the file. */
export function openFile(path: string): { read(): Uint8Array; close(): void } {
  const descriptor = openSync(path, 'r')
  const buffer = Buffer.allocUnsafe(64 * 1024)
  let isOpen = true
  return {
    read: () => buffer.subarray(0, readSync(descriptor, buffer)),
    close() {
      if (isOpen) closeSync(descriptor)
      isOpen = false
    },
  }
}
