/** Packages that are written to hurt: over HTTP, by a setter, against a server that others use. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
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
  const polygonWith = (old: string, hostile: string) =>
    zipOf({ ...polygon, 'problem.xml': (polygon['problem.xml'] as string).replace(old, hostile) })
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
    const { db } = stage.house.store
    for (const table of ['problem_file', 'test_upload', 'problem_package', 'test_name'] as const)
      assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table)
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

  test('of one account two are under way at a time, and one that stays half sent can be left', async () => {
    const half = () => {
      const open = request(`${stage.url}/-/judge/problems`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stage.cast.setter.token}`, 'content-length': 1_000 },
      })
      open.on('error', () => {})
      open.write('PK')
      return open
    }
    const opened = [half(), half()]
    await until(async () => (await send(zipOf(legacy))).status === 403)
    for (const open of opened) open.destroy()
    await until(async () => (await send(zipOf(legacy))).status === 201)
  })
})
