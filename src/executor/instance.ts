/**
 * Instances: what tells an executor from others of its name that are there as well. The successor of one that was killed has
 * the same on the same machine, and so takes its place with the judge; one that it does not know of is waited for to be gone.
 */
import { createHash, randomUUID } from 'node:crypto'
import { claimOnMachine, claimScope } from '../lib/process/machine-claim.ts'

export type Instance = {
  readonly id: string
  /** From 1, among those of the same kind that run on this machine. */
  readonly number: number
  release(): void
}

/** So many of a kind have a place of their own on a machine; any further one counts twice for a while after it was killed. */
const mostPlaces = 64

/** Of one kind are those that a judge knows under one name. */
export function claimInstance(...kind: readonly string[]): Instance {
  for (let number = 1; number <= mostPlaces; number++) {
    const claim = claimOnMachine(`guildhall-executor-${hash(kind)}-${number}`)
    if (claim) return { id: hash([claimScope(), ...kind, String(number)]), number, release: claim.release }
  }
  return { id: randomUUID(), number: process.pid, release() {} }
}

const hash = (words: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, 32)
