/** Similarity of students' programs: what counts and what does not, what a template takes out, and hostile programs. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { type JudgeStage, makeProblem, startJudge } from '../../support/judge.ts'
import { asAdmin, makeRest, makeToken } from '../../support/rest.ts'
import { type Json, makeRpcClient, type RpcClient } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'

const original = `import sys

def count_pairs(numbers, target):
    seen = {}
    total = 0
    for value in numbers:
        total += seen.get(target - value, 0)
        seen[value] = seen.get(value, 0) + 1
    return total

numbers = [int(x) for x in sys.stdin.readline().split()]
target = int(sys.stdin.readline())
print(count_pairs(numbers, target))
`
/** Other names, other layout, comments, other numbers. */
const disguised = `# My own work!
import os as sys


def f(a,
      b):
    c = {}   # a table
    d = 7
    for e in a:
        d += c.get(b - e, 7)

        c[e] = c.get(e, 7) + 2
    return d


a = [int(y) for y in sys.stdin.readline().split()]
b = int( sys.stdin.readline() )
print( f( a, b ) )
`
const different = `while True:
    try:
        line = input()
    except EOFError:
        break
    words = line.strip().upper()
    if not words or words.startswith('#'):
        continue
    for index in range(len(words)):
        if words[index] == words[-1 - index] and index % 2 == 0:
            print(index, words[index:], sep=', ')
        elif words == '':
            raise ValueError
        else:
            pass
`

for (const engine of engines)
  describe(`similarity on ${engine}`, () => {
    const ruleTest = ruleTestOn(engine)
    let stage: JudgeStage
    const students: RpcClient[] = []
    let drawn = 0
    before(async () => {
      stage = await startJudge(engine, { environment: { GUILDHALL_JUDGE_LIMITS: 'comparedBytes=190000' } })
      const { accounts, tokens } = stage.services
      for (let i = 0; i < 5; i++) {
        const account = await accounts.insert({ name: `student${i}`, displayName: '', role: 'contestant' })
        const { text } = await tokens.make(account, { kind: 'classic', scopes: ['judge'] })
        students.push(makeRpcClient(stage.url, text))
      }
    })
    after(() => stage.stop())

    /** A sheet to which each student hands in one program, null for none. */
    async function handIn(programs: readonly (readonly [string, string] | null)[], over: object = {}) {
      const { UUID } = await makeProblem(stage.cast.setter)
      const ClassID = `class-${++drawn}`
      await stage.cast.setter.call('create_class', { ID: ClassID, Name: 'Class' })
      for (const i of programs.keys()) {
        const member = { ClassID, AccountName: `student${i}`, Role: 'student', RosterName: `Student ${i}` }
        await stage.cast.setter.call('put_class_member', member)
      }
      const draft = { ClassID, Title: 'Sheet', OpenTime: 0, IsPublished: true, ProblemList: [{ UUID, Points: 1 }] }
      const { Sheet } = await stage.cast.setter.call('create_sheet', { ...draft, ...over })
      for (const [i, program] of programs.entries()) {
        if (!program) continue
        const [Language, Content] = program
        await students[i]!.call('create_submission', { ProblemUUID: UUID, Language, Content })
      }
      return { SheetID: Sheet.ID, UUID }
    }
    const compare = (place: object): Promise<Json> => stage.cast.setter.call('get_similarity', place)
    const names = ({ Left, Right }: Json) => `${Left.AccountName} ${Right.AccountName}`

    test('other names, layout, comments and numbers hide nothing, and what is different is not alike', async () => {
      const place = await handIn([['python', original], null, ['python', different], ['python', disguised]])
      const { PairList, ComparedCount, LeftOutCount } = await compare(place)
      assert.deepEqual([ComparedCount, LeftOutCount], [3, 0])
      const [pair, ...others] = PairList
      assert.equal(names(pair), 'student0 student3')
      assert.ok(pair.Similarity > 0.8, `${pair.Similarity}`)
      for (const other of others) assert.ok(other.Similarity < 0.2, `${names(other)} ${other.Similarity}`)
      assert.deepEqual(
        [pair.Left.RosterName, typeof pair.Left.SubmissionID, pair.Right.RosterName],
        ['Student 0', 'number', 'Student 3'],
      )
      const lines = { left: original.split('\n').length, right: disguised.split('\n').length }
      for (const { LeftStart, LeftEnd, RightStart, RightEnd } of pair.PartList) {
        assert.ok(LeftStart <= LeftEnd && LeftEnd <= lines.left)
        assert.ok(RightStart <= RightEnd && RightEnd <= lines.right)
      }
      const covered = pair.PartList.some(({ LeftStart, LeftEnd }: Json) => LeftStart <= 7 && LeftEnd >= 8)
      assert.ok(covered, JSON.stringify(pair.PartList))
    })

    ruleTest('of pairs that are equally alike the longest programs come first', async () => {
      const short = 'w = input()\nr = ""\nfor c in w:\n    r = c + r\nprint(r)\n'
      const place = await handIn([short, short, original, original].map((text) => ['python', text] as const))
      const { PairList } = await compare(place)
      assert.deepEqual(
        PairList.slice(0, 2).map((pair: Json) => [names(pair), pair.Similarity]),
        [
          ['student2 student3', 1],
          ['student0 student1', 1],
        ],
      )
    })

    test('what stands in the template is taken out', async () => {
      const token = await makeToken(stage, 'setter', { kind: 'classic', scopes: ['repo', 'judge', 'admin:org'] })
      const rest = makeRest(stage.url, token)
      const setter = makeRpcClient(stage.url, token)
      await asAdmin(stage).post('/admin/organizations', { login: 'school', admin: 'setter' })
      await rest.post('/user/repos', { name: 'template', private: true })
      const content = Buffer.from(original).toString('base64')
      await rest.put('/repos/setter/template/contents/main.py', { message: 'Template', content })
      const own = (text: string) => `${original}\n${text}`
      const place = await handIn([
        ['python', own(different)],
        ['python', own('print(1)\n')],
        ['python', own(different.replaceAll('words', 'text'))],
      ])
      const before = await compare(place)
      assert.equal(before.PairList.length, 3)
      await setter.call('put_problem_link', { Repository: 'setter/template', UUID: place.UUID, Path: 'main.py' })
      const Template = { Repository: 'setter/template', Organisation: 'school' }
      await setter.call('update_sheet', { ID: place.SheetID, Template })
      const { PairList } = await compare(place)
      assert.equal(names(PairList[0]), 'student0 student2')
      assert.ok(PairList[0].Similarity > 0.8, JSON.stringify(PairList))
      const most = Math.max(0, ...PairList.slice(1).map(({ Similarity }: Json) => Similarity))
      assert.ok(most < 0.2, `${most}`)
    })

    ruleTest(
      'programs in every language, with a grammar or without, are compared with those of their family',
      async () => {
        const c = 'int main(){int a[9];int s=0;for(int i=0;i<9;i++){if(a[i]>s&&a[i]<7)s+=a[i]*2;}return s;}'
        const table: readonly (readonly [string, string, string])[] = [
          ['c', 'cpp', c],
          ['java', 'java', `class A { static ${c} }`],
          [
            'javascript',
            'typescript',
            'function f(a){let s=0;for(const x of a){if(x>s&&x<7)s+=x*2;else s--}return [s,a.map((y)=>y+1)]}',
          ],
          [
            'go',
            'go',
            'package main\nfunc f(a []int) int { s := 0; for _, x := range a { if x > s && x < 7 { s += x * 2 } }; return s }',
          ],
          [
            'rust',
            'rust',
            'fn f(a: &[i32]) -> i32 { let mut s = 0; for x in a { if *x > s && *x < 7 { s += x * 2; } } return s; }',
          ],
          [
            'kotlin',
            'kotlin',
            'fun f(a: IntArray): Int { var s = 0; for (x in a) { if (x > s && x < 7) { s += x * 2 } }; return s }',
          ],
        ]
        for (const [one, other, program] of table) {
          const { PairList } = await compare(
            await handIn([
              [one, program],
              [other, program],
              ['python', original],
            ]),
          )
          assert.deepEqual(
            PairList.map((pair: Json) => [names(pair), pair.Similarity, pair.PartList.length > 0]),
            [['student0 student1', 1, true]],
            `${one} ${other}`,
          )
        }
      },
    )

    ruleTest(
      'hostile programs are compared as others are, or left out, and cost nobody else their comparison',
      async () => {
        const table: readonly string[] = [
          '1,'.repeat(32_000),
          '('.repeat(64_000),
          '/*'.repeat(32_000),
          '"'.repeat(64_000),
          'if x:\n'.repeat(10_000),
          'a'.repeat(64_000),
          '\n'.repeat(64_000),
          '\u202e\ufffd𝕏'.repeat(6_000),
        ]
        for (const Content of table)
          for (const language of ['python', 'javascript', 'kotlin']) {
            const place = await handIn([
              [language, Content],
              [language, Content],
              ['python', original],
              ['python', disguised],
            ])
            const { PairList } = await compare(place)
            assert.ok(
              PairList.some((pair: Json) => names(pair) === 'student2 student3'),
              JSON.stringify(Content.slice(0, 9)),
            )
          }
      },
    )

    ruleTest('what is too much is left out, the largest first', async () => {
      const large = `# ${'x'.repeat(60_000)}\n${original}`
      const whole = await handIn(Array(5).fill(['python', large]))
      const { ComparedCount, LeftOutCount } = await compare(whole)
      assert.deepEqual([ComparedCount, LeftOutCount], [3, 2])
      const mixed = await handIn([
        ...[1, 2, 3].map(() => ['python', large] as const),
        ['python', original],
        ['python', disguised],
      ])
      const { PairList } = await compare(mixed)
      assert.ok(PairList.some((pair: Json) => names(pair) === 'student3 student4'))
    })

    ruleTest('teachers of the class alone are told', async () => {
      const place = await handIn([
        ['python', original],
        ['python', disguised],
      ])
      const { cast } = stage
      const codes = await Promise.all(
        [cast.anonymous, students[0]!, cast.rival, cast.colleague, cast.worker, cast.setter, cast.admin].map((by) =>
          by.code('get_similarity', place),
        ),
      )
      assert.deepEqual(codes, [17, 8, 6, 6, 6, 0, 0])
    })
  })
