/** All services for the duration of one command, on a database that a running server may use as well. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../../accounts/actor.ts'
import { systemClock } from '../../lib/clock.ts'
import { OperatorError } from '../../lib/failure.ts'
import { makeLog } from '../../lib/log.ts'
import type { Services } from '../../services.ts'
import { readSettings } from '../../settings.ts'
import { databaseFile, demandWhole, prepareFolder } from '../../store/files/data-folder.ts'

export type ServicesOptions = {
  /** Whether the command may create the database; otherwise it must exist. */
  readonly mayBegin?: boolean
}

export async function withServices<T>(
  environment: NodeJS.ProcessEnv,
  act: (services: Services) => Promise<T>,
  { mayBegin = false }: ServicesOptions = {},
): Promise<T> {
  const settings = readSettings(environment)
  const { dataFolder, databaseUrl } = settings
  if (!databaseUrl && !mayBegin && !existsSync(join(dataFolder, databaseFile))) {
    throw new OperatorError(`There is no database in ${dataFolder} yet: start Guildhall once, or set GUILDHALL_DATA.`)
  }
  if (mayBegin && !databaseUrl) prepareFolder(dataFolder)
  demandWhole(dataFolder)
  // Loaded here, so that a refused command does not wait for them.
  const { makeServices } = await import('../../services.ts')
  const { openStore } = await import('../../store/open-store.ts')
  // The standard output is for the command's result, so the log goes to the standard error.
  const log = makeLog('warn', process.stderr)
  const store = await openStore(settings, log)
  const services = await makeServices({ settings, store, clock: store.alignClock(systemClock), log })
  try {
    return await act(services)
  } finally {
    await services.close()
  }
}

export async function findUser({ accounts }: Services, name: string): Promise<Account> {
  const account = await accounts.findByName(name)
  if (account?.kind === 'user') return account
  throw new OperatorError(`There is no account named ${name}; account list shows all.`)
}
