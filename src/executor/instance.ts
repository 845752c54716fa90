/**
 * Instances: distinguish an executor from others of its name at the same time. The successor of a killed one on the
 * same machine gets the same instance and replaces it with the judge; with a new instance, the judge would wait until
 * the old one counts as gone.
 */
import { createHash, randomUUID } from 'node:crypto'
import { claimOnMachine, claimScope } from '../lib/process/machine-claim.ts'

export type Instance = {
  readonly id: string
  /** A number from 1, among those of the same kind running on this machine. */
  readonly number: number
  release(): void
}

/**
 * How many of a kind have an instance of their own on a machine; any further one counts twice for a while after it was
 * killed.
 */
const mostPlaces = 64

/** Executors are of one kind if a judge knows them under one name. */
export function claimInstance(...kind: readonly string[]): Instance {
  for (let number = 1; number <= mostPlaces; number++) {
    const claim = claimOnMachine(`guildhall-executor-${hash(kind)}-${number}`)
    if (claim) return { id: hash([claimScope(), ...kind, String(number)]), number, release: claim.release }
  }
  return { id: randomUUID(), number: process.pid, release() {} }
}

const hash = (words: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, 32)
