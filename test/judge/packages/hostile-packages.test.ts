/** Packages that are written to hurt: over HTTP, by a setter, against a server that others use. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Actor } from '../../../src/accounts/actor.ts'
import { makeTransfers } from '../../../src/api/judge-packages/transfers.ts'
import { type JudgeStage, page, startJudge } from '../../support/judge.ts'
import { readJson } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { makeZip, type ZipEntry } from '../../support/zip.ts'
import { type Files, legacy, polygon, zipOf } from './packages.ts'

describe('hostile packages', () => {
  let stage: JudgeStage
  before(async () => {
    stage = await startJudge('sqlite')
  })
  after(() => stage.stop())

  const send = (zip: Buffer) =>
    fetch(`${stage.url}/-/judge/problems`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.cast.setter.token}` },
      body: new Uint8Array(zip),
    })
  /** A package whose end does not come. */
  const half = (token: string | undefined) => {
    const open = request(`${stage.url}/-/judge/problems`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-length': 1_000 },
    })
    open.on('error', () => {})
    open.write('PK')
    return open
  }
  const polygonWith = (old: string, hostile: string) =>
    zipOf({ ...polygon, 'problem.xml': (polygon['problem.xml'] as string).replace(old, hostile) })
  const groupsOf = (count: number, file: string, says: string): Files =>
    Object.fromEntries([
      ['problem.yaml', 'name: P\ntype: scoring\nlimits: {time_limit: 1}'],
      ...Array.from({ length: count }, (_, i) =>
        [
          [file, says],
          ['1.in', ''],
          ['1.ans', ''],
        ].map(([name, data]) => [`data/secret/g${i}/${name}`, data]),
      ).flat(),
    ])
  const groupsOfPolygon = (count: number): Files => {
    const xml = polygon['problem.xml'] as string
    const numbers = Array.from({ length: count }, (_, i) => i + 5)
    const added = numbers.map((i) => `<test group="g${i}" points="1"/>`).join('')
    const files = numbers.flatMap((i) => [`tests/${String(i).padStart(2, '0')}`].flatMap((one) => [one, `${one}.a`]))
    return {
      ...polygon,
      ...Object.fromEntries(files.map((path) => [path, ''])),
      'problem.xml': xml.replace('</tests>', `${added}</tests>`),
    }
  }
  /** With one file more, which says that it is as long: whoever reads it learns that it is not. */
  const withLong = (files: Files, path: string) =>
    makeZip([
      ...Object.entries(files).map(([name, data]) => ({ path: name, data })),
      { path, data: 'short', declaredSize: 9 * 1024 * 1024 },
    ])
  const plain: ZipEntry[] = [{ path: 'p/problem.yaml', data: 'name: P\n' }]

  test('are refused in words, whatever they are, and nothing is kept of them', async () => {
    const manyKeys = Array.from({ length: 9_000 }, (_, i) => `k${i}:`).join('\n')
    const zeros = Buffer.alloc(20 * 1024 * 1024)
    const wrong: [string, Buffer, RegExp][] = [
      ['a way out', makeZip([...plain, { path: 'p/../../out', data: 'x' }]), /leads out of the archive/],
      ['a link', makeZip([...plain, { path: 'p/link', data: '/etc/passwd', mode: 0o120777 }]), /symbolic link/],
      ['a bomb', makeZip([...plain, { path: 'p/data/secret/1.in', data: zeros }]), /times its size/],
      ['a file twice', makeZip([...plain, ...plain]), /twice/],
      [
        'a size that is a lie',
        makeZip([{ path: 'problem.yaml', data: 'name: P', declaredSize: 3 }]),
        /can't be unpacked|checksum/,
      ],
      [
        'a long test',
        makeZip([
          ...plain,
          { path: 'p/data/secret/1.in', data: Buffer.alloc(16 * 1024 * 1024 + 1, 'a'), isPacked: false },
          { path: 'p/data/secret/1.ans' },
        ]),
        /over 16777216 bytes/,
      ],
      ['many keys', zipOf({ 'problem.yaml': `${manyKeys}\ntype: riddle\n` }), /problem\.yaml says too much/],
      ['deep YAML', zipOf({ 'problem.yaml': '- '.repeat(30_000) }), /problem\.yaml says too much/],
      ['a prototype', zipOf({ 'problem.yaml': '__proto__: {type: x}\nconstructor: y\ntype: riddle' }), /riddle/],
      ['deep XML', zipOf({ 'problem.xml': '<a>'.repeat(10_000) }), /too many elements|never ended/],
      [
        'entities',
        zipOf({ 'problem.xml': '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>' }),
        /not XML/,
      ],
      ['a path of controls', zipOf({ ...legacy, 'attachments/a\nb': 'x' }), /can’t be kept/],
      [
        'a checker with a way out',
        zipOf({ ...legacy, 'guildhall.json': '{"points": {"secret/1": -1}}' }),
        /guildhall\.json/,
      ],
      ['many anchors', zipOf({ 'problem.yaml': `a: ${'&a '.repeat(21_000)}` }), /problem\.yaml says too much/],
      ['a long number', polygonWith('tests/%02d<', 'tests/%020000000d<'), /input-path-pattern.*tests\/%02d/],
      ...['1e308', '2000000000', '-5', 'NaN', '0x10'].map((points): [string, Buffer, RegExp] => [
        `points of ${points}`,
        polygonWith('points="10.5"', `points="${points}"`),
        /points are no number from 0 to 1000000000/,
      ]),
      ...['-1', '.nan', '.inf', 'soon', '[]'].map((limit): [string, Buffer, RegExp] => [
        `a time limit of ${limit}`,
        zipOf({ 'problem.yaml': `limits: {time_limit: ${limit}}` }),
        /time_limit: .* is not a number of seconds above 0/,
      ]),
      ['a memory limit of -1', zipOf({ 'problem.yaml': 'limits: {memory: -1}' }), /memory: -1 is not a number/],
      [
        'a long ini file',
        zipOf({ 'problem.yaml': 'name: P', 'domjudge-problem.ini': '\n'.repeat(70_000) }),
        /domjudge-problem\.ini is over 65536 bytes/,
      ],
      [
        'a long path',
        zipOf({ ...legacy, [`data/secret/${'a'.repeat(498)}.in`]: 'x' }),
        /a path of over 512 characters/,
      ],
      ['a deep path', zipOf({ ...legacy, [`data/secret/${'a/'.repeat(30)}1.in`]: 'x' }), /lies in over 32 folders/],
      ['many groups', zipOf(groupsOf(101, 'test_group.yaml', 'max_score: 1')), /more than 100 groups/],
      ['many legacy groups', zipOf(groupsOf(500, 'testdata.yaml', 'accept_score: 1')), /more than 100 groups/],
      ['many folders', zipOf(groupsOf(1_004, 'testdata.yaml', 'accept_score: 1')), /more than 1000 groups/],
      ['many groups of Polygon', zipOf(groupsOfPolygon(500)), /more than 100 groups/],
      [
        'many arguments',
        zipOf({
          'problem.yaml': 'name: P\nlimits: {time_limit: 1}',
          'data/secret/testdata.yaml': `output_validator_flags: "${'a '.repeat(20_000)}"`,
          'data/secret/1.in': '',
          'data/secret/1.ans': '',
        }),
        /arguments: its validator may have 100/,
      ],
      [
        'constants that unfold',
        zipOf({
          'problem.yaml': `name: P\nlimits: {time_limit: 1}\nconstants: {a: "${'a'.repeat(50_000)}"}`,
          'statement/problem.en.md': '{{a}}'.repeat(20_000),
        }),
        /constants: what they stand for comes to over/,
      ],
      [
        'a table that unfolds',
        zipOf({
          'problem.yaml': 'name: P\nlimits: {time_limit: 1}',
          'statement/problem.en.tex': `\\begin{tabular}{l}${'&'.repeat(50)}\\\\${'a\\\\'.repeat(5_000)}\\end{tabular}`,
        }),
        /a table of more than 20000 cells/,
      ],
      [
        'a long name of a group',
        zipOf({
          'problem.yaml': 'name: P\ntype: scoring\nlimits: {time_limit: 1}',
          [`data/secret/${'g'.repeat(65)}/test_group.yaml`]: 'max_score: 1',
          [`data/secret/${'g'.repeat(65)}/1.in`]: '',
          [`data/secret/${'g'.repeat(65)}/1.ans`]: '',
        }),
        /is over 64 characters/,
      ],
      ['many elements', zipOf({ 'problem.xml': `<a>${'<b/>'.repeat(200_000)}</a>` }), /too many elements/],
      [
        'much YAML in many folders',
        zipOf(groupsOf(50, 'testdata.yaml', `k: ${'x'.repeat(60_000)}`)),
        /YAML files are over 1048576 bytes together/,
      ],
      [
        'many keys in many folders',
        zipOf(groupsOf(30, 'testdata.yaml', manyKeys.slice(0, 6_996))),
        /YAML files say too much: they have over 30000 keys and values together/,
      ],
      [
        'YAML files that come to more than they are written with',
        zipOf(
          Object.fromEntries([
            ['problem.yaml', 'problem_format_version: 2025-09\nname: P\nlimits: {time_limit: 1}'],
            ...Array.from({ length: 8 }, (_, i) => [
              [`data/secret/${i}.yaml`, `hint: "${'\\e'.repeat(30_000)}"`],
              [`data/secret/${i}.in`, ''],
              [`data/secret/${i}.ans`, ''],
            ]).flat(),
          ]),
        ),
        /YAML files say more than 1048576 characters/,
      ],
      ['many attributes', zipOf({ 'problem.xml': `<a${' b=""'.repeat(1_000_000)}/>` }), /not XML/],
      ['a long problem.xml', withLong({}, 'problem.xml'), /problem\.xml is over 8388608 bytes/],
      [
        'a long validator',
        withLong(legacy, 'output_validators/near/long.py'),
        /output_validators\/near\/ is over 4194304 bytes/,
      ],
      [
        'a validator of many files',
        zipOf({
          ...legacy,
          ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`output_validators/near/${i}.txt`, 'x'])),
        }),
        /output_validators\/near\/ has over 100 files/,
      ],
      [
        'a long header of Polygon',
        withLong(
          {
            ...polygon,
            'problem.xml': (polygon['problem.xml'] as string).replaceAll('files/testlib.h', 'files/long.h'),
          },
          'files/long.h',
        ),
        /The checker is over 4194304 bytes/,
      ],
      ['own file that is none', zipOf({ ...legacy, 'guildhall.json': '[' }), /guildhall\.json can’t be read/],
    ]
    for (const [what, zip, message] of wrong) {
      const response = await send(zip)
      const answer = await readJson(response)
      assert.equal(response.status, 422, `${what}: ${JSON.stringify(answer)}`)
      assert.match(answer.message, message, what)
    }
    const { TotalProblemCount } = await stage.cast.setter.call('get_problem_snippet_list', page())
    assert.equal(TotalProblemCount, 0)
    const { db } = stage.services.store
    for (const table of ['problem_file', 'test_upload', 'problem_package', 'test_name'] as const)
      assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table)
  })

  test('what is as long, as deep and as much as may be is taken', async () => {
    const deepest = `data/secret/${'a/'.repeat(29)}1`
    const longest = `data/secret/${'a'.repeat(496)}`
    const groups = groupsOf(100, 'test_group.yaml', 'max_score: 1')
    for (const [what, files] of Object.entries({
      deep: { ...legacy, [`${deepest}.in`]: '', [`${deepest}.ans`]: '' },
      long: { ...legacy, [`${longest}.in`]: '', [`${longest}.ans`]: '' },
      many: { ...groups, 'data/test_group.yaml': '', 'data/secret/test_group.yaml': '' },
    })) {
      const response = await send(zipOf(files))
      assert.equal(response.status, 201, `${what}: ${await response.text()}`)
    }
  })

  test('a statement that is costly to convert, and names that mean more elsewhere, are taken as text', async () => {
    const files: Files = {
      'problem.yaml': 'name: "<script>alert(1)</script>"\nlimits: {time_limit: 1}',
      'problem_statement/problem.tex': `<img src=x onerror=alert(1)> \\href{javascript:alert(1)}{x} ${'\\textbf{'.repeat(5_000)} ${'\\begin{verbatim}'.repeat(5_000)}`,
    }
    const made = await readJson(await send(zipOf(files)))
    const { HTML } = await stage.cast.contestant.call('get_problem_statement', { UUID: made.UUID })
    assert.doesNotMatch(HTML.replace(/&lt;/g, ''), /<script|<img|javascript:/i)
  })

  test('long runs of nothing are read in no time to speak of, and Polygon’s TeX no further than others’', async () => {
    const cost = async (files: Files): Promise<number> => {
      const before = process.cpuUsage()
      const response = await send(zipOf(files))
      assert.equal(response.status, 201, await response.text())
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const shapes: ((n: number) => Files)[] = [
      (n) => ({ 'problem.yaml': `name: L\nlimits: {time_limit: 1}\nauthor: "a${' '.repeat(n)}b"\n` }),
      (n) => ({ 'problem.yaml': `name: L\nlimits: {time_limit: 1}\n${'\n'.repeat(n)}x: 1\n` }),
      (n) => ({ 'problem.yaml': 'name: L\n', 'domjudge-problem.ini': '\n'.repeat(n) }),
      (n) => ({
        ...polygon,
        'statements/english/problem-properties.json': JSON.stringify({ legend: ' '.repeat(10 * n) }),
      }),
    ]
    for (const shape of shapes) {
      const small = await cost(shape(12_000))
      // The square of it took seconds.
      assert.ok((await cost(shape(48_000))) < Math.max(8 * small, 1_000_000), Object.keys(shape(1)).join())
    }
    const words = 'abc '.repeat(250_000)
    const long = `${'\\textbf{'.repeat(45)}${words}${'}'.repeat(45)}`
    const files = { ...polygon, 'statements/english/problem-properties.json': JSON.stringify({ legend: long }) }
    const { NoteList } = await readJson(await send(zipOf(files)))
    assert.ok(NoteList.includes(`The source of the statement was cut to 150000 characters: it had ${long.length}.`))
  })

  test('one that is costly costs the thread that serves everybody little', async () => {
    const cost = async (files: Files): Promise<number> => {
      const before = process.threadCpuUsage()
      const response = await send(zipOf(files))
      assert.equal(response.status, 201, await response.text())
      const { user, system } = process.threadCpuUsage(before)
      return user + system
    }
    const costly: [name: string, Files, Files][] = [
      [
        'TeX',
        { 'problem.yaml': 'limits: {time_limit: 1}', 'statement/problem.tex': 'Add.' },
        { 'problem.yaml': 'limits: {time_limit: 1}', 'statement/problem.tex': nestedTex },
      ],
      ['XML', polygon, { ...polygon, 'problem.xml': `${polygon['problem.xml']}${longXml}` }],
    ]
    for (const [name, plainly, hard] of costly) {
      const little = await cost(plainly)
      const much = await cost(hard)
      assert.ok(much < Math.max(8 * little, 200_000), `${name}: ${much} µs, and ${little} for a plain one`)
    }
  })

  test('one that is to be held is not shown for want of a letter', async () => {
    for (const query of ['held=1', 'held=TRUE', 'held', 'Held=true', 'held=true&held=false', 'hold=true']) {
      const response = await fetch(`${stage.url}/-/judge/problems?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stage.cast.setter.token}` },
        body: new Uint8Array(zipOf(legacy)),
      })
      assert.equal(response.status, 422, `${query}: ${await response.text()}`)
    }
  })

  test('who may not import is told so before the package is sent, and takes no place', async () => {
    const open = half(stage.cast.contestant.token)
    const status = await new Promise((resolve) => open.once('response', (response) => resolve(response.statusCode)))
    assert.equal(status, 403)
    open.destroy()
  })

  test('where all places are taken, the slowest of those that hardly move gives up its own', () => {
    let now = 0
    const enter = makeTransfers(() => now)
    const cut: number[] = []
    const as = (id: number) => enter({ account: { id } } as unknown as Actor, () => cut.push(id))
    const transfers = Array.from({ length: 64 }, (_, i) => as(i))
    assert.throws(() => as(100), { code: 'too-many-packages' }, 'nobody is slow from the start')
    now = 10_000
    for (const [i, transfer] of transfers.entries()) transfer.move(i === 7 ? 3 : 1_000_000)
    const entered = as(100)
    assert.deepEqual(cut, [7])
    assert.throws(() => as(101), { code: 'too-many-packages' }, 'all others move')
    entered.leave()
    transfers[7]!.leave()
    as(101)
  })

  test('of one account two are under way at a time, and one that stays half sent can be left', async () => {
    const opened = [half(stage.cast.setter.token), half(stage.cast.setter.token)]
    await until(async () => {
      const { status, headers } = await send(zipOf(legacy))
      // It may have come before one of them, which then was turned away.
      if (status === 201) opened.push(half(stage.cast.setter.token))
      return status === 429 && headers.get('retry-after') === '5'
    })
    for (const open of opened) open.destroy()
    await until(async () => (await send(zipOf(legacy))).status === 201)
  })

  test('one whose client leaves is read no further, waits no more, and makes no problem', async (t) => {
    const { packages } = stage.services.judge
    const { importZip } = packages
    const imports: Promise<unknown>[] = []
    packages.importZip = (...given) => {
      const made = importZip(...given)
      imports.push(made)
      return made
    }
    t.after(() => Object.assign(packages, { importZip }))
    const zip = zipOf({ 'problem.yaml': 'limits: {time_limit: 1}', 'statement/problem.tex': nestedTex })
    const params = { ZippedPackage: zip.toString('base64') }
    const calls: [path: string, body: string | Uint8Array<ArrayBuffer>][] = [
      ['/-/judge/problems', new Uint8Array(zip)],
      ['/', JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'import_problem_package', params })],
    ]
    for (const [path, body] of calls) {
      imports.length = 0
      const leaving = new AbortController()
      const headers = { authorization: `Bearer ${stage.cast.setter.token}`, 'content-type': 'application/json' }
      const sent: Promise<unknown>[] = []
      // One is read, one waits for its thread, two for their turns.
      for (let count = 1; count <= 4; count++) {
        sent.push(fetch(stage.url + path, { method: 'POST', headers, body, signal: leaving.signal }))
        await until(() => imports.length === count)
      }
      leaving.abort()
      for (const one of await Promise.allSettled(sent)) assert.equal(one.status, 'rejected')
      for (const one of imports) await assert.rejects(one, { code: 'client-gone' })
    }
    assert.equal((await send(zipOf(legacy))).status, 201)
  })
})

/** Each level is looked through for its end, and written anew. */
const nestedTex = `${'\\textbf{'.repeat(48)}${'a{}'.repeat(49_000)}${'}'.repeat(48)}`
const longXml = `<more>${'<a b="&amp;&amp;&amp;&amp;" c=""/>'.repeat(60_000)}</more>`
