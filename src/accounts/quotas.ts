/** Quotas: how much one account or address may have here. Each is a default that the operator may change by name. */
import { demand, Failure } from '../lib/failure.ts'

/** The figures of GUILDHALL_QUOTAS. */
export const defaultQuotas = {
  /** Open connections, in all and from one address. Behind a proxy that is believed, the proxy counts by address. */
  connections: 20_000,
  connectionsPerAddress: 4_000,
  /** Connections over SSH, in all and from one address. */
  sshSessions: 2_000,
  sshSessionsPerAddress: 400,
  /** What bodies that arrive and answers that leave take of the memory, in all and of one caller. */
  heldMib: 512,
  heldMibPerCaller: 192,
  /** What lies on the disk of uploads that are not there to the end yet, in all and of one caller. */
  arrivingMib: 65_536,
  arrivingMibPerCaller: 8_192,
  /** Sessions of an account: with one more the oldest ends. */
  sessions: 1_000,
  tokens: 10_000,
  /** Repositories of a user or an organisation, and what all of them take. */
  repositories: 10_000,
  repositoryMib: 1_048_576,
  /** Organisations that a user owns, where users make them. */
  organizations: 100,
  /** Data sets of an account, and what the items of all of them take. */
  datasets: 100_000,
  datasetMib: 1_048_576,
}

export type Quotas = Readonly<typeof defaultQuotas>

/** These are kept in any case: without a bound, nobody is served in the end. */
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

const quotaReached = (most: string) => `You have reached the most that one account may have here: ${most}.`
