/** Classes over JSON-RPC: members, join codes and rosters, on both databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { type Cast, type JudgeStage, startJudge } from '../../support/judge.ts'
import { type Json, makeRpcClient, type RpcClient } from '../../support/rpc.ts'

for (const engine of engines)
  describe(`classes on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: JudgeStage
    let cast: Cast
    let drawn = 0
    before(async () => {
      stage = await startJudge(engine, {
        clock,
        environment: { GUILDHALL_JUDGE_LIMITS: 'rosterRows=50,classMembers=60' },
      })
      cast = stage.cast
    })
    after(() => stage.stop())

    const makeClass = async (over: object = {}): Promise<Json> =>
      (await cast.setter.call('create_class', { ID: `c${++drawn}`, Name: 'Informatics 7b', ...over })).Class
    const roster = async (
      ClassID: string,
      Text: string,
      over: object = {},
      by: RpcClient = cast.setter,
    ): Promise<Json> => by.call('import_roster', { ClassID, Text, ...over })
    const listMembers = async (ClassID: string): Promise<Json[]> =>
      (await cast.setter.call('get_class_member_list', { ClassID })).MemberList
    const brief = ({ Line, AccountName, RosterName, Act }: Json) => [Line, AccountName, RosterName, Act]

    test('a class is its maker’s, and not there for outsiders', async () => {
      const made = await makeClass()
      assert.deepEqual(made, {
        ID: made.ID,
        Name: 'Informatics 7b',
        TeacherList: ['setter'],
        TeacherNameList: ['setter'],
        StudentCount: 0,
        JoinCode: null,
        IsArchived: false,
        IsInvited: false,
      })
      assert.deepEqual((await cast.setter.call('get_class', { ID: made.ID })).Class, made)
      assert.equal(await cast.colleague.code('create_class', { ID: made.ID, Name: 'x' }), 7)
      for (const ID of ['', '-a', 'a b', 'ä', 'a'.repeat(37)])
        assert.equal(await cast.setter.code('create_class', { ID, Name: 'x' }), -32602, ID)
      const { ClassList, TotalClassCount } = await cast.setter.call('get_class_list')
      assert.equal(ClassList[0].ID, made.ID)
      assert.equal(TotalClassCount, ClassList.length)
      assert.deepEqual(await cast.rival.call('get_class_list'), { TotalClassCount: 0, ClassList: [] })
      assert.equal((await cast.admin.call('get_class_list', { Offset: 0, Limit: 1 })).ClassList[0].ID, made.ID)
    })

    test('a student of another class is recognised by number, e-mail or name, and joins if the teacher takes them', async () => {
      const first = await makeClass()
      const header = 'First name,Last name,ID number,Email address\n'
      const lines = ['Anna,Adler,17,anna@school.example', 'Ben,Berg,18,ben@school.example', 'Cem,Can,,', 'Eva,Ernst,,']
      const made = await roster(first.ID, `${header}${lines.join('\n')}\nEva,Ernst,,\n`, { IsDryRun: false })
      const [anna, ben, cem] = made.RowList.map(({ AccountName }: Json) => AccountName)
      assert.ok(made.RowList.every(({ Known }: Json) => Known === null))
      const second = await makeClass()
      const text = `${header}Ann,Adler-Alt,17,\nBenedikt,Berg,,BEN@school.example\nCem,Can,,\nEva,Ernst,,\nDora,Dahl,99,\n`
      const known = ({ Line, Act, Known }: Json) => [Line, Act, Known && [Known.AccountName, Known.By]]
      const preview = await roster(second.ID, text)
      assert.deepEqual(preview.RowList.map(known), [
        [2, 'create', [anna, 'number']],
        [3, 'create', [ben, 'email']],
        [4, 'create', [cem, 'name']],
        [5, 'create', null],
        [6, 'create', null],
      ])
      assert.equal(preview.RowList[0].Known.ClassName, 'Informatics 7b')
      const done = await roster(second.ID, text, { IsDryRun: false, TakenLineList: [2, 3, 5] })
      assert.deepEqual(
        done.RowList.map(({ Act }: Json) => Act),
        ['join', 'join', 'create', 'refuse', 'create'],
      )
      assert.deepEqual(
        done.RowList.slice(0, 2).map(({ AccountName }: Json) => AccountName),
        [anna, ben],
      )
      const members = await listMembers(second.ID)
      assert.equal(members.find(({ AccountName }) => AccountName === anna)!.RosterName, 'Ann Adler-Alt')
      assert.equal(members.filter(({ IsInvited }) => IsInvited).length, 0, 'accounts that this teacher’s list made')

      const theirs = `theirs-${first.ID}`
      await cast.colleague.call('create_class', { ID: theirs, Name: 'Theirs' })
      const other = await roster(theirs, text, {}, cast.colleague)
      assert.ok(
        other.RowList.every(({ Known }: Json) => Known === null),
        'nobody learns of another teacher’s class',
      )
      const file = await fetch(`${stage.url}/-/judge/classes/${first.ID}/results.csv`, {
        headers: { authorization: `Bearer ${cast.setter.token}` },
      })
      const [titles, row] = (await file.text()).replace('\uFEFF', '').split(/\r?\n/)
      assert.equal(titles, 'Name,Login,Last name,First name,ID number,Email address,Total')
      assert.equal(row, `Anna Adler,${anna},Adler,Anna,17,anna@school.example,0`)
    })

    test('of several students of one name the teacher chooses one, and gives a login where a line lacks one', async () => {
      const first = await makeClass()
      const made = await roster(first.ID, 'David Schmidt\nDavid Schmidt\n', { IsDryRun: false })
      const logins = made.RowList.map(({ AccountName }: Json) => AccountName)
      const second = await makeClass()
      const text = 'David Schmidt\nDora Dahl\n'
      const preview = await roster(second.ID, text)
      const [row, other] = preview.RowList
      assert.deepEqual([row.Act, row.Known, row.NeedsLogin], ['create', null, false])
      assert.deepEqual(row.NamesakeList.map(({ AccountName }: Json) => AccountName).sort(), logins)
      assert.deepEqual(other.NamesakeList, [])
      const LoginList = [{ Line: 1, AccountName: logins[1] }]
      const joined = await roster(second.ID, text, { IsDryRun: false, LoginList })
      assert.deepEqual([joined.RowList[0].Act, joined.RowList[0].AccountName], ['join', logins[1]])
      const again = await roster(second.ID, 'David Schmidt\n')
      assert.deepEqual([again.RowList[0].Act, again.RowList[0].NeedsLogin], ['refuse', true])
      const AccountName = `third-${second.ID}`
      const helped = await roster(second.ID, 'David Schmidt\n', { LoginList: [{ Line: 1, AccountName }] })
      assert.deepEqual([helped.RowList[0].Act, helped.RowList[0].AccountName], ['create', AccountName])
    })

    test('a code joins whoever types it, as a student who does not see it', async () => {
      const { ID, JoinCode } = await makeClass({ HasJoinCode: true })
      assert.match(JoinCode, /^[A-HJKMNP-Z2-9]{8}$/)
      const typed = `${JoinCode.slice(0, 4)} ${JoinCode.slice(4)}`.toLowerCase()
      const { Class } = await cast.rival.call('join_class', { JoinCode: typed })
      assert.deepEqual([Class.ID, Class.StudentCount, Class.JoinCode], [ID, 1, null])
      assert.equal((await cast.rival.call('join_class', { JoinCode })).Class.StudentCount, 1)
      assert.equal((await cast.setter.call('join_class', { JoinCode })).Class.JoinCode, JoinCode)
      const other = (await cast.setter.call('update_class', { ID, HasJoinCode: true })).Class.JoinCode
      assert.notEqual(other, JoinCode)
      assert.equal(await cast.contestant.code('join_class', { JoinCode }), 6)
      await cast.setter.call('update_class', { ID, IsArchived: true })
      assert.equal(await cast.contestant.code('join_class', { JoinCode: other }), 10)
      assert.equal(
        (await cast.setter.call('update_class', { ID, IsArchived: false, HasJoinCode: false })).Class.JoinCode,
        null,
      )
      assert.equal(await cast.contestant.code('join_class', { JoinCode: other }), 6)
    })

    test('ten wrong codes lock out as ten wrong passwords do', async () => {
      const { JoinCode } = await makeClass({ HasJoinCode: true })
      clock.advance(60 * 60_000)
      for (let i = 0; i < 10; i++) assert.equal(await cast.contestant.code('join_class', { JoinCode: 'WRONG' }), 6)
      assert.equal(await cast.contestant.code('join_class', { JoinCode }), 9)
      assert.equal(await cast.rival.code('join_class', { JoinCode }), 0)
      clock.advance(15 * 60_000)
      assert.equal(await cast.contestant.code('join_class', { JoinCode }), 0)
    })

    test('members have the name on the roster, and one teacher stays', async () => {
      const { ID: ClassID } = await makeClass()
      const put = (AccountName: string, Role: string, over = {}) =>
        cast.setter.code('put_class_member', { ClassID, AccountName, Role, ...over })
      assert.equal(await put('contestant', 'student', { RosterName: 'David (tall)' }), 0)
      assert.equal(await put('contestant', 'teacher'), 10)
      assert.equal(await put('nobody-here', 'student'), 6)
      assert.equal(await put('worker', 'student'), 10)
      assert.equal(await put('setter', 'student'), 10)
      assert.equal(await cast.setter.code('delete_class_member', { ClassID, AccountName: 'setter' }), 10)
      assert.equal(await put('colleague', 'teacher'), 0)
      assert.equal(await cast.colleague.code('delete_class_member', { ClassID, AccountName: 'setter' }), 0)
      assert.equal(await cast.setter.code('get_class', { ID: ClassID }), 6)
      const { MemberList } = await cast.colleague.call('get_class_member_list', { ClassID })
      assert.deepEqual(
        MemberList.map(({ AccountName, RosterName, Role }: Json) => [AccountName, RosterName, Role]),
        [
          ['colleague', 'colleague', 'teacher'],
          ['contestant', 'David (tall)', 'student'],
        ],
      )
      assert.equal(await cast.contestant.code('delete_class_member', { ClassID, AccountName: 'colleague' }), 8)
      assert.equal(await cast.contestant.code('delete_class_member', { ClassID, AccountName: 'contestant' }), 0)
      assert.equal(await cast.contestant.code('get_class', { ID: ClassID }), 6)
    })

    test('a student leaves whenever they like, and teachers keep the passwords of those whom the roster made', async () => {
      const { ID: ClassID, JoinCode } = await makeClass({ HasJoinCode: true })
      const leave = (by: RpcClient, AccountName: string) => by.code('delete_class_member', { ClassID, AccountName })
      await cast.rival.call('join_class', { JoinCode })
      assert.equal(await leave(cast.rival, 'rival'), 0)
      assert.equal(await leave(cast.rival, 'rival'), 6)
      const { RowList } = await roster(ClassID, 'Login,Name\nleaver,Lea\n', { IsDryRun: false })
      const leaver = await cast.anonymous.signIn('leaver', RowList[0].Password)
      assert.equal(await leave(leaver, 'leaver'), 0)
      const put = { ClassID, AccountName: 'leaver', Role: 'student' }
      const { Member } = await cast.setter.call('put_class_member', put)
      assert.deepEqual([Member.IsCreatedHere, Member.IsInvited], [true, false])
    })

    test('a dry run makes nothing, and the import makes what it showed', async () => {
      const { ID: ClassID } = await makeClass()
      const text =
        'Vorname;Nachname;Login\nDavid;Kim;\nDavid;Kim;\nEva;Roth;rival\nIda;Lang;no login\nTom;Berg;worker\n'
      const expected = [
        [2, 'david-kim', 'David Kim', 'create'],
        [3, 'david-kim-2', 'David Kim', 'create'],
        [4, 'rival', 'Eva Roth', 'join'],
        [5, 'no login', 'Ida Lang', 'refuse'],
      ]
      const dry = await roster(ClassID, text)
      assert.deepEqual(dry.RowList.slice(0, 4).map(brief), expected)
      assert.deepEqual(dry.ColumnList, [
        { Header: 'Vorname', Field: 'FirstName' },
        { Header: 'Nachname', Field: 'LastName' },
        { Header: 'Login', Field: 'Login' },
      ])
      assert.ok(
        dry.RowList.every(({ Password, Act, Reason }: Json) => !Password && (Act === 'refuse') === (Reason !== '')),
      )
      assert.equal((await listMembers(ClassID)).length, 1)
      const { RowList } = await roster(ClassID, text, { IsDryRun: false })
      assert.deepEqual(RowList.slice(0, 4).map(brief), expected)
      const [david, namesake, eva] = RowList
      assert.match(david.Password, /^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/)
      assert.notEqual(david.Password, namesake.Password)
      assert.equal(eva.Password, undefined)
      await cast.anonymous.signIn(david.AccountName, david.Password)
      const again = await roster(ClassID, text, { IsDryRun: false })
      assert.deepEqual(
        again.RowList.slice(0, 3).map(({ Act }: Json) => Act),
        ['refuse', 'refuse', 'refuse'],
      )
      assert.deepEqual(
        (await listMembers(ClassID)).map(({ RosterName }) => RosterName),
        ['setter', 'David Kim', 'David Kim', 'Eva Roth'],
      )
    })

    test('an import is undone within a day, as far as nobody has used its accounts', async () => {
      const { ID: ClassID } = await makeClass()
      const names = ['undo-a', 'undo-b', 'undo-c', 'rival']
      const { RowList } = await roster(ClassID, `Login\n${names.join('\n')}\n`, { IsDryRun: false })
      await cast.anonymous.signIn('undo-a', RowList[0].Password)
      const { ID: other } = await makeClass()
      await cast.setter.call('put_class_member', { ClassID: other, AccountName: 'undo-b', Role: 'student' })
      const undo = async (AccountNameList: readonly string[]) =>
        (await cast.setter.call('undo_roster_import', { ClassID, AccountNameList })).RowList.map(({ Act }: Json) => Act)
      assert.deepEqual(await undo([...names, 'contestant']), ['keep', 'keep', 'delete', 'remove', 'keep'])
      assert.equal(await stage.services.accounts.findByName('undo-c'), undefined)
      assert.ok(await stage.services.accounts.findByName('rival'))
      assert.deepEqual(
        (await listMembers(ClassID)).map(({ AccountName }) => AccountName),
        ['setter', 'undo-a', 'undo-b'],
      )
      await roster(ClassID, 'Login\nundo-d\n', { IsDryRun: false })
      clock.advance(25 * 60 * 60_000)
      assert.deepEqual(await undo(['undo-d']), ['keep'])
    })

    test('imports of the last day are listed, each by its moment, with those who are still there', async () => {
      const { ID: ClassID, JoinCode } = await makeClass({ HasJoinCode: true })
      const list = async () =>
        (await cast.setter.call('get_roster_import_list', { ClassID })).ImportList.map((one: Json) => [
          ...[one.Time, one.CreatedCount, one.AccountNameList],
        ])
      await cast.setter.call('put_class_member', { ClassID, AccountName: 'contestant', Role: 'student' })
      assert.deepEqual(await list(), [], 'one account that was added is no import')
      clock.advance(1)
      const first = clock.now()
      await roster(ClassID, 'Login\nlist-a\nlist-b\nrival\n', { IsDryRun: false })
      clock.advance(60 * 60_000)
      const second = clock.now()
      const { RowList } = await roster(ClassID, 'Login\nlist-c\n', { IsDryRun: false })
      assert.deepEqual(await list(), [
        [second, 1, ['list-c']],
        [first, 2, ['list-a', 'list-b', 'rival']],
      ])
      await cast.setter.call('undo_roster_import', { ClassID, AccountNameList: ['list-a', 'list-b'] })
      const used = await cast.anonymous.signIn('list-c', RowList[0].Password)
      await used.call('delete_class_member', { ClassID, AccountName: 'list-c' })
      clock.advance(60_001)
      await used.call('join_class', { JoinCode })
      assert.deepEqual(await list(), [], 'neither who came back, nor one who is left of those who were there before')
      await roster(ClassID, 'Login\nlist-d\n', { IsDryRun: false })
      clock.advance(24 * 60 * 60_000)
      assert.equal((await list()).length, 1)
      clock.advance(1)
      assert.deepEqual(await list(), [])
    })

    test('nobody takes the name that a classmate has on the roster', async () => {
      const { ID: ClassID, JoinCode } = await makeClass({ HasJoinCode: true })
      const { RowList } = await roster(ClassID, 'Login,Name\ntwo-a,Dora Dee\ntwo-b,Dora Dee\n', { IsDryRun: false })
      const { account, text } = await makeSession('dieter')
      const rename = (by: RpcClient, ID: number, DisplayName: string) => by.code('update_account', { ID, DisplayName })
      assert.equal(await rename(text, account.id, 'Dora Dee'), 0, 'before they are in the class')
      assert.equal((await text.call('join_class', { JoinCode })).Class.StudentCount, 3)
      const members = await listMembers(ClassID)
      assert.equal(members.find(({ AccountName }) => AccountName === 'dieter')!.RosterName, 'Dora Dee (dieter)')
      assert.equal(await rename(text, account.id, 'Dieter'), 0)
      assert.equal(await rename(text, account.id, ' dora  DEE'), 7)
      const namesake = await cast.anonymous.signIn('two-b', RowList[1].Password)
      const { ID } = (await namesake.call('get_session')).Account
      assert.equal(await rename(namesake, ID, 'Dori'), 0)
      assert.equal(await rename(namesake, ID, 'Dora Dee'), 0, 'it is her own')
    })

    test('accounts are found by a part of the login or the display name', async () => {
      const { ID } = await makeClass()
      await roster(ID, 'Login,Name\nfind-100,Una 50% Ueber\nfind-200,Otto\n', { IsDryRun: false })
      const find = async (Search: string) => {
        const found = await cast.setter.call('get_account_list', { Offset: 0, Limit: 100, Search })
        assert.equal(found.TotalAccountCount, found.AccountList.length)
        return found.AccountList.map(({ AccountName }: Json) => AccountName)
      }
      assert.deepEqual(await find('FIND-'), ['find-200', 'find-100'])
      assert.deepEqual(await find('50% u'), ['find-100'])
      assert.deepEqual(await find('_'), [])
      assert.equal(await cast.contestant.code('get_account_list', { Offset: 0, Limit: 1, Search: 'a' }), 8)
    })

    test('a teacher sets new passwords for those whom the roster created, and for nobody else', async () => {
      const { ID: ClassID } = await makeClass()
      const { RowList } = await roster(ClassID, 'Login,Name\nrival,Rita\npass-a,Ada\n', { IsDryRun: false })
      const members = await listMembers(ClassID)
      const idOf = (name: string) => members.find(({ AccountName }) => AccountName === name).AccountID
      const sessionOf = async (name: keyof Cast) => {
        await stage.services.accounts.amend((await stage.services.accounts.findByName(name))!, {
          password: 'correct horse',
        })
        return makeRpcClient(stage.url).signIn(name, 'correct horse')
      }
      const [teacher, outsider] = [await sessionOf('setter'), await sessionOf('colleague')]
      const fresh = { ID: idOf('pass-a'), Password: 'another horse' }
      assert.equal(await outsider.code('update_account', fresh), 8)
      assert.equal(await teacher.code('update_account', { ID: idOf('rival'), Password: 'another horse' }), 8)
      assert.equal(await teacher.code('update_account', { ...fresh, DisplayName: 'x' }), 8)
      assert.equal(await cast.setter.code('update_account', fresh), 8, 'a token sets no password')
      assert.equal(await teacher.code('update_account', fresh), 0)
      await cast.anonymous.signIn('pass-a', 'another horse')
      assert.ok(RowList[1].Password)
      await teacher.call('delete_class_member', { ClassID, AccountName: 'pass-a' })
      assert.equal(await teacher.code('update_account', fresh), 8)
    })

    test('the current password must be right where it is given', async () => {
      const { account, text } = await makeSession('cora')
      const change = { ID: account.id, Password: 'second horse' }
      assert.equal(await text.code('update_account', { ...change, CurrentPassword: 'wrong horse' }), 8)
      assert.equal(await text.code('update_account', { ...change, CurrentPassword: 'correct horse' }), 0)
      assert.equal(await text.code('update_account', { ID: account.id, Password: 'third horse' }), 0)
      for (let i = 0; i < 9; i++)
        assert.equal(await text.code('update_account', { ...change, CurrentPassword: 'wrong horse' }), 8)
      assert.equal(await text.code('update_account', { ...change, CurrentPassword: 'third horse' }), 9)
    })

    async function makeSession(name: string) {
      const account = await stage.services.accounts.insert({
        name,
        displayName: name,
        role: 'contestant',
        password: 'correct horse',
      })
      return { account, text: await makeRpcClient(stage.url).signIn(name, 'correct horse') }
    }

    test('a roster and a class have a bound', async () => {
      const { ID: ClassID } = await makeClass()
      const names = (count: number, prefix: string) =>
        Array.from({ length: count }, (_, i) => `${prefix} ${i}`).join('\n')
      assert.equal(await cast.setter.code('import_roster', { ClassID, Text: names(51, 'Ann') }), 9)
      await roster(ClassID, names(50, 'Ann'), { IsDryRun: false })
      assert.equal(await cast.setter.code('import_roster', { ClassID, Text: names(10, 'Bob'), IsDryRun: false }), 9)
      assert.equal((await cast.setter.call('get_class', { ID: ClassID })).Class.StudentCount, 50)
      assert.equal(await stage.services.accounts.findByName('bob-0'), undefined)
      assert.equal(await cast.setter.code('import_roster', { ClassID, Text: 'a\0b' }), 0)
    })

    test('what is deleted leaves the accounts', async () => {
      const { ID } = await makeClass()
      await roster(ID, 'Nora Nold', { IsDryRun: false })
      assert.equal(await cast.setter.code('delete_class', { ID }), 0)
      assert.equal(await cast.setter.code('get_class', { ID }), 6)
      assert.ok(await stage.services.accounts.findByName('nora-nold'))
    })
  })
