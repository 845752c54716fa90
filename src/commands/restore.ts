/**
 * `restore FILE`: restores a backup into either database. All of it is read and verified before anything is replaced.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { OperatorError } from '../lib/failure.ts'
import { syncFolder } from '../lib/sync-folder.ts'
import { readSettings, type Settings } from '../settings.ts'
import type { DumpSource } from '../store/dump/dump.ts'
import {
  asidePrefix,
  databaseFile,
  holdFolder,
  isTemporary,
  prepareFolder,
  restoringMark,
} from '../store/files/data-folder.ts'
import { idFile } from '../store/installation/folder-id.ts'
import { verifySqlite } from '../store/sqlite/database-file.ts'
import { readRows, rowsFolder } from './backup/rows.ts'
import { unpackArchive } from './backup/unpacking.ts'
import { defineCommand } from './command-line/command.ts'

export const restore = defineCommand({
  name: 'restore',
  summary: 'Brings a backup back into the data folder and the database, while no server runs.',
  words: ['FILE'],
  options: {
    replace: {
      type: 'boolean',
      sentence: 'Into a folder that is in use: what is there is put aside in it, under replaced-….',
    },
  },
  notes: [
    'A backup of SQLite can be brought back into PostgreSQL (DATABASE_URL), and the other way.',
    'A PostgreSQL database must be empty: create a new one.',
  ],
  async run({ words: [given = ''], options, environment }) {
    const settings = readSettings(environment)
    const archive = resolve(given)
    if (!existsSync(archive)) throw new OperatorError(`There is no file ${archive}.`)
    const { dataFolder } = settings
    prepareFolder(dataFolder)
    const free = holdFolder(dataFolder)
    try {
      if (await finishCutShort(settings)) return
      await removeForgotten(dataFolder)
      const present = await listPresent(dataFolder)
      if (present.length > 0 && !options.replace) {
        throw new OperatorError(`${dataFolder} is not empty: say --replace to put what is there aside.`)
      }
      if (settings.databaseUrl) {
        const { demandEmptyPostgres } = await import('../store/postgres/dump.ts')
        await demandEmptyPostgres(settings.databaseUrl)
      }
      const { count, aside } = await bringBack(archive, settings, present)
      process.stdout.write(`${dataFolder} holds the ${count} files of ${archive}.\n`)
      if (aside) process.stdout.write(`What was there before is in ${aside}; delete it when you no longer need it.\n`)
    } finally {
      free()
    }
  },
})

async function bringBack(archive: string, { dataFolder: folder, databaseUrl }: Settings, present: readonly string[]) {
  const stage = join(folder, `.restore-${randomUUID()}`)
  const aside =
    present.length > 0 ? join(folder, asidePrefix + new Date().toISOString().replace(/[:.]/g, '-')) : undefined

  /** From the first move to the removal of the mark the folder is between two states, and a start refuses it. */
  async function place(): Promise<void> {
    await writeFile(join(folder, restoringMark), '')
    await syncFolder(folder)
    if (aside) await moveAll(folder, present, aside)
    const names = (await readdir(stage)).filter((name) => name !== rowsFolder)
    await moveAll(stage, databaseUrl ? names.filter((name) => name !== databaseFile) : names, folder)
    await syncFolder(folder)
  }

  try {
    await mkdir(stage, { mode: 0o700 })
    const { count } = await unpackArchive(archive, stage)
    const source = await openRows(stage)
    try {
      if (databaseUrl) {
        const { loadDump } = await import('../store/postgres/dump.ts')
        await loadDump(databaseUrl, source, place)
      } else {
        const { loadSqlite } = await import('../store/sqlite/dump.ts')
        if (!existsSync(join(stage, databaseFile))) await loadSqlite(join(stage, databaseFile), source)
        verifySqlite(join(stage, databaseFile))
        await syncDatabase(join(stage, databaseFile))
        await place()
      }
    } finally {
      await source.close()
    }
    await removeMark(folder)
    return { count, aside }
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** Archives of the first format have the SQLite file itself and no id: the next start gives one. */
async function openRows(stage: string): Promise<DumpSource & { close(): Promise<void> }> {
  const file = join(stage, databaseFile)
  if (existsSync(file)) {
    verifySqlite(file)
    return (await import('../store/sqlite/dump.ts')).openSqliteSnapshot(file)
  }
  const rows = await readRows(stage)
  await writeFile(join(stage, idFile), `${rows.installationId}\n`, { mode: 0o600, flush: true })
  return { ...rows, close: async () => {} }
}

/** Completes a restore that was killed with its rows committed and its files moved, but the mark still there. */
async function finishCutShort({ databaseUrl, dataFolder }: Settings): Promise<boolean> {
  if (!databaseUrl || !existsSync(join(dataFolder, restoringMark))) return false
  const { readPostgresId } = await import('../store/postgres/dump.ts')
  const { readFolderId } = await import('../store/installation/folder-id.ts')
  const id = await readPostgresId(databaseUrl)
  if (id === undefined || id !== (await readFolderId(dataFolder))) return false
  await removeMark(dataFolder)
  process.stdout.write(`The restore into ${dataFolder} that was cut short is complete.\n`)
  return true
}

/** The database was built without syncs, because a half-written one can be built again; now it must last. */
async function syncDatabase(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function removeMark(folder: string): Promise<void> {
  await rm(join(folder, restoringMark))
  await syncFolder(folder)
}

async function moveAll(from: string, names: readonly string[], to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of names) await rename(join(from, name), join(to, name))
}

const listPresent = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => !isTemporary(name) && !name.startsWith(asidePrefix))

/** Removes the folders of killed restores; no other restore runs, since this one holds the folder's lock. */
async function removeForgotten(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('.restore-')) await rm(join(folder, name), { recursive: true, force: true })
  }
}
