/** Parses foreign JSON: with a limited depth and size, and only text that both databases can store. */
import { closeSync, openSync, readSync } from 'node:fs'
import { demandImport, refuseImport } from '../refusal.ts'
import { cutList, type ListBounds, ListFault } from './json-list.ts'

/** Records have five levels at most, the options of a repository included. */
const maxDepth = 32
const chunkBytes = 256 * 1024

/** For texts of a few kilobytes. */
export function parseJson(bytes: Buffer, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ?? {}
  } catch {
    throw refuseImport(`${name} is not JSON.`)
  }
}

export type ListedElement = { readonly value: unknown; readonly bytes: number }

/**
 * Parses the elements of a file's one list, one by one; `around` gets the rest, the list emptied. Blocks its thread.
 */
export function* parseList(
  path: string,
  name: string,
  { what, ...bounds }: Omit<ListBounds, 'maxDepth'> & { readonly what: string },
  around: (value: unknown) => void,
): Generator<ListedElement> {
  const file = openSync(path, 'r')
  try {
    const elements = cutList(readChunks(file), { ...bounds, maxDepth })
    for (;;) {
      const { value, done } = elements.next()
      if (done) return around(parseJson(value, name))
      yield { value: parseJson(value, name), bytes: value.length }
    }
  } catch (error) {
    if (!(error instanceof ListFault)) throw error
    demandImport(error.fault !== 'deep', `${name} is nested too deep.`)
    demandImport(error.fault !== 'many', `${name} holds more than ${bounds.maxElements} ${what}.`)
    demandImport(error.fault !== 'large', `${name} holds something longer than any of its ${what} may be.`)
    throw refuseImport(`${name} is not JSON.`)
  } finally {
    closeSync(file)
  }
}

function* readChunks(file: number): Generator<Buffer> {
  const chunk = Buffer.alloc(chunkBytes)
  for (;;) {
    const length = readSync(file, chunk)
    if (length === 0) return
    yield chunk.subarray(0, length)
  }
}
