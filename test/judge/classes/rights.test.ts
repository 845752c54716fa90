/** Who may do what with classes and sheets: every operation, every role that somebody can have towards a class. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { type JudgeStage, makeProblem, startJudge, submit } from '../../support/judge.ts'
import { makeRpcClient, type RpcClient } from '../../support/rpc.ts'

/** `other` teaches another class; `second` teaches this one beside its maker. */
const people = ['nobody', 'outsider', 'student', 'invited', 'other', 'second', 'teacher', 'admin', 'executor'] as const
type Person = (typeof people)[number]

type Scene = { ClassID: string; SheetID: number; Draft: number; UUID: string; ID: number; CommentID: number }

/** In the order of `people`. What answers 0 to several is asked in a scene of its own for each where `isAnew`. */
type Row = [method: string, params: (scene: Scene) => object, codes: readonly number[], isAnew?: 'anew']

const makers = [17, 8, 8, 8, 0, 0, 0, 0, 8]
const everybody = [17, 0, 0, 0, 0, 0, 0, 0, 0]
const members = [17, 6, 0, 0, 6, 0, 0, 0, 6]
const teachers = [17, 6, 8, 8, 6, 0, 0, 0, 6]
/** Of a submission of the student to the maker's problem: comments are for its author, their teachers and the keeper. */
const ofWork = [17, 6, 0, 6, 6, 0, 0, 0, 0]

let drawn = 0
const inClass = ({ ClassID }: Scene) => ({ ClassID })
const ofSheet = ({ SheetID }: Scene) => ({ SheetID })
const student = (scene: Scene) => ({ SheetID: scene.SheetID, AccountName: 'contestant' })

const table: Row[] = [
  ['create_class', () => ({ ID: `made-${++drawn}`, Name: 'Made' }), makers],
  ['get_class_list', () => ({}), everybody],
  ['get_class', ({ ClassID }) => ({ ID: ClassID }), members],
  ['update_class', ({ ClassID }) => ({ ID: ClassID, Name: 'New' }), teachers],
  ['delete_class', ({ ClassID }) => ({ ID: ClassID }), [17, 6, 8, 8, 6, 10, 10, 10, 6]],
  ['join_class', () => ({ JoinCode: 'AAAAAAAA' }), [17, 6, 6, 6, 6, 6, 6, 6, 8]],
  ['put_class_member', (s) => ({ ...inClass(s), AccountName: 'rival', Role: 'student' }), teachers, 'anew'],
  ['get_class_member_list', inClass, teachers],
  // The student removes themselves; nobody else's place is a student's to end.
  ['delete_class_member', (s) => ({ ...inClass(s), AccountName: 'contestant' }), [17, 6, 0, 8, 6, 0, 0, 0, 6], 'anew'],
  ['delete_class_member', (s) => ({ ...inClass(s), AccountName: 'guest' }), [17, 6, 8, 0, 6, 0, 0, 0, 6], 'anew'],
  ['accept_class_invitation', inClass, [17, 6, 0, 0, 6, 10, 10, 10, 8], 'anew'],
  ['import_roster', (s) => ({ ...inClass(s), Text: 'Anna Arendt' }), teachers],
  ['get_roster_import_list', inClass, teachers],
  ['undo_roster_import', (s) => ({ ...inClass(s), AccountNameList: ['contestant'] }), teachers, 'anew'],
  ['create_sheet', (s) => ({ ...inClass(s), Title: 'x', OpenTime: 0 }), teachers],
  ['get_sheet_list', inClass, members],
  ['get_sheet', ({ SheetID }) => ({ ID: SheetID }), members],
  ['get_sheet', ({ Draft }) => ({ ID: Draft }), [17, 6, 6, 6, 6, 0, 0, 0, 6]],
  ['get_sheet_statement', ({ SheetID }) => ({ ID: SheetID }), members],
  ['get_sheet_statement', ({ Draft }) => ({ ID: Draft }), [17, 6, 6, 6, 6, 0, 0, 0, 6]],
  ['get_class_results', inClass, teachers],
  ['get_sheet_results', ofSheet, members],
  ['get_sheet_results', ({ Draft }) => ({ SheetID: Draft }), [17, 6, 6, 6, 6, 0, 0, 0, 6]],
  ['get_sheet_news', () => ({}), everybody],
  ['see_sheet', ofSheet, members],
  ['update_sheet', ({ SheetID }) => ({ ID: SheetID, Title: 'y' }), teachers],
  ['delete_sheet', ({ SheetID }) => ({ ID: SheetID, IsForced: true }), teachers, 'anew'],
  ['delete_sheet', ({ SheetID }) => ({ ID: SheetID }), [17, 6, 8, 8, 6, 10, 10, 10, 6]],
  ['put_extension', (s) => ({ ...student(s), DueTime: 1 }), teachers],
  ['delete_extension', student, teachers, 'anew'],
  ['put_mark', (s) => ({ ...student(s), UUID: s.UUID, Points: 1 }), teachers],
  ['get_similarity', ({ SheetID, UUID }) => ({ SheetID, UUID }), teachers],
  ['accept_sheet', ofSheet, [17, 6, 10, 10, 6, 8, 8, 8, 6]],
  ['get_sheet_copy_list', ofSheet, members],
  // By tokens, of which the admin's alone may write data sets.
  ['store_sheet_results', (s) => ({ ...ofSheet(s), Name: 'results' }), [17, 6, 8, 8, 6, 8, 8, 0, 6]],
  ['put_submission_comment', ({ ID }) => ({ ID, Line: null, Text: 'x' }), ofWork],
  ['get_submission_comment_list', ({ ID }) => ({ ID }), ofWork],
  // The maker wrote it.
  ['delete_submission_comment', ({ ID, CommentID }) => ({ ID, CommentID }), [17, 6, 8, 6, 6, 8, 0, 0, 8], 'anew'],
]

/** Grade sheets are of problems, and have their own tests. */
const elsewhere: ReadonlySet<string> = new Set(['create_grade_sheet'])

for (const engine of engines)
  describe(`rights in classes on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: JudgeStage
    let clients: Record<Person, RpcClient>
    before(async () => {
      stage = await startJudge(engine, { clock })
      const { cast, services } = stage
      const clientOf = async (name: string, role: 'contestant' | 'problem_setter') => {
        const account = await services.accounts.insert({ name, displayName: name, role })
        return makeRpcClient(
          stage.url,
          (await services.tokens.make(account, { kind: 'classic', scopes: ['judge'] })).text,
        )
      }
      clients = {
        nobody: cast.anonymous,
        outsider: await clientOf('outsider', 'contestant'),
        student: cast.contestant,
        invited: await clientOf('guest', 'contestant'),
        other: cast.colleague,
        second: await clientOf('second', 'problem_setter'),
        teacher: cast.setter,
        admin: cast.admin,
        executor: cast.worker,
      }
      const theirs = { ID: 'other', Name: 'Other' }
      await cast.colleague.call('create_class', theirs)
      for (const AccountName of ['contestant', 'guest'])
        await cast.colleague.call('put_class_member', { ClassID: 'other', AccountName, Role: 'student' })
    })
    after(() => stage.stop())

    async function makeScene(): Promise<Scene> {
      const { setter, contestant } = stage.cast
      const ClassID = `class-${++drawn}`
      await setter.call('create_class', { ID: ClassID, Name: 'Class' })
      for (const [AccountName, Role] of Object.entries({ contestant: 'student', guest: 'student', second: 'teacher' }))
        await setter.call('put_class_member', { ClassID, AccountName, Role })
      await contestant.call('accept_class_invitation', { ClassID })
      const { UUID } = await makeProblem(setter)
      await setter.call('update_problem_judging', { UUID, Judging: { IsHeld: true } })
      const draft = { ClassID, Title: 'Sheet', OpenTime: clock.now(), ProblemList: [{ UUID, Points: 1 }] }
      const { Sheet } = await setter.call('create_sheet', { ...draft, IsPublished: true })
      const { Sheet: unpublished } = await setter.call('create_sheet', draft)
      await setter.call('put_extension', { SheetID: Sheet.ID, AccountName: 'contestant', DueTime: clock.now() })
      const { ID } = await submit(contestant, UUID)
      const { Comment } = await setter.call('put_submission_comment', { ID, Line: null, Text: 'x' })
      return { ClassID, SheetID: Sheet.ID, Draft: unpublished.ID, UUID, ID, CommentID: Comment.ID }
    }

    test('every operation of classes and sheets is in the table', async () => {
      const document = await (await fetch(`${stage.url}/-/judge/openapi.json`)).text()
      const names = new Set(
        document.match(/\b[a-z]+_(?:[a-z_]*_)?(?:class|sheet|roster|extension|mark|similarity|comment)(?:_[a-z]+)*\b/g),
      )
      const tabled = new Set(table.map(([method]) => method))
      const unknown = [...names].filter((name) => !tabled.has(name) && !elsewhere.has(name))
      assert.deepEqual(unknown, [])
      assert.ok([...tabled].every((name) => names.has(name)))
    })

    for (const [method, params, codes, isAnew] of table)
      test(`${method}: ${codes.join(' ')}`, async () => {
        let scene = await makeScene()
        const answered: Record<string, number> = {}
        for (const who of people) {
          answered[who] = await clients[who].code(method, params(scene))
          if (isAnew && answered[who] === 0) scene = await makeScene()
        }
        assert.deepEqual(answered, Object.fromEntries(people.map((who, at) => [who, codes[at]])))
      })
  })
