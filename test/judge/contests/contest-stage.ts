/** A contest with its people, for tests: the setter makes it, contestant and rival are teams, the colleague set a problem of it. */
import type { Engine } from '../../support/engines.ts'
import { type Cast, type JudgeStage, makeProblem, startJudge } from '../../support/judge.ts'
import { type Json, makeRpcClient, type RpcClient } from '../../support/rpc.ts'
import type { ServerOptions } from '../../support/server.ts'

export const minute = 60_000
export const hour = 60 * minute

export type ContestStage = JudgeStage & {
  /** Of the staff, and of the jury by its list. */
  readonly staff: RpcClient
  readonly judge: RpcClient
  /** Problems by label: A is the setter's, B is the colleague's, who is not of the jury. */
  makeContest(over?: object, labels?: string): Promise<{ ContestID: string; problems: Record<string, Json> }>
  judgeNext(Result: number): Promise<Json>
}

export async function startContests(engine: Engine, options: ServerOptions): Promise<ContestStage> {
  const stage = await startJudge(engine, options)
  const { accounts, tokens } = stage.services
  const clientOf = async (name: string) => {
    const account = await accounts.insert({ name, displayName: name, role: 'contestant' })
    return makeRpcClient(stage.url, (await tokens.make(account, { kind: 'classic', scopes: ['judge'] })).text)
  }
  const { setter, colleague, worker } = stage.cast
  let drawn = 0
  return {
    ...stage,
    staff: await clientOf('carrier'),
    judge: await clientOf('judge'),
    async makeContest(over = {}, labels = 'AB') {
      const ContestID = `contest-${++drawn}`
      const draft = { ID: ContestID, Name: 'Contest', Style: 'icpc', Duration: 5 * hour, IsPublic: true }
      await setter.call('create_contest', { ...draft, JuryList: ['judge'], StaffList: ['carrier'], ...over })
      const problems: Record<string, Json> = {}
      for (const [i, Label] of [...labels].entries()) {
        const problem = await makeProblem(i % 2 === 0 ? setter : colleague, { DisplayName: `Problem ${Label}` })
        problems[Label] = problem
        const place = { ContestID, ID: Label.toLowerCase(), Label, UUID: problem.UUID, Ordinal: i, Colour: '#00ff00' }
        await setter.call('put_contest_problem', place)
      }
      const team = (ID: string, Name: string, AccountNameList: string[]) =>
        setter.call('put_contest_team', { ContestID, ID, Name, AccountNameList })
      await team('t1', 'One', ['contestant'])
      await team('t2', 'Two', ['rival'])
      return { ContestID, problems }
    },
    async judgeNext(Result) {
      const { Submission } = await worker.call('get_and_update_first_submitted_submission_to_executing')
      await worker.call('update_submission', { ID: Submission.ID, Status: 3, Result })
      return Submission
    },
  }
}

export const handIn = async (by: RpcClient, ContestID: string, ProblemID: string, over: object = {}): Promise<Json> =>
  (
    await by.call('create_contest_submission', {
      ContestID,
      ProblemID,
      Language: 'python',
      Content: 'print(3)',
      ...over,
    })
  ).SubmissionSnippet

export type { Cast }
