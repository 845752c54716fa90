/** `backup FILE`: one consistent copy while servers run: every row of the database, every repository and file. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { systemClock } from '../lib/clock.ts'
import { OperatorError } from '../lib/failure.ts'
import { makeLog } from '../lib/log.ts'
import { ignoreOutage } from '../lib/outages/outage.ts'
import { readSettings, type Settings } from '../settings.ts'
import type { Snapshot } from '../store/dump/dump.ts'
import { backupStagePrefix, removeForgottenStages, touchEveryMs, touchStage } from '../store/files/backup-stages.ts'
import { databaseFile, demandWhole } from '../store/files/data-folder.ts'
import type { Store } from '../store/store.ts'
import { type Archive, type Summary, writeArchive } from './backup/archive.ts'
import { addRepositories, addRest } from './backup/files.ts'
import { showProgress } from './backup/progress.ts'
import { addRows } from './backup/rows.ts'
import { defineCommand } from './command-line/command.ts'

export const backup = defineCommand({
  name: 'backup',
  summary: 'Writes the database and all files into one .tar.gz, while servers run.',
  words: ['FILE'],
  notes: [
    'The file holds password hashes and everything private: it is made readable for you alone.',
    'It can be restored into either database, SQLite or PostgreSQL. Folders that were set aside are not part of it.',
  ],
  async run({ words: [given = ''], environment }) {
    const settings = readSettings(environment)
    const target = resolve(given)
    await refuseWrong(settings, target)
    const { openStore } = await import('../store/open-store.ts')
    const store = await openStore(settings, makeLog('warn', process.stderr))
    const stage = join(settings.dataFolder, `${backupStagePrefix}${randomUUID()}`)
    try {
      await removeForgottenStages(settings.dataFolder, true)
      await mkdir(stage, { mode: 0o700 })
      const { count, bytes } = await makeBackup(settings, store, stage, target)
      process.stdout.write(`${target}: ${count} files, ${bytes} bytes before packing.\n`)
    } catch (error) {
      throw asOperatorError(error, target)
    } finally {
      await rm(stage, { recursive: true, force: true, maxRetries: 5 })
      await store.close()
    }
  },
})

/**
 * First deletions from the disk are held up, then the database is read as of one moment, then the files. So every file
 * that the rows name still exists, and no repository is older than its row. Later pushes may be included.
 */
async function makeBackup(settings: Settings, store: Store, stage: string, target: string): Promise<Summary> {
  const { demandInstallation } = await import('../store/installation/installation.ts')
  const { takeHold } = await import('../store/installation/backup-hold.ts')
  const id = await demandInstallation({ store, ...settings })
  // A full disk is when a backup is wanted most: go on without the hold.
  const hold = await takeHold(store.write, store.alignClock(systemClock).now).catch(goWithout)
  const renewing = setInterval(() => {
    void hold?.renew().catch(() => {})
    void touchStage(stage).catch(() => {})
  }, touchEveryMs)
  try {
    return await writeArchive(target, async (archive) => {
      const endProgress = showProgress(archive.summary)
      try {
        const repositories = await dumpDatabase(settings, archive, id)
        const missing = await addRepositories(archive, settings.dataFolder, stage, repositories)
        await addRest(archive, settings.dataFolder, stage)
        endProgress()
        for (const folder of missing) process.stderr.write(`guildhall: ${folder} is missing, so the backup lacks it.\n`)
      } finally {
        endProgress()
      }
    })
  } finally {
    clearInterval(renewing)
    // If it can't be released, it expires.
    await hold?.release().catch(ignoreOutage)
  }
}

function goWithout(error: unknown): undefined {
  ignoreOutage(error)
  process.stderr.write(
    'guildhall: the database takes no changes (is the disk full?), so deletions can not be held up: what is deleted ' +
      'meanwhile may be missing from the backup.\n',
  )
}

/** Answers the ids of the repositories in the rows. */
async function dumpDatabase(settings: Settings, archive: Archive, installationId: string): Promise<number[]> {
  const snapshot = await openSnapshot(settings)
  try {
    await addRows(archive, snapshot, installationId)
    return await listRepositories(snapshot)
  } finally {
    await snapshot.close()
  }
}

async function openSnapshot({ databaseUrl, dataFolder }: Settings): Promise<Snapshot> {
  if (databaseUrl) return (await import('../store/postgres/dump.ts')).openPostgresSnapshot(databaseUrl)
  return (await import('../store/sqlite/dump.ts')).openSqliteSnapshot(join(dataFolder, databaseFile))
}

async function listRepositories({ head, rows }: Snapshot): Promise<number[]> {
  const { decodeRows } = await import('../store/dump/rows.ts')
  const table = head.tables.find(({ name }) => name === 'repository')!
  const place = table.columns.findIndex(({ name }) => name === 'id')
  const ids: number[] = []
  for await (const piece of rows(table)) for (const values of decodeRows(piece, table)) ids.push(Number(values[place]))
  return ids
}

async function refuseWrong({ databaseUrl, dataFolder }: Settings, target: string): Promise<void> {
  if (!databaseUrl && !existsSync(join(dataFolder, databaseFile))) {
    throw new OperatorError(`There is no database in ${dataFolder} to back up: set GUILDHALL_DATA to its folder.`)
  }
  if (!existsSync(dataFolder)) throw new OperatorError(`There is no data folder ${dataFolder}: set GUILDHALL_DATA.`)
  demandWhole(dataFolder)
  if (existsSync(target)) throw new OperatorError(`${target} is there already: choose a new name.`)
  if (!relative(dataFolder, target).startsWith('..')) {
    throw new OperatorError(
      'A backup can not lie in the data folder: the next one would hold it. Choose another place.',
    )
  }
}

function asOperatorError(error: unknown, target: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  // Errors of the system and of SQLite (a full disk, a missing folder) are the operator's to fix; others are bugs.
  return code ? new OperatorError(`The backup ${target} could not be made: ${message}.`) : error
}
