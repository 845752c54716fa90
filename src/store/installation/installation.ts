/** The installation: one database and one data folder, which share an id. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../lib/failure.ts'
import { hideSecrets } from '../../lib/log.ts'
import { databaseFile, demandWhole, demandWritable, prepareFolder } from '../files/data-folder.ts'
import { probeStore, readStore, type StoreLocation } from '../open-store.ts'
import type { Db } from '../schema/schema.ts'
import type { Store } from '../store.ts'
import { hasOffer, placeOffer, readFolderId, removeFolderId, writeOffer } from './folder-id.ts'
import { inspectDatabase, inspectFolder, sharesRepository } from './inspection.ts'
import { checkPair, type DatabaseState, type Pair } from './pair.ts'

type Located = StoreLocation & { readonly store: Store }

/** Decisions about the pair take this lock, on whichever server they run. */
const lock = { locks: ['installation'] }

/** The shared id of this database and this folder, created if both are new; refuses two that do not belong together. */
export async function pairInstallation({ store, ...place }: Located): Promise<string> {
  const folder = place.dataFolder
  const { id, isOffered } = await store.write(async (trx) => {
    const database = await inspectDatabase(trx)
    const found = await demandPair(place, database, trx)
    if (found !== 'unnamed') return { id: database.id!, isOffered: found === 'offered' }
    prepareFolder(folder)
    return { id: await nameBoth(trx, folder), isOffered: true }
  }, lock)
  if (!isOffered) return id
  await placeOffer(folder, id)
  // If two databases start in one folder at the same time, the first one gets it.
  if ((await readFolderId(folder)) !== id) throw refusal('strangers', place)
  return id
}

/** Whether a start would find an installation here or create one; refuses whatever a start refuses. Changes nothing. */
export async function probeInstallation(place: StoreLocation): Promise<{ isNew: boolean; isReadOnly: boolean }> {
  demandWritable(place.dataFolder)
  demandWhole(place.dataFolder)
  await demandDatabaseFile(place)
  if (!place.databaseUrl && !existsSync(join(place.dataFolder, databaseFile))) return { isNew: true, isReadOnly: false }
  const { tables, isReadOnly } = await probeStore(place)
  // An old version without ids is checked after the start has migrated it.
  if (tables.has('account') && !tables.has('installation')) return { isNew: false, isReadOnly }
  const found = tables.has('installation')
    ? await readStore(place, async (db) => demandPair(place, await inspectDatabase(db), db))
    : await demandPair(place, { id: undefined, hasRows: false, hasRepositories: false })
  return { isNew: found === 'unnamed', isReadOnly }
}

/** The id of a pair that has been started together; changes nothing. */
export async function demandInstallation({ store, databaseUrl, dataFolder }: Located): Promise<string> {
  const { id } = await inspectDatabase(store.db)
  if (id !== undefined && (await readFolderId(dataFolder)) === id) return id
  if (id !== undefined) throw refusal('strangers', { databaseUrl, dataFolder })
  throw new OperatorError(`The data folder ${dataFolder} and its database have no id yet: start Guildhall once.`)
}

/** Pairs any two, by the administrator's decision: both get a new id, so that neither fits its former partner. */
export async function adoptFolder({ store, dataFolder: folder }: Located): Promise<string> {
  const id = await store.write(async (trx) => {
    prepareFolder(folder)
    await removeFolderId(folder)
    return nameBoth(trx, folder)
  }, lock)
  await placeOffer(folder, id)
  return id
}

/** Otherwise SQLite would create a new, empty database beside another one's repositories. */
export async function demandDatabaseFile({ databaseUrl, dataFolder }: StoreLocation): Promise<void> {
  if (databaseUrl || existsSync(join(dataFolder, databaseFile))) return
  const { id, hasContent } = await inspectFolder(dataFolder, 'sqlite')
  if (id === undefined && !hasContent) return
  throw refusal('empty-database', { databaseUrl, dataFolder })
}

/**
 * `offered`: a first start or an adoption was interrupted between the database and the folder. `db` is omitted for an
 * empty database.
 */
async function demandPair(
  place: StoreLocation,
  database: DatabaseState,
  db?: Db,
): Promise<'matches' | 'offered' | 'unnamed'> {
  const folder = place.dataFolder
  if (database.id !== undefined && (await hasOffer(folder, database.id))) return 'offered'
  const state = await inspectFolder(folder, place.databaseUrl ? 'postgres' : 'sqlite')
  const isNamed = state.id !== undefined || database.id !== undefined
  const shares = db !== undefined && !isNamed && state.hasContent && (await sharesRepository(db, folder))
  const pair = checkPair(state, database, shares)
  if (pair !== 'matches' && pair !== 'unnamed') throw refusal(pair, place)
  return pair
}

async function nameBoth(trx: Db, folder: string): Promise<string> {
  const id = randomUUID()
  await writeOffer(folder, id)
  await trx.deleteFrom('installation').execute()
  await trx.insertInto('installation').values({ singleton: 1, id, created_at: Date.now() }).execute()
  return id
}

function refusal(
  pair: Exclude<Pair, 'matches' | 'unnamed'>,
  { databaseUrl, dataFolder }: StoreLocation,
): OperatorError {
  const database = databaseUrl ? hideSecrets(databaseUrl) : join(dataFolder, databaseFile)
  const findings = {
    'empty-database': `The data folder ${dataFolder} belongs to another database: the database ${database} is empty. Set DATABASE_URL and GUILDHALL_DATA to the two that belong together, or restore a backup into a new folder`,
    'empty-folder': `The database ${database} belongs to another data folder: ${dataFolder} is empty. Set GUILDHALL_DATA to the folder that all servers of this database share, and see that it is mounted`,
    strangers: `The data folder ${dataFolder} and the database ${database} do not belong together. Set DATABASE_URL and GUILDHALL_DATA to two that do`,
  }
  return new OperatorError(`${findings[pair]}; to join these two on purpose: npm run guildhall -- adopt.`)
}
