/** Quotas: how much one account or address may have. Each has a default that the operator may change by name. */
import { demand, Failure } from '../lib/failure.ts'

/** The figures of GUILDHALL_QUOTAS. */
export const defaultQuotas = {
  /** Open connections, in all and per address. Behind a trusted proxy, the proxy counts per address. */
  connections: 20_000,
  connectionsPerAddress: 4_000,
  /** SSH connections, in all and per address. */
  sshSessions: 2_000,
  sshSessionsPerAddress: 400,
  /** Memory for request bodies and answers in transit, in all and per caller. */
  heldMib: 512,
  heldMibPerCaller: 192,
  /** Disk space of unfinished uploads, in all and per caller. */
  arrivingMib: 65_536,
  arrivingMibPerCaller: 8_192,
  /** Sessions of an account: one more ends the oldest. */
  sessions: 1_000,
  tokens: 10_000,
  /** Repositories of a user or an organisation, and their size in all. */
  repositories: 10_000,
  repositoryMib: 1_048_576,
  /** Organisations that a user owns, where users make them. */
  organizations: 100,
  /** Data sets of an account, and the size of their items in all. */
  datasets: 100_000,
  datasetMib: 1_048_576,
}

export type Quotas = Readonly<typeof defaultQuotas>

/** These apply even if quotas are off: without them, the server would end up serving nobody. */
const keptQuotas = [
  'connections',
  'connectionsPerAddress',
  'sshSessions',
  'sshSessionsPerAddress',
  'heldMib',
  'heldMibPerCaller',
  'arrivingMib',
  'arrivingMibPerCaller',
]

export const liftQuotas = (quotas: Quotas): Quotas => {
  const lifted = Object.entries(quotas).map(([name, most]) => [
    name,
    keptQuotas.includes(name) ? most : Number.POSITIVE_INFINITY,
  ])
  return Object.fromEntries(lifted) as Quotas
}

export function demandWithin(count: number, most: number, what: string): void {
  demand(count < most, 'limited', 'quota', quotaReached(`${most} ${what}`))
}

export const overQuota = (most: string): Failure => new Failure('limited', 'quota', quotaReached(most))

const quotaReached = (most: string) => `You have reached the limit for one account: ${most}.`
