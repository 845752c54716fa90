/** Whose password may be set by whom: a table of cases, over the wire and on both databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { makeManualClock } from '../../src/lib/clock.ts'
import { accountCreators } from '../../src/store/migrations/0073-account-creators.ts'
import { engines } from '../support/engines.ts'
import { type Cast, type JudgeStage, page, startJudge } from '../support/judge.ts'
import { type Json, makeRpcClient, type RpcClient } from '../support/rpc.ts'

/** The setter acts; the colleague is another problem setter. */
type Person = 'setter' | 'colleague' | 'admin' | 'anonymous'
type Case = {
  readonly name: string
  readonly creator: Person
  readonly by: 'roster' | 'create_account'
  /** The class and the contest are the setter's, unless the colleague's. */
  readonly place?: 'class' | 'team' | 'class of the colleague' | 'team of the colleague' | 'left' | 'removed'
  /** The colleague teaches the setter's class, or the setter the colleague's. */
  readonly teachesToo?: Person
  readonly isJuryToo?: true
  readonly role?: 'problem_setter'
  readonly setter: 0 | 8
  readonly colleague: 0 | 8
}

const table: readonly Case[] = [
  { name: 'a roster', creator: 'setter', by: 'roster', place: 'class', setter: 0, colleague: 8 },
  {
    name: 'a roster of a class with two teachers',
    creator: 'setter',
    by: 'roster',
    place: 'class',
    teachesToo: 'colleague',
    setter: 0,
    colleague: 0,
  },
  {
    name: 'a roster of the other teacher',
    creator: 'colleague',
    by: 'roster',
    place: 'class of the colleague',
    teachesToo: 'setter',
    setter: 0,
    colleague: 0,
  },
  {
    name: 'a roster of another class',
    creator: 'colleague',
    by: 'roster',
    place: 'class of the colleague',
    setter: 8,
    colleague: 0,
  },
  {
    name: 'a roster, and the student left',
    creator: 'setter',
    by: 'roster',
    place: 'left',
    teachesToo: 'colleague',
    setter: 8,
    colleague: 8,
  },
  {
    name: 'a roster, and a teacher removed the student',
    creator: 'setter',
    by: 'roster',
    place: 'removed',
    setter: 8,
    colleague: 8,
  },
  {
    name: 'a roster, and the student sets problems now',
    creator: 'setter',
    by: 'roster',
    place: 'class',
    role: 'problem_setter',
    setter: 8,
    colleague: 8,
  },
  {
    name: 'an account put into a class',
    creator: 'setter',
    by: 'create_account',
    place: 'class',
    setter: 0,
    colleague: 8,
  },
  {
    name: 'an account put into a class with two teachers',
    creator: 'setter',
    by: 'create_account',
    place: 'class',
    teachesToo: 'colleague',
    setter: 0,
    colleague: 8,
  },
  { name: 'an account of nobody’s class or team', creator: 'setter', by: 'create_account', setter: 8, colleague: 8 },
  {
    name: 'an account put into a team',
    creator: 'setter',
    by: 'create_account',
    place: 'team',
    setter: 0,
    colleague: 8,
  },
  {
    name: 'an account put into a team by a jury of two',
    creator: 'setter',
    by: 'create_account',
    place: 'team',
    isJuryToo: true,
    setter: 0,
    colleague: 8,
  },
  {
    name: 'an account in a team of another jury',
    creator: 'setter',
    by: 'create_account',
    place: 'team of the colleague',
    setter: 8,
    colleague: 8,
  },
  {
    name: 'a member of a team who sets problems now',
    creator: 'setter',
    by: 'create_account',
    place: 'team',
    role: 'problem_setter',
    setter: 8,
    colleague: 8,
  },
  {
    name: 'another’s account put into a class',
    creator: 'colleague',
    by: 'create_account',
    place: 'class',
    setter: 8,
    colleague: 8,
  },
  {
    name: 'another’s account put into a team',
    creator: 'colleague',
    by: 'create_account',
    place: 'team',
    setter: 8,
    colleague: 8,
  },
  {
    name: 'an admin’s account put into a class',
    creator: 'admin',
    by: 'create_account',
    place: 'class',
    setter: 8,
    colleague: 8,
  },
  {
    name: 'somebody who signed up, put into a class',
    creator: 'anonymous',
    by: 'create_account',
    place: 'class',
    setter: 8,
    colleague: 8,
  },
  {
    name: 'somebody who signed up, put into a team',
    creator: 'anonymous',
    by: 'create_account',
    place: 'team',
    setter: 8,
    colleague: 8,
  },
]

const caseOf = (name: string): Case => table.find((one) => one.name === name)!

for (const engine of engines)
  describe(`rights to set passwords on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: JudgeStage
    let cast: Cast
    /** A token sets no password. */
    let sessions: Record<'setter' | 'colleague', RpcClient>
    let drawn = 0
    before(async () => {
      stage = await startJudge(engine, { clock })
      cast = stage.cast
      const sessionOf = async (name: string) => {
        const account = (await stage.services.accounts.findByName(name))!
        await stage.services.accounts.amend(account, { password: 'correct horse' })
        return makeRpcClient(stage.url).signIn(name, 'correct horse')
      }
      sessions = { setter: await sessionOf('setter'), colleague: await sessionOf('colleague') }
    })
    after(() => stage.stop())

    async function arrange({ creator, by, place, teachesToo, isJuryToo, role }: Case) {
      const name = `one-${++drawn}`
      const owner: 'setter' | 'colleague' = place?.endsWith('of the colleague') ? 'colleague' : 'setter'
      const [ClassID, ContestID] = [`class-${drawn}`, `contest-${drawn}`]
      await cast[owner].call('create_class', { ID: ClassID, Name: 'Class' })
      if (teachesToo) await cast[owner].call('put_class_member', { ClassID, AccountName: teachesToo, Role: 'teacher' })
      let password = 'first horse'
      if (by === 'roster') {
        const list = { ClassID, Text: `Login,Name\n${name},One\n`, IsDryRun: false }
        password = (await cast[creator].call('import_roster', list)).RowList[0].Password
      } else {
        const draft = { AccountName: name, DisplayName: 'One', Role: 'contestant', Password: password }
        await cast[creator].call('create_account', draft)
        if (place?.startsWith('class'))
          await cast[owner].call('put_class_member', { ClassID, AccountName: name, Role: 'student' })
      }
      if (place?.startsWith('team')) {
        const JuryList = isJuryToo ? ['colleague'] : []
        const draft = { ID: ContestID, Name: 'Contest', Style: 'icpc', Duration: 3_600_000, JuryList }
        await cast[owner].call('create_contest', draft)
        await cast[owner].call('put_contest_team', { ContestID, ID: 't', Name: 'T', AccountNameList: [name] })
      }
      const remover = place === 'left' ? await cast.anonymous.signIn(name, password) : cast[owner]
      if (place === 'left' || place === 'removed')
        await remover.call('delete_class_member', { ClassID, AccountName: name })
      const ID = (await stage.services.accounts.findByName(name))!.id
      if (role) await cast.admin.call('update_account', { ID, Role: role })
      return { name, ID, ClassID, ContestID, owner, place }
    }

    /** Whether the page offers it: in the class or contest where the account is. */
    async function isOffered(
      by: RpcClient,
      { name, ID, ClassID, ContestID, place }: Awaited<ReturnType<typeof arrange>>,
    ) {
      if (place?.startsWith('team')) {
        const { TeamList } = await by.call('get_contest_team_list', { ContestID, ...page() })
        return TeamList[0].PasswordAccountList.some((one: Json) => one.ID === ID)
      }
      const { MemberList } = await by.call('get_class_member_list', { ClassID, ...page() })
      return MemberList.find(({ AccountName }: Json) => AccountName === name)?.MaySetPassword ?? false
    }

    for (const one of table)
      test(`${one.name}: ${one.setter} and ${one.colleague}`, async () => {
        const scene = await arrange(one)
        if (one.place) {
          assert.equal(await isOffered(sessions[scene.owner], scene), one[scene.owner] === 0, 'what the page offers')
          const isContestant = one.role === undefined
          const isThere = one.place !== 'left' && one.place !== 'removed'
          assert.equal(await isOffered(cast.admin, scene), isContestant && isThere, 'what an admin is offered')
        }
        const codes: Record<string, number> = {}
        for (const who of ['setter', 'colleague'] as const) {
          const Password = `${who} horse`
          codes[who] = await sessions[who].code('update_account', { ID: scene.ID, Password })
          assert.equal(
            await cast.anonymous.code('create_session', { AccountName: scene.name, Password }),
            codes[who] && 17,
          )
          const more = { ID: scene.ID, Password, DisplayName: 'x' }
          assert.equal(await sessions[who].code('update_account', more), 8, 'a password alone')
        }
        assert.deepEqual(codes, { setter: one.setter, colleague: one.colleague })
      })

    test('a new password lifts the lock-out that somebody else’s guesses brought', async () => {
      const { ID, name } = await arrange(caseOf('a roster'))
      const signIn = (Password: string) => cast.anonymous.code('create_session', { AccountName: name, Password })
      for (let i = 0; i < 10; i++) assert.equal(await signIn(`guess ${i}`), 17)
      const locked = await signIn('first horse')
      assert.notEqual(locked, 17)
      assert.equal(await sessions.setter.code('update_account', { ID, Password: 'second horse' }), 0)
      assert.equal(await signIn('guess'), 17)
      assert.equal(await signIn('second horse'), 0)
    })

    test('accounts from before the column have the creator of the audit log, or else the class’s first teacher', async () => {
      const { store } = stage.services
      const scenes = {
        created: await arrange(caseOf('an account put into a class')),
        imported: await arrange(caseOf('a roster of another class')),
        signedUp: await arrange(caseOf('somebody who signed up, put into a class')),
      }
      const ids = Object.values(scenes).map(({ ID }) => ID)
      const read = async () => {
        const rows = await store.db.selectFrom('account').select(['id', 'creator_id']).where('id', 'in', ids).execute()
        return ids.map((id) => rows.find((row) => row.id === id)!.creator_id)
      }
      const fill = async (statements: readonly string[]) => {
        await store.write(async (trx) => {
          await trx.updateTable('account').set({ creator_id: null }).where('id', 'in', ids).execute()
          for (const statement of statements) await sql.raw(statement).execute(trx)
        })
        return read()
      }
      const [setter, colleague] = [stage.idOf('setter'), stage.idOf('colleague')]
      assert.deepEqual(await read(), [setter, colleague, null])
      const [fromLog, fromRosters] = accountCreators().filter((statement) => statement.startsWith('update'))
      assert.deepEqual(await fill([fromLog!]), [setter, colleague, null])
      assert.deepEqual(await fill([fromRosters!]), [null, colleague, null])
      assert.deepEqual(await fill([fromLog!, fromRosters!]), [setter, colleague, null])
    })

    test('an account whose creator is deleted stays, and is nobody’s', async () => {
      const { store } = stage.services
      const { ID } = await arrange(caseOf('an account of nobody’s class or team'))
      const creator = await stage.services.accounts.insert({
        name: `gone-${engine}`,
        displayName: 'x',
        role: 'contestant',
      })
      await store.write(async (trx) => {
        await trx.updateTable('account').set({ creator_id: creator.id }).where('id', '=', ID).execute()
        await trx.deleteFrom('account').where('id', '=', creator.id).execute()
      })
      const row = await store.db.selectFrom('account').select('creator_id').where('id', '=', ID).executeTakeFirst()
      assert.equal(row!.creator_id, null)
    })
  })
