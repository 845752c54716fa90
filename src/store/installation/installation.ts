/** The installation: one database and one data folder, which know each other by an id that both have. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../base/failure.ts'
import { hideSecrets } from '../../base/log.ts'
import { databaseFile } from '../files/data-folder.ts'
import type { Place } from '../open-store.ts'
import type { Db } from '../schema/schema.ts'
import type { Store } from '../store.ts'
import { hasOffer, placeOffer, readFolderId, removeFolderId, writeOffer } from './folder-id.ts'
import { inspectDatabase, inspectFolder, sharesRepository } from './inspection.ts'
import { judgePair, type Pair } from './pair.ts'

type Located = Place & { readonly store: Store }

/** Those who decide about the pair wait for each other, on whichever server they run. */
const lock = { alone: ['installation'] }

/** The id of this database and this folder; refuses two that do not belong together. The folder must be there. */
export async function pairInstallation({ store, ...place }: Located): Promise<string> {
  const folder = place.dataFolder
  const { id, isOffered } = await store.write(async (trx) => {
    const database = await inspectDatabase(trx)
    // A first start, or an adoption, that was cut short between the database and the folder.
    if (database.id !== undefined && (await hasOffer(folder, database.id))) return { id: database.id, isOffered: true }
    const state = await inspectFolder(folder, store.engine)
    const isNamed = state.id !== undefined || database.id !== undefined
    const shares = !isNamed && state.hasContent && (await sharesRepository(trx, folder))
    const pair = judgePair(state, database, shares)
    if (pair === 'matches') return { id: database.id!, isOffered: false }
    if (pair !== 'unnamed') throw refusal(pair, place)
    return { id: await nameBoth(trx, folder), isOffered: true }
  }, lock)
  if (!isOffered) return id
  await placeOffer(folder, id)
  // Of two databases that begin in one folder at the same time, the first has it.
  if ((await readFolderId(folder)) !== id) throw refusal('strangers', place)
  return id
}

/** The id of a pair that has been started together; changes nothing. */
export async function demandInstallation({ store, databaseUrl, dataFolder }: Located): Promise<string> {
  const { id } = await inspectDatabase(store.db)
  if (id !== undefined && (await readFolderId(dataFolder)) === id) return id
  if (id !== undefined) throw refusal('strangers', { databaseUrl, dataFolder })
  throw new OperatorError(`The data folder ${dataFolder} and its database have no id yet: start Guildhall once.`)
}

/** Makes a pair of any two, as the administrator wants it: both get a new id, so that neither fits its former partner. */
export async function adoptFolder({ store, dataFolder: folder }: Located): Promise<string> {
  const id = await store.write(async (trx) => {
    await removeFolderId(folder)
    return nameBoth(trx, folder)
  }, lock)
  await placeOffer(folder, id)
  return id
}

/** Before SQLite would make a new, empty database beside repositories that are another's. */
export async function demandDatabaseFile({ databaseUrl, dataFolder }: Place): Promise<void> {
  if (databaseUrl || existsSync(join(dataFolder, databaseFile))) return
  const { id, hasContent } = await inspectFolder(dataFolder, 'sqlite')
  if (id === undefined && !hasContent) return
  throw refusal('empty-database', { databaseUrl, dataFolder })
}

async function nameBoth(trx: Db, folder: string): Promise<string> {
  const id = randomUUID()
  await writeOffer(folder, id)
  await trx.deleteFrom('installation').execute()
  await trx.insertInto('installation').values({ singleton: 1, id, created_at: Date.now() }).execute()
  return id
}

function refusal(pair: Exclude<Pair, 'matches' | 'unnamed'>, { databaseUrl, dataFolder }: Place): OperatorError {
  const database = databaseUrl ? hideSecrets(databaseUrl) : join(dataFolder, databaseFile)
  const findings = {
    'empty-database': `The data folder ${dataFolder} belongs to another database: the database ${database} is empty. Set DATABASE_URL and GUILDHALL_DATA to the two that belong together, or restore a backup into a new folder`,
    'empty-folder': `The database ${database} belongs to another data folder: ${dataFolder} is empty. Set GUILDHALL_DATA to the folder that all servers of this database share, and see that it is mounted`,
    strangers: `The data folder ${dataFolder} and the database ${database} do not belong together. Set DATABASE_URL and GUILDHALL_DATA to two that do`,
  }
  return new OperatorError(`${findings[pair]}; to join these two on purpose: npm run guildhall -- adopt.`)
}
