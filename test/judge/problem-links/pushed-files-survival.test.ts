/** Pushes of linked files and copies of a template through kill -9: each push that was answered is handed in, and once. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { engines, makeMigratedDatabase } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { makeProblem, page } from '../../support/judge.ts'
import { type Program, startProgram } from '../../support/program.ts'
import { makeRest } from '../../support/rest.ts'
import { type Json, makeRpcClient } from '../../support/rpc.ts'
import { admin } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const rounds = 2

describe('pushed files', () => {
  for (const engine of engines)
    test(`that were answered on ${engine} by a server that is killed are handed in once, and their verdicts arrive`, async (t) => {
      const database = await makeMigratedDatabase(engine)
      const folder = await makeWorkingFolder()
      let server: Program | undefined
      t.after(async () => {
        await server?.end('SIGKILL')
        await folder.drop()
        await database.drop()
      })
      const start = async () => {
        server = await startProgram({
          GUILDHALL_DATA: database.folder,
          ...(database.url && { DATABASE_URL: database.url }),
          GUILDHALL_ADMIN_PASSWORD: admin.password,
          GUILDHALL_ADMIN_TOKEN: admin.token,
          GUILDHALL_LOG: 'silent',
        })
        return { rpc: makeRpcClient(server.url, admin.token), rest: makeRest(server.url, admin.token), server }
      }
      let { rpc, rest } = await start()
      await rest.post('/user/repos', { name: 'code' })
      const { UUID } = await makeProblem(rpc)
      await rpc.call('put_problem_link', { Repository: 'admin/code', UUID, Path: 'main.py' })
      const answered: string[] = []
      for (let round = 0; round < rounds; round++) {
        const text = `print(${round})\n`
        await writeFile(join(folder.path, 'main.py'), text)
        await folder.must('add', '.')
        await folder.must('commit', '--quiet', '-m', `${round}`)
        await folder.must('push', '--quiet', remoteUrl(server!.url, 'admin/code', admin.name, admin.token), 'HEAD:main')
        answered.push(await folder.must('rev-parse', 'HEAD'))
        await server!.end('SIGKILL')
        ;({ rpc, rest } = await start())
      }
      const list = async (): Promise<Json[]> =>
        (await rpc.call('get_problem_submission_snippet_list', { ProblemUUID: UUID, ...page() })).SubmissionSnippetList
      await until(async () => (await list()).length === rounds)
      // The verdict is answered, and the server dies before it can tell the commit.
      for (let round = 0; round < rounds; round++) {
        const { Submission } = await rpc.call('get_and_update_first_submitted_submission_to_executing')
        await rpc.call('update_submission', { ID: Submission.ID, Status: 3, Result: 1 })
      }
      await server!.end('SIGKILL')
      ;({ rpc, rest } = await start())
      const states = async (sha: string): Promise<string[]> =>
        (await rest.get(`/repos/admin/code/commits/${sha}/statuses`)).body.map(({ state }: Json) => state)
      for (const sha of answered) await until(async () => (await states(sha))[0] === 'success')
      for (const sha of answered) assert.deepEqual(await states(sha), ['success', 'pending'])
      assert.equal((await list()).length, rounds)
    })
})
