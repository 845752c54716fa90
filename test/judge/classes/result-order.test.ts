/** Results and spreadsheets list students as a list of names does, whatever the database takes for the order of letters. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { engines } from '../../support/engines.ts'
import { type JudgeStage, startJudge } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'

const inOrder = ['Anna', 'Änne', 'Anton', 'Çağla', 'david', 'Émile', 'Jonas', 'Jörg', 'Julia', 'Łukasz', 'Zoe', 'Ольга']

for (const engine of engines)
  describe(`the order of students on ${engine}`, () => {
    let stage: JudgeStage
    before(async () => {
      stage = await startJudge(engine)
    })
    after(() => stage.stop())

    test('is that of names, in the results of a sheet and of a class and in their files', async () => {
      const { setter } = stage.cast
      await setter.call('create_class', { ID: 'order', Name: 'Class' })
      const Text = inOrder.map((name, i) => `s${(i * 5) % inOrder.length}-${i},${name}`).join('\n')
      await setter.call('import_roster', { ClassID: 'order', Text: `Login,Name\n${Text}\n`, IsDryRun: false })
      const draft = { ClassID: 'order', Title: 'Sheet', OpenTime: Date.now(), IsPublished: true }
      const { Sheet } = await setter.call('create_sheet', draft)
      const namesOf = ({ RowList }: Json): string[] => RowList.map((row: Json) => row.RosterName)
      assert.deepEqual(namesOf(await setter.call('get_sheet_results', { SheetID: Sheet.ID })), inOrder)
      assert.deepEqual(namesOf(await setter.call('get_class_results', { ClassID: 'order' })), inOrder)
      for (const path of [`sheets/${Sheet.ID}/results.csv`, 'classes/order/results.csv']) {
        const headers = { authorization: `Bearer ${setter.token}` }
        const response = await fetch(`${stage.url}/-/judge/${path}`, { headers })
        assert.equal(response.status, 200, path)
        const rows = parse(await response.text(), { columns: true, bom: true }) as { Name: string }[]
        assert.deepEqual(
          rows.map(({ Name }) => Name),
          inOrder,
          path,
        )
      }
    })
  })
