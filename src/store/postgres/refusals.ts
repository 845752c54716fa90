/** Errors of our own, with the codes that PostgreSQL or the network uses for the same. */

const refuse = (code: string) => (message: string) => Object.assign(new Error(message), { code })

/** PostgreSQL has no connection to give. */
export const databaseBusy = refuse('53300')
/** Another transaction holds the lock. */
export const lockRefused = refuse('55P03')

const timedOut = refuse('ETIMEDOUT')
export const unanswered = () => timedOut('the database gave no answer in time')
export const unreachable = () => timedOut('the database is away')

/** PostgreSQL's disk is full or fails. */
export const isDiskRefused = (error: unknown): boolean => ['53100', '58030'].includes((error as { code: string }).code)

export const isLockRefused = (error: unknown): boolean => (error as { code?: unknown }).code === '55P03'
