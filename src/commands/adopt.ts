/** `adopt`: joins a database and a data folder that did not belong together, at the administrator's request. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../lib/failure.ts'
import { makeLog } from '../lib/log.ts'
import { readSettings, type Settings } from '../settings.ts'
import { databaseFile, demandWhole, demandWritable, holdFolder, prepareFolder } from '../store/files/data-folder.ts'
import type { Db } from '../store/schema/schema.ts'
import { defineCommand } from './command-line/command.ts'

export const adopt = defineCommand({
  name: 'adopt',
  summary: 'Joins the database and the data folder that the settings name, while no server runs.',
  options: {
    yes: {
      type: 'boolean',
      sentence: 'Join them. Without it, the command only shows what would happen to the repositories.',
    },
  },
  notes: [
    'A server starts only with the data folder that belongs to its database. Both get a new id, so neither fits its former partner.',
    'Nothing is deleted: folders without a repository in the database are set aside at the next start, and doctor lists them.',
  ],
  async run({ options, environment }) {
    const settings = readSettings(environment)
    const { dataFolder, databaseUrl } = settings
    if (!options.yes) {
      await foretell(settings)
      throw new OperatorError('Nothing was changed: say --yes to join the two.')
    }
    if (databaseUrl) demandWritable(dataFolder)
    else prepareFolder(dataFolder)
    const free = databaseUrl ? () => {} : holdFolder(dataFolder)
    try {
      demandWhole(dataFolder)
      const { openStore } = await import('../store/open-store.ts')
      const store = await openStore(settings, makeLog('warn', process.stderr))
      try {
        await describe(store.db, dataFolder)
        const { adoptFolder } = await import('../store/installation/installation.ts')
        await adoptFolder({ store, dataFolder, databaseUrl })
        process.stdout.write(`${dataFolder} is now this database’s data folder.\n`)
      } finally {
        await store.close()
      }
    } finally {
      free()
    }
  },
})

/** Only reads: opening a store would create or migrate it. */
async function foretell(settings: Settings): Promise<void> {
  const { dataFolder, databaseUrl } = settings
  demandWritable(dataFolder)
  demandWhole(dataFolder)
  const { probeStore, readStore } = await import('../store/open-store.ts')
  const isThere = databaseUrl !== undefined || existsSync(join(dataFolder, databaseFile))
  const hasTables = isThere && (await probeStore(settings)).tables.has('repository')
  if (hasTables) return readStore(settings, (db) => describe(db, dataFolder))
  await describe(undefined, dataFolder)
  process.stdout.write('There is no database yet: with --yes an empty one is made.\n')
}

/** `db` is undefined if the database does not exist yet. */
async function describe(db: Db | undefined, folder: string): Promise<void> {
  const { listRepositoryFolders } = await import('../store/installation/inspection.ts')
  let [both, folderAlone] = [0, 0]
  for await (const ids of listRepositoryFolders(folder)) {
    const rows = await db?.selectFrom('repository').select('id').where('id', 'in', ids).execute()
    const known = rows?.length ?? 0
    both += known
    folderAlone += ids.length - known
  }
  const counted = db?.selectFrom('repository').select((query) => query.fn.countAll<number>().as('count'))
  const count = Number((await counted?.executeTakeFirstOrThrow())?.count ?? 0)
  const lines = [
    `repositories in both:           ${both}`,
    `in the data folder alone:       ${folderAlone} (set aside at the next start, and kept)`,
    `in the database alone:          ${count - both} (answered with 503 until their folders are brought back)`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
