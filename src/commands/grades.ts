/** `grades NAME`: makes or refreshes a data set of results by person and problem. */
import { actingFor } from '../accounts/actor.ts'
import { OperatorError } from '../lib/failure.ts'
import { isUuid } from '../lib/ids.ts'
import { defineCommand } from './command-line/command.ts'
import { findUser, withServices } from './command-line/with-services.ts'

export const grades = defineCommand({
  name: 'grades',
  summary:
    'Creates or updates a data set of results, person by problem. The command export writes it as a spreadsheet.',
  words: ['DATASET'],
  options: {
    owner: {
      type: 'string',
      hint: 'NAME',
      sentence: 'The owner of the data set: a problem setter or an admin.',
      isRequired: true,
    },
    problems: {
      type: 'string',
      hint: 'UUID,UUID',
      sentence: 'The problems to include; the newest hundred by default.',
    },
    totals: { type: 'boolean', sentence: 'A row for each person, with totals, and the problems side by side.' },
    everyone: { type: 'boolean', sentence: 'Include contestants without submissions.' },
  },
  async run({ words: [datasetName = ''], options, environment }) {
    const problemUuids = options.problems?.split(',').map((one) => one.trim())
    const odd = problemUuids?.find((one) => !isUuid(one))
    if (odd !== undefined) throw new OperatorError(`--problems: ${JSON.stringify(odd)} is not a UUID of a problem.`)
    const sheet = await withServices(environment, async (services) => {
      const owner = actingFor(await findUser(services, options.owner ?? ''))
      return services.judge.gradeSheets.make(owner, {
        datasetName,
        hasEveryContestant: options.everyone ?? false,
        layout: options.totals ? 'people' : 'cells',
        ...(problemUuids && { problemUuids }),
      })
    })
    const { datasetId, itemCount } = sheet
    process.stdout.write(`Data set ${datasetId}: ${datasetName} of ${options.owner}, ${itemCount} rows.\n`)
  },
})
