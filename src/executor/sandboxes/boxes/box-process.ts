/** The process of bubblewrap and the box's first process below it. */
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { listChildren } from '../processes.ts'
import type { BoxProcess } from './box-watch.ts'
import { descriptors } from './launch-script.ts'

/** A box that ends with its run. */
export const processOf = (child: ChildProcess): BoxProcess => ({
  listen: (take) => listenTo(child, take),
  findFirst: () => findFirstProcess(child),
  ended: endOf(child),
})

export function listenTo(child: ChildProcess, take: (text: string) => void): void {
  const control = child.stdio[descriptors.control] as Readable
  control.on('data', (chunk: Buffer) => take(chunk.toString()))
  control.on('error', () => undefined)
}

export const endOf = (child: ChildProcess): Promise<Error | undefined> =>
  new Promise((resolve) => {
    child.on('error', resolve)
    child.on('close', () => resolve(undefined))
  })

/** The only child of bubblewrap. bubblewrap has not been waited for yet, so neither pid can have been reused. */
export function findFirstProcess(child: ChildProcess): number | null {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return null
  return listChildren(child.pid)[0] ?? null
}
