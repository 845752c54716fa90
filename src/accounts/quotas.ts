/** Quotas: how much one account or address may have here. Each is a default that the operator may change by name. */
import { demand, Failure } from '../base/failure.ts'

/** The figures of GUILDHALL_QUOTAS. */
export const defaultQuotas = {
  /** Open connections, in all and from one address. Behind a proxy that is believed, the proxy counts by address. */
  connections: 20_000,
  connectionsPerAddress: 4_000,
  /** Sessions of an account: with one more the oldest ends. */
  sessions: 1_000,
  tokens: 10_000,
  /** Repositories of a user or an organisation, and what all of them take. */
  repositories: 10_000,
  repositoryMib: 1_048_576,
  /** Data sets of an account, and what the items of all of them take. */
  datasets: 100_000,
  datasetMib: 1_048_576,
}

export type Quotas = Readonly<typeof defaultQuotas>

/** Connections are bounded in any case: without a bound, nobody is served in the end. */
export const liftQuotas = ({ connections, connectionsPerAddress }: Quotas): Quotas => ({
  ...(Object.fromEntries(Object.keys(defaultQuotas).map((name) => [name, Number.POSITIVE_INFINITY])) as Quotas),
  connections,
  connectionsPerAddress,
})

export function demandWithin(count: number, most: number, what: string): void {
  demand(count < most, 'limited', 'quota', quotaReached(`${most} ${what}`))
}

export const overQuota = (most: string): Failure => new Failure('limited', 'quota', quotaReached(most))

const quotaReached = (most: string) => `You have reached the most that one account may have here: ${most}.`
