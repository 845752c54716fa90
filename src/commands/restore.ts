/** `restore FILE`: restores a backup. All of it is read and verified before anything is replaced. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { OperatorError } from '../base/failure.ts'
import { syncFolder } from '../base/sync-folder.ts'
import { readSettings, type Settings } from '../settings.ts'
import {
  asidePrefix,
  databaseFile,
  holdFolder,
  isTemporary,
  prepareFolder,
  restoringMark,
} from '../store/files/data-folder.ts'
import { verifySqlite } from '../store/sqlite/database-file.ts'
import { unpackArchive } from './backup/unpacking.ts'
import { defineCommand } from './command.ts'

export const restore = defineCommand({
  name: 'restore',
  summary: 'Brings a backup back into the data folder, while no server runs.',
  words: ['FILE'],
  options: {
    replace: {
      type: 'boolean',
      sentence: 'Into a folder that is in use: what is there is put aside in it, under replaced-….',
    },
  },
  async run({ words: [given = ''], options, environment }) {
    const settings = readSettings(environment)
    const archive = resolve(given)
    refuseWrong(settings, archive)
    const { dataFolder } = settings
    prepareFolder(dataFolder)
    const free = holdFolder(dataFolder)
    try {
      await removeForgotten(dataFolder)
      const present = await listPresent(dataFolder)
      if (present.length > 0 && !options.replace) {
        throw new OperatorError(`${dataFolder} is not empty: say --replace to put what is there aside.`)
      }
      const { count, aside } = await bringBack(archive, dataFolder, present)
      process.stdout.write(`${dataFolder} holds the ${count} files of ${archive}.\n`)
      if (aside) process.stdout.write(`What was there before is in ${aside}; delete it when you no longer need it.\n`)
    } finally {
      free()
    }
  },
})

async function bringBack(archive: string, folder: string, present: readonly string[]) {
  const stage = join(folder, `.restore-${randomUUID()}`)
  try {
    await mkdir(stage, { mode: 0o700 })
    const { count } = await unpackArchive(archive, stage)
    verifySqlite(join(stage, databaseFile))
    // Until the mark is removed the folder is between two states, and a start refuses it.
    await writeFile(join(folder, restoringMark), '')
    await syncFolder(folder)
    const aside =
      present.length > 0 ? join(folder, asidePrefix + new Date().toISOString().replace(/[:.]/g, '-')) : undefined
    if (aside) await moveAll(folder, present, aside)
    await moveAll(stage, await readdir(stage), folder)
    await syncFolder(folder)
    await rm(join(folder, restoringMark))
    await syncFolder(folder)
    return { count, aside }
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

async function moveAll(from: string, names: readonly string[], to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of names) await rename(join(from, name), join(to, name))
}

function refuseWrong({ databaseUrl }: Settings, archive: string): void {
  if (databaseUrl) {
    throw new OperatorError(
      'The database is PostgreSQL: bring it back with pg_restore, then copy the data folder back.',
    )
  }
  if (!existsSync(archive)) throw new OperatorError(`There is no file ${archive}.`)
}

const listPresent = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => !isTemporary(name) && !name.startsWith(asidePrefix))

/** Removes the folders of restores that were killed; no other restore runs, since this one holds the folder's lock. */
async function removeForgotten(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('.restore-')) await rm(join(folder, name), { recursive: true, force: true })
  }
}
