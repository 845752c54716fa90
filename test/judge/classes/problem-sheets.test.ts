/** A problem that counts in a sheet is not deleted under the hands of its class. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { type Cast, type JudgeStage, makeProblem, startJudge, submit } from '../../support/judge.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'

for (const engine of engines)
  describe(`deleting a problem of a sheet on ${engine}`, () => {
    let stage: JudgeStage
    let cast: Cast
    let drawn = 0
    before(async () => {
      stage = await startJudge(engine)
      cast = stage.cast
    })
    after(() => stage.stop())

    /** The setter teaches the contestant, and has put a problem of this author on a sheet. */
    async function begin(
      author: RpcClient,
      over: object = {},
      isAccepted = true,
    ): Promise<{ UUID: string; SheetID: number; ClassID: string }> {
      const { UUID } = await makeProblem(author)
      const ClassID = `deleting-${++drawn}`
      await cast.setter.call('create_class', { ID: ClassID, Name: 'Year 9' })
      await cast.setter.call('put_class_member', { ClassID, AccountName: 'contestant', Role: 'student' })
      if (isAccepted) await cast.contestant.call('accept_class_invitation', { ClassID })
      const ProblemList = [{ UUID, Points: 10 }]
      const draft = { ClassID, Title: 'Loops', OpenTime: Date.now() - 1, IsPublished: true, ProblemList, ...over }
      return { UUID, ClassID, SheetID: (await cast.setter.call('create_sheet', draft)).Sheet.ID }
    }
    const remove = async (by: RpcClient, UUID: string): Promise<Json> =>
      (await by.ask('delete_problem', { UUID })).error ?? { code: 0 }

    test('a teacher is told which sheet has it, and takes it off first', async () => {
      const { UUID, SheetID } = await begin(cast.setter)
      for (const by of [cast.setter, cast.admin]) {
        if (by === cast.admin) await submit(cast.contestant, UUID)
        const { code, message } = await remove(by, UUID)
        assert.equal(code, 10)
        assert.match(
          message,
          /The sheet "Loops" of the class "Year 9" counts submissions to this problem: remove the problem/,
        )
      }
      assert.equal((await cast.setter.call('get_sheet_results', { SheetID })).ProblemList.length, 1)
      await cast.setter.call('update_sheet', { ID: SheetID, ProblemList: [] })
      assert.deepEqual(await remove(cast.setter, UUID), { code: 0 })
    })

    test('a draft does not keep it', async () => {
      const { UUID } = await begin(cast.setter, { IsPublished: false })
      assert.deepEqual(await remove(cast.setter, UUID), { code: 0 })
    })

    test('a colleague’s sheet keeps it from the first submission on, and its name is not told', async () => {
      const { UUID } = await begin(cast.colleague)
      await submit(cast.contestant, UUID)
      const { code, message } = await remove(cast.colleague, UUID)
      assert.equal(code, 10)
      assert.match(message, /A sheet of somebody else’s class counts submissions to this problem: ask an admin/)
      assert.doesNotMatch(message, /Loops|Year 9/)
    })

    test('a mark alone keeps it, and what was handed in by a student who left', async () => {
      const marked = await begin(cast.colleague)
      const mark = { SheetID: marked.SheetID, AccountName: 'contestant', UUID: marked.UUID, Points: 3, Comment: '' }
      await cast.setter.call('put_mark', mark)
      assert.equal((await remove(cast.colleague, marked.UUID)).code, 10)
      const left = await begin(cast.colleague)
      await submit(cast.contestant, left.UUID)
      await cast.setter.call('delete_class_member', { ClassID: left.ClassID, AccountName: 'contestant' })
      assert.equal((await remove(cast.colleague, left.UUID)).code, 10)
    })

    test('who was put into a class and never accepted keeps nothing', async () => {
      const { UUID } = await begin(cast.colleague, {}, false)
      await submit(cast.contestant, UUID)
      assert.deepEqual(await remove(cast.colleague, UUID), { code: 0 })
    })

    test('a colleague’s sheet to which nobody handed in does not keep it: anybody could prevent the deletion', async () => {
      const { UUID, SheetID } = await begin(cast.colleague)
      await submit(cast.rival, UUID)
      assert.deepEqual(await remove(cast.colleague, UUID), { code: 0 })
      assert.deepEqual((await cast.setter.call('get_sheet_results', { SheetID })).ProblemList, [])
    })

    test('what was handed in before the sheet opened does not keep it', async () => {
      const { UUID, SheetID } = await begin(cast.colleague, { OpenTime: Date.now() + 60_000 })
      await submit(cast.contestant, UUID)
      await cast.setter.call('update_sheet', { ID: SheetID, OpenTime: Date.now() + 1 })
      assert.deepEqual(await remove(cast.colleague, UUID), { code: 0 })
    })
  })
