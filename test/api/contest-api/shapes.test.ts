/**
 * Every object of the Contest API has the members that version 2026-01 names, of the types it says, and no others: the
 * tables are written by hand from its pages. In strict mode they are those of its published schemas.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { type ContestStage, hour, startContests } from '../../judge/contests/contest-stage.ts'
import { oneEngine } from '../../support/engines.ts'
import type { Json } from '../../support/rpc.ts'
import { applyEvents, collections, makeFullContest, readAll } from './full-contest.ts'

type Check = (value: Json) => boolean
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check) && new Set(value.map((one) => JSON.stringify(one))).size === value.length
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value)

const id = matches(/^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,34}[A-Za-z0-9_-])?$/)
const text: Check = (value) => typeof value === 'string'
const flag: Check = (value) => typeof value === 'boolean'
const whole: Check = (value) => Number.isInteger(value) && value >= 0
const seconds: Check = (value) =>
  typeof value === 'number' && value >= 0 && Math.abs(value * 1e3 - Math.round(value * 1e3)) < 1e-6
const points: Check = (value) => typeof value === 'number' && value >= 0
// The fractions are in all times or in none.
const time = matches(/^[12]\d{3}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/)
const relative = matches(/^-?\d+:[0-5]\d:[0-5]\d\.\d{3}$/)
const span = matches(/^\d+:[0-5]\d:[0-5]\d\.\d{3}$/)
const file: Check = (value) => fits(value, { href: text, filename: text, mime: text }, {}) === undefined
const files = listOf(file)
const results = oneOf('AC', 'CE', 'RTE', 'TLE', 'MLE', 'WA', 'OLE', 'JE', 'RE')
const simple = oneOf('AC', 'CE', 'RE')

type Members = Readonly<Record<string, Check>>
type Shape = { readonly required: Members; readonly optional: Members }

/** Says what is wrong. */
function fits(value: Json, required: Members, optional: Members): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is no object'
  for (const name of Object.keys(required)) if (!(name in value)) return `has no ${name}`
  for (const [name, one] of Object.entries(value)) {
    const check = required[name] ?? optional[name]
    if (!check) return `has ${name}, which is unknown`
    if (!check(one)) return `has ${name} ${JSON.stringify(one)}`
  }
  return undefined
}

const state: Shape = {
  required: {
    started: orNull(time),
    frozen: orNull(time),
    ended: orNull(time),
    thawed: orNull(time),
    finalized: orNull(time),
    end_of_updates: orNull(time),
  },
  optional: {},
}

/** `isStrict`: as the published schemas have it, which do not know all that the pages name. */
function shapesOf(style: 'icpc' | 'ioi', isStrict: boolean): Record<string, Shape> {
  const isIoi = style === 'ioi'
  const only = (condition: boolean, members: Members): Members => (condition ? members : {})
  const narrow: Members = isStrict
    ? { to_team_id: orNull(id) }
    : { to_team_ids: orNull(listOf(id)), to_group_ids: orNull(listOf(id)) }
  return {
    contest: {
      required: {
        id,
        name: text,
        duration: span,
        scoreboard_type: oneOf(isIoi ? 'score' : 'pass-fail'),
        start_time: orNull(time),
        countdown_pause_time: orNull(span),
        scoreboard_freeze_duration: orNull(span),
        scoreboard_thaw_time: orNull(time),
        ...only(!isIoi, { penalty_time: span }),
      },
      optional: { formal_name: text },
    },
    'judgement-types': {
      required: { id: results, name: text, penalty: flag, solved: flag },
      optional: only(!isStrict, { simplified_judgement_type_id: simple }),
    },
    languages: { required: { id, name: text, entry_point_required: flag, extensions: listOf(text) }, optional: {} },
    problems: {
      required: {
        id,
        label: text,
        name: text,
        ordinal: whole,
        test_data_count: whole,
        time_limit: seconds,
        memory_limit: whole,
        output_limit: whole,
        code_limit: whole,
        ...only(isIoi, { max_score: points }),
      },
      optional: {
        uuid: matches(/^[0-9a-f-]{36}$/),
        rgb: matches(/^#[0-9a-fA-F]{6}$/),
        statement: files,
        ...only(!isStrict, { attachments: files }),
      },
    },
    groups: { required: { id, name: text }, optional: {} },
    organizations: { required: { id, name: text }, optional: {} },
    teams: {
      required: { id, name: text, label: text, group_ids: listOf(id) },
      optional: { organization_id: orNull(id), hidden: flag },
    },
    accounts: {
      required: { id, username: text, type: orNull(oneOf('team', 'judge', 'admin', 'staff')) },
      optional: { name: text, team_id: id },
    },
    state,
    submissions: {
      required: { id, language_id: id, problem_id: id, team_id: id, time, contest_time: relative, files },
      optional: { entry_point: orNull(text) },
    },
    judgements: {
      required: {
        id,
        submission_id: id,
        start_time: time,
        start_contest_time: relative,
        end_time: time,
        end_contest_time: relative,
        ...only(isIoi, { score: points }),
        ...only(isStrict, { judgement_type_id: results }),
      },
      optional: {
        current: flag,
        max_run_time: seconds,
        ...only(!isStrict, { judgement_type_id: results, simplified_judgement_type_id: orNull(simple) }),
      },
    },
    runs: {
      required: { id, judgement_id: id, ordinal: whole, judgement_type_id: results, time, contest_time: relative },
      optional: { run_time: seconds },
    },
    clarifications: {
      required: {
        id,
        text,
        time,
        contest_time: relative,
        from_team_id: orNull(id),
        reply_to_id: orNull(id),
        problem_id: orNull(id),
        ...narrow,
      },
      optional: {},
    },
    awards: { required: { id, citation: text, team_ids: listOf(id) }, optional: {} },
  }
}

/** The collection in which each reference is found. */
const references: Record<string, string> = {
  language_id: 'languages',
  problem_id: 'problems',
  team_id: 'teams',
  team_ids: 'teams',
  from_team_id: 'teams',
  to_team_id: 'teams',
  to_team_ids: 'teams',
  group_ids: 'groups',
  to_group_ids: 'groups',
  organization_id: 'organizations',
  submission_id: 'submissions',
  judgement_id: 'judgements',
  judgement_type_id: 'judgement-types',
  simplified_judgement_type_id: 'judgement-types',
  reply_to_id: 'clarifications',
}

const capabilities = oneOf('contest_start', 'contest_thaw', 'team_submit', 'admin_submit', 'post_clar')

for (const engine of oneEngine)
  for (const style of ['icpc', 'ioi'] as const)
    describe(`the objects of the Contest API in ${style} on ${engine}`, () => {
      const clock = makeManualClock()
      let stage: ContestStage
      let ContestID: string
      before(async () => {
        stage = await startContests(engine, { clock })
        ContestID = await makeFullContest(stage, clock, style)
      })
      after(() => stage.stop())

      async function checkAll(): Promise<void> {
        const { contestant, rival, setter, admin, anonymous } = stage.cast
        for (const isStrict of [false, true])
          for (const who of [anonymous, rival, contestant, setter, admin, stage.staff]) {
            const shapes = shapesOf(style, isStrict)
            // Built boards are a second old at most.
            clock.advance(2_000)
            const { objects, feed } = await readAll(stage.url, ContestID, who.token, isStrict ? '?strict=1' : '')
            const check = (type: string, object: Json) => {
              const { required, optional } = shapes[type]!
              assert.equal(fits(object, required, optional), undefined, `${type}: ${JSON.stringify(object)}`)
            }
            check('contest', objects.get('contest'))
            check('state', objects.get('state'))
            if (objects.has('account')) check('accounts', objects.get('account'))
            const ids = new Map(collections.map((type) => [type as string, new Set<string>()]))
            for (const type of collections)
              for (const object of objects.get(type) ?? []) {
                check(type, object)
                ids.get(type)!.add(object.id)
              }
            for (const type of collections)
              for (const object of objects.get(type) ?? [])
                for (const [name, collection] of Object.entries(references))
                  for (const one of [object[name] ?? []].flat())
                    assert.ok(ids.get(collection)!.has(one), `${type}.${name} ${one}`)
            checkBoard(objects.get('scoreboard'), ids)
            for (const capability of objects.get('access').capabilities) assert.ok(capabilities(capability))
            for (const { type, properties } of objects.get('access').endpoints) {
              assert.ok(properties.length > 0)
              const shape = shapes[type]
              if (!shape) continue
              const all = { ...shape.required, ...shape.optional }
              assert.deepEqual(
                properties.filter((name: string) => !(name in all)),
                [],
                type,
              )
            }
            checkFeed(feed, objects)
          }
      }

      function checkFeed(feed: readonly Json[], objects: ReadonlyMap<string, Json>): void {
        for (const event of feed) assert.deepEqual(Object.keys(event), ['type', 'id', 'data', 'token'])
        const expected: Record<string, Json> = {
          'contest null': objects.get('contest'),
          'state null': objects.get('state'),
        }
        for (const type of collections)
          for (const object of objects.get(type) ?? []) expected[`${type} ${object.id}`] = object
        assert.deepEqual(
          applyEvents(feed),
          Object.fromEntries(Object.entries(expected).sort(([a], [b]) => (a < b ? -1 : 1))),
        )
      }

      function checkBoard(board: Json, ids: ReadonlyMap<string, ReadonlySet<string>>): void {
        const isState: Check = (value) => fits(value, state.required, {}) === undefined
        const wholeBoard = { time, contest_time: relative, state: isState, rows: Array.isArray }
        assert.equal(fits(board, wholeBoard, {}), undefined)
        for (const row of board.rows) {
          const isOne: Check = (value) => Number.isInteger(value) && value > 0
          assert.equal(fits(row, { rank: isOne, team_id: id, score: Boolean, problems: Array.isArray }, {}), undefined)
          assert.ok(ids.get('teams')!.has(row.team_id))
          const sums: Members =
            style === 'ioi'
              ? { score: points, time: orNull(span) }
              : { num_solved: whole, total_time: relative, time: orNull(span) }
          assert.equal(fits(row.score, sums, {}), undefined)
          const isNone = (row.score.num_solved ?? row.score.score) === 0
          assert.equal(row.score.time === null, isNone)
          for (const cell of row.problems) {
            const own: Members = style === 'ioi' ? { score: points } : { solved: flag }
            const required = { problem_id: id, num_judged: whole, num_pending: whole, ...own }
            assert.equal(fits(cell, required, { time: span }), undefined)
            assert.equal('time' in cell, Boolean(cell.solved ?? cell.score))
          }
        }
      }

      test('have the members and types of its tables, refer to what is there, and are the same in the feed', async () => {
        await checkAll()
      })

      test('do so once it is over, thawed and final', async () => {
        clock.advance(2 * hour)
        const { setter, worker } = stage.cast
        const { Submission } = await worker.call('get_and_update_first_submitted_submission_to_executing')
        await worker.call('update_submission', { ID: Submission.ID, Status: 3, Result: 1 })
        await checkAll()
        await setter.call('unfreeze_contest', { ContestID })
        const { SubmissionSnippetList } = await setter.call('find_submission_snippet_list', { Result: 9, Limit: 100 })
        for (const { ID } of SubmissionSnippetList) await setter.call('ignore_submission', { ID, IsIgnored: true })
        await setter.call('finalize_contest', { ContestID })
        await checkAll()
      })
    })
