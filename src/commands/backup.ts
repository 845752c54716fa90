/** `backup FILE`: writes a consistent copy of the database and every file of the data folder while the server runs. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { OperatorError } from '../base/failure.ts'
import { readSettings, type Settings } from '../settings.ts'
import { databaseFile, demandWhole } from '../store/files/data-folder.ts'
import { copySqlite } from '../store/sqlite/database-file.ts'
import { writeArchive } from './backup/archive.ts'
import { linkDataFolder } from './backup/snapshot.ts'
import { defineCommand } from './command.ts'

const dayMs = 86_400_000

export const backup = defineCommand({
  name: 'backup',
  summary: 'Writes the database and all files into one .tar.gz, while the server runs.',
  words: ['FILE'],
  notes: [
    'The file holds password hashes and everything private: it is made readable for you alone.',
    'With PostgreSQL, use pg_dump for the database first, then copy the data folder.',
  ],
  async run({ words: [given = ''], environment }) {
    const settings = readSettings(environment)
    const target = resolve(given)
    await refuseWrong(settings, target)
    await removeForgotten(settings.dataFolder)
    const stage = join(settings.dataFolder, `.backup-${randomUUID()}`)
    try {
      await mkdir(stage, { mode: 0o700 })
      await takeSnapshot(settings.dataFolder, stage)
      const { count, bytes } = await writeArchive(stage, target)
      process.stdout.write(`${target}: ${count} files, ${bytes} bytes before packing.\n`)
    } catch (error) {
      throw asOperatorError(error, target)
    } finally {
      await rm(stage, { recursive: true, force: true })
    }
  },
})

/**
 * Links the files, copies the database, and links the files again: so every file that the copied database names is there,
 * whether it was added between the first pass and the copy or deleted between the copy and the second pass.
 */
async function takeSnapshot(folder: string, stage: string): Promise<void> {
  await linkDataFolder(folder, stage)
  await copySqlite(join(folder, databaseFile), join(stage, databaseFile))
  await linkDataFolder(folder, stage)
}

async function refuseWrong({ databaseUrl, dataFolder }: Settings, target: string): Promise<void> {
  if (databaseUrl) {
    throw new OperatorError(
      `The database is PostgreSQL: back it up with pg_dump --format=custom "$DATABASE_URL", then copy ${dataFolder}.`,
    )
  }
  if (!existsSync(join(dataFolder, databaseFile))) {
    throw new OperatorError(`There is no database in ${dataFolder} to back up: set GUILDHALL_DATA to its folder.`)
  }
  demandWhole(dataFolder)
  if (existsSync(target)) throw new OperatorError(`${target} is there already: choose a new name.`)
  if (!relative(dataFolder, target).startsWith('..')) {
    throw new OperatorError(
      'A backup can not lie in the data folder: the next one would hold it. Choose another place.',
    )
  }
}

/** Removes the folders of backups that were killed. */
async function removeForgotten(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const isOld = name.startsWith('.backup-') && (await stat(path)).mtimeMs < Date.now() - dayMs
    if (isOld) await rm(path, { recursive: true, force: true })
  }
}

function asOperatorError(error: unknown, target: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  // Errors of the system and SQLite (a full disk, a missing folder) are the operator's to mend; anything else is a bug.
  return code ? new OperatorError(`The backup ${target} could not be made: ${message}.`) : error
}
