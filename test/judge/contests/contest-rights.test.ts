/** Who may do what with a contest: every operation, everybody that somebody can be towards one, while it runs. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { page } from '../../support/judge.ts'
import { makeRpcClient, type RpcClient } from '../../support/rpc.ts'
import { admin } from '../../support/server.ts'
import { type ContestStage, handIn, hour, minute, startContests } from './contest-stage.ts'

/** The colleague set problem B and is not of the jury; the setter owns the contest; `judge` and `staff` are on its lists. */
const people = [
  'nobody',
  'outsider',
  'team',
  'other',
  'staff',
  'colleague',
  'judge',
  'owner',
  'admin',
  'executor',
] as const
type Person = (typeof people)[number]

type Scene = { ContestID: string; UUID: string; ID: number; Balloon: number; Rejudging: number; Question: number }

/** In the order of `people`. What changes the scene is asked in one of its own for each where `isAnew`. */
type Row = [method: string, params: (scene: Scene) => object, codes: readonly number[], isAnew?: 'anew']

const readers = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
const jury = [17, 8, 8, 8, 8, 8, 0, 0, 0, 8]
/** What the jury alone may, if the contest were further. */
const juryLater = [17, 8, 8, 8, 8, 8, 10, 10, 10, 8]
const juryUnknown = [17, 8, 8, 8, 8, 8, 6, 6, 6, 8]

let drawn = 0
const inContest = ({ ContestID }: Scene) => ({ ContestID })
const list = ({ ContestID }: Scene) => ({ ContestID, ...page() })
const none = ({ ContestID }: Scene) => ({ ContestID, ID: 'none' })
const part = ({ ContestID }: Scene) => ({ ContestID, ID: 'x', Name: 'X' })
const rejudging = ({ ContestID, Rejudging }: Scene) => ({ ContestID, ID: Rejudging })
const draft = { Language: 'python', Content: 'x' }
const place = { Label: 'A', Ordinal: 0, Colour: '#ff0000' }

const table: Row[] = [
  // Accounts of the jury and the staff are contestants' here.
  [
    'create_contest',
    () => ({ ID: `made-${++drawn}`, Name: 'Made', Style: 'icpc', Duration: hour }),
    [17, 8, 8, 8, 8, 0, 8, 0, 0, 8],
  ],
  ['get_contest', ({ ContestID }) => ({ ID: ContestID }), readers],
  ['get_contest_list', () => page(), readers],
  ['get_scoreboard', inContest, readers],
  ['get_series_standings', ({ ContestID }) => ({ ContestIDList: [ContestID], ...page() }), readers],
  ['get_contest_team_list', list, readers],
  ['get_clarification_list', list, readers],
  ['update_contest', ({ ContestID }) => ({ ID: ContestID, Name: 'New' }), jury],
  ['delete_contest', ({ ContestID }) => ({ ID: ContestID }), juryLater],
  ['put_contest_problem', ({ ContestID, UUID }) => ({ ContestID, ID: 'a', UUID, ...place }), jury],
  ['put_contest_team', part, jury],
  ['put_contest_group', part, jury],
  ['put_contest_organisation', part, jury],
  ['delete_contest_problem', none, juryUnknown],
  ['delete_contest_team', none, juryUnknown],
  ['delete_contest_group', none, juryUnknown],
  ['delete_contest_organisation', none, juryUnknown],
  // The contest is open; who is in a team stays there, and executors take no part.
  ['join_contest', inContest, [17, 0, 7, 7, 0, 0, 0, 0, 0, 8], 'anew'],
  [
    'create_contest_submission',
    ({ ContestID }) => ({ ContestID, ProblemID: 'a', ...draft }),
    [17, 10, 0, 0, 10, 10, 10, 10, 10, 8],
    'anew',
  ],
  ['create_clarification', ({ ContestID }) => ({ ContestID, Text: 'x' }), [17, 8, 0, 0, 8, 8, 0, 0, 0, 8]],
  [
    'create_clarification',
    ({ ContestID, Question }) => ({ ContestID, Text: 'x', ReplyTo: Question }),
    [17, 8, 8, 8, 8, 8, 0, 0, 0, 8],
  ],
  ['get_balloon_list', list, [17, 8, 8, 8, 0, 8, 0, 0, 0, 8]],
  [
    'update_balloon',
    ({ ContestID, Balloon }) => ({ ContestID, ID: Balloon, IsDone: true }),
    [17, 8, 8, 8, 0, 8, 0, 0, 0, 8],
  ],
  ['get_contest_submission_list', ({ ContestID, ID }) => ({ ContestID, SubmissionIDList: [ID] }), jury],
  ['ignore_submission', ({ ID }) => ({ ID, IsIgnored: true }), jury],
  // The admin's password: of the jury, others do not know their own.
  [
    'override_result',
    ({ ID }) => ({ ID, Result: 6, Password: admin.password, Reason: 'x' }),
    [17, 8, 8, 8, 8, 8, 8, 8, 0, 8],
  ],
  ['create_rejudging', ({ ContestID, ID }) => ({ ContestID, SubmissionIDList: [ID], Reason: 'x' }), jury, 'anew'],
  ['get_rejudging_list', list, jury],
  ['get_rejudging', rejudging, jury],
  ['apply_rejudging', rejudging, juryLater],
  ['cancel_rejudging', rejudging, jury, 'anew'],
  ['freeze_contest', inContest, jury, 'anew'],
  ['unfreeze_contest', inContest, juryLater],
  ['unfreeze_contest', ({ ContestID }) => ({ ContestID, Force: true }), juryLater],
  ['finalize_contest', inContest, juryLater],
  ['reopen_contest', inContest, [17, 8, 8, 8, 8, 8, 8, 8, 10, 8]],
  // By tokens, of which the admin's alone may write data sets.
  [
    'store_series_standings',
    ({ ContestID }) => ({ ContestIDList: [ContestID], Name: 'standings' }),
    [17, 8, 8, 8, 8, 8, 8, 8, 0, 8],
  ],
]

for (const engine of engines)
  describe(`rights in contests on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    let clients: Record<Person, RpcClient>
    before(async () => {
      stage = await startContests(engine, { clock })
      const { cast, services } = stage
      const account = await services.accounts.insert({ name: 'outsider', displayName: 'outsider', role: 'contestant' })
      const { text } = await services.tokens.make(account, { kind: 'classic', scopes: ['judge'] })
      clients = {
        nobody: cast.anonymous,
        outsider: makeRpcClient(stage.url, text),
        team: cast.contestant,
        other: cast.rival,
        staff: stage.staff,
        colleague: cast.colleague,
        judge: stage.judge,
        owner: cast.setter,
        admin: cast.admin,
        executor: cast.worker,
      }
    })
    after(() => stage.stop())

    async function makeScene(): Promise<Scene> {
      const { setter, contestant } = stage.cast
      const { ContestID, problems } = await stage.makeContest({
        StartTime: clock.now() - minute,
        Duration: hour,
        FreezeDuration: minute,
        IsOpen: true,
      })
      const { ID } = await handIn(contestant, ContestID, 'a')
      await stage.judgeNext(1)
      const { BalloonList } = await setter.call('get_balloon_list', { ContestID, ...page() })
      const { ID: rejudged } = await handIn(contestant, ContestID, 'b')
      await stage.judgeNext(6)
      const wish = { ContestID, SubmissionIDList: [rejudged], Reason: 'x' }
      const { Rejudging } = await setter.call('create_rejudging', wish)
      const { Clarification } = await contestant.call('create_clarification', { ContestID, Text: 'Why?' })
      const made = { Balloon: BalloonList[0].ID, Rejudging: Rejudging.ID, Question: Clarification.ID }
      return { ContestID, UUID: problems.A!.UUID, ID, ...made }
    }

    /** So that the queue is empty for the next one. */
    async function clear(): Promise<void> {
      for (;;) {
        const { result } = await stage.cast.worker.ask('get_and_update_first_submitted_submission_to_executing')
        if (!result) return
        await stage.cast.worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result: 1 })
      }
    }

    test('every operation of contests is in the table', async () => {
      const document = await (await fetch(`${stage.url}/-/judge/openapi.json`)).text()
      const words = 'contest|scoreboard|clarification|balloon|rejudging|series|ignore_submission|override_result'
      const names = new Set(document.match(new RegExp(`\\b[a-z_]*(?:${words})[a-z_]*\\b(?="|'|/)`, 'g')))
      const tabled = new Set(table.map(([method]) => method))
      const isMethod = (name: string) =>
        /^(?:get|put|create|update|delete|join|ignore|override|apply|cancel|freeze|unfreeze|finalize|reopen|store)_/.test(
          name,
        )
      assert.deepEqual(
        [...names].filter((name) => isMethod(name) && !tabled.has(name)),
        [],
      )
      assert.deepEqual(
        [...tabled].filter((name) => !document.includes(name)),
        [],
      )
    })

    for (const [method, params, codes, isAnew] of table)
      test(`${method}: ${codes.join(' ')}`, async () => {
        let scene = await makeScene()
        const answered: Record<string, number> = {}
        for (const who of people) {
          answered[who] = await clients[who].code(method, params(scene))
          if (!isAnew || answered[who] !== 0) continue
          await clear()
          scene = await makeScene()
        }
        await clear()
        assert.deepEqual(answered, Object.fromEntries(people.map((who, at) => [who, codes[at]])))
      })
  })
