/** `adopt`: joins a database and a data folder that did not belong together, as the administrator wants it. */
import { OperatorError } from '../base/failure.ts'
import { makeLog } from '../base/log.ts'
import { readSettings } from '../settings.ts'
import { demandWhole, demandWritable, holdFolder, prepareFolder } from '../store/files/data-folder.ts'
import type { Store } from '../store/store.ts'
import { defineCommand } from './command.ts'

export const adopt = defineCommand({
  name: 'adopt',
  summary: 'Joins the database and the data folder that the settings name, while no server runs.',
  options: { yes: { type: 'boolean', sentence: 'Does it; else it only says what would become of the repositories.' } },
  notes: [
    'A server starts only with the data folder that belongs to its database. Both get a new id, so neither fits its former partner.',
    'Nothing is deleted: folders without a repository in the database are set aside at the next start, and doctor lists them.',
  ],
  async run({ options, environment }) {
    const settings = readSettings(environment)
    const { dataFolder, databaseUrl } = settings
    if (databaseUrl) demandWritable(dataFolder)
    else prepareFolder(dataFolder)
    const free = databaseUrl ? () => {} : holdFolder(dataFolder)
    try {
      demandWhole(dataFolder)
      const { openStore } = await import('../store/open-store.ts')
      const store = await openStore(settings, makeLog('warn', process.stderr))
      try {
        await describe(store, dataFolder)
        if (!options.yes) throw new OperatorError('Nothing was changed: say --yes to join the two.')
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

async function describe({ db }: Store, folder: string): Promise<void> {
  const { listRepositoryFolders } = await import('../store/installation/inspection.ts')
  let [both, folderAlone] = [0, 0]
  for await (const ids of listRepositoryFolders(folder)) {
    const rows = await db.selectFrom('repository').select('id').where('id', 'in', ids).execute()
    both += rows.length
    folderAlone += ids.length - rows.length
  }
  const { count } = await db
    .selectFrom('repository')
    .select((query) => query.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const lines = [
    `repositories in both:           ${both}`,
    `in the data folder alone:       ${folderAlone} (set aside at the next start, and kept)`,
    `in the database alone:          ${count - both} (answered with 503 until their folders are brought back)`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
