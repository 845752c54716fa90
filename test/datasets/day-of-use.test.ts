/** A day's use of data sets from the command line, start to end: messy files in, mended, taken out, emptied and gone. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import * as sheetJs from 'xlsx'
import { runProgram } from '../support/program.ts'
import { admin } from '../support/server.ts'
import { onEachEngine } from './api.ts'

onEachEngine('a day of use', (world) => {
  test('files are pushed, mended, pushed again, taken out, copied, emptied and deleted', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'guildhall-day-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const at = (name: string) => join(folder, name)
    const run = (...words: string[]) =>
      runProgram(words, { GUILDHALL_SERVER: world.server.url, GUILDHALL_TOKEN: admin.token })
    const rows = Array.from({ length: 3_000 }, (_, i) => ({
      id: i,
      latitude: 50 + Math.sin(i),
      text: 'ž'.repeat(i % 30),
    }))
    const lines = rows.map((row) => JSON.stringify(row))

    await writeFile(at('places.jsonl'), `\ufeff${lines.with(2_500, '{"id": 2500,').join('\r\n')}\r\n`)
    const failed = await run('push', '~places', at('places.jsonl'))
    assert.equal(failed.code, 1)
    assert.match(
      failed.err,
      /places\.jsonl, line 2501: not valid JSON.*It begins: \{"id": 2500,\n 2,000 items before it are stored/,
    )
    await writeFile(at('places.jsonl'), lines.join('\n'))
    const mended = await run('push', 'places', at('places.jsonl'))
    assert.match(
      mended.err,
      /^1,000 items were pushed into places \(2,000 more had been stored before.*has 3,000 now\.\n$/,
    )

    await writeFile(at('more.csv.gz'), gzipSync('\ufeffid;latitude\n3000;52.520006599999995\n'))
    const csv = await run('push', 'places', at('more.csv.gz'), '--delimiter', ';', '--guess-types')
    assert.match(csv.err, /^1 item was pushed into places, which has 3,001 now\.\n$/)
    assert.match((await run('push', 'places', at('more.csv.gz'))).err, /line 1: ";" seems to stand between the names/)
    await writeFile(at('more.jsonl.zst'), zstdCompressSync(Buffer.from('{"id":3001}\n')).subarray(0, 12))
    assert.match((await run('push', 'places', at('more.jsonl.zst'))).err, /more\.jsonl\.zst is broken/)
    assert.match((await run('push', 'plces', at('places.jsonl'))).err, /none of yours has this name: write ~plces/)
    for (const [words, says] of [
      [['push', 'bob~x', at('places.jsonl')], /named x of bob that you may read: write ~x to push into a new one/],
      [['export', '~nope'], /There is no data set named nope of yours: see dataset list\.$/m],
      [['dataset', 'delete', 'nix'], /none of yours has this name: see dataset list\.$/m],
    ] as const)
      assert.match((await run(...words)).err, says)

    const unknown = await runProgram(['push', 'places', at('places.jsonl')], { GUILDHALL_SERVER: world.server.url })
    assert.match(unknown.err, /there is no token, so put a token of yours in GUILDHALL_TOKEN\. Make one at http/)
    await writeFile(at('latin.csv'), Buffer.from('name\ncaf\u00e9\n', 'latin1'))
    await writeFile(at('latin.jsonl'), Buffer.from('{"name":"caf\u00e9"}\n', 'latin1'))
    for (const file of ['latin.csv', 'latin.jsonl']) {
      const refused = await run('push', '~latin', at(file))
      assert.match(refused.err, /is not UTF-8 text: .*iconv -f WINDOWS-1252 -t UTF-8/, file)
    }
    assert.doesNotMatch((await run('dataset', 'list')).out, /latin/, 'what is refused leaves no data set behind')

    await writeFile(at('keep.csv'), 'keep me')
    assert.equal((await run('export', 'nothing-here', '--output', at('keep.csv'))).code, 1)
    assert.equal(await readFile(at('keep.csv'), 'utf8'), 'keep me')
    assert.match((await run('export', 'places', '--query', 'limt=3')).err, /limt \(did you mean limit\?\)/)
    const sheet = await run('export', 'places', '--format', 'xlsx', '--output', at('places.xlsx'))
    assert.match(sheet.err, /^3,001 items, [\d.]+ [kM]B, in /)
    const book = sheetJs.read(await readFile(at('places.xlsx')), { type: 'buffer' })
    const table = sheetJs.utils.sheet_to_json<{ latitude: number }>(book.Sheets[book.SheetNames[0]!]!, { raw: true })
    const sum = [...rows, { latitude: 52.520006599999995 }].reduce((total, row) => total + row.latitude, 0)
    assert.equal(
      table.reduce((total, row) => total + row.latitude, 0),
      sum,
    )
    assert.match(
      (await run('dataset', 'index', 'places', 'id,`odd, name`')).out,
      /^places has indexes on id .*, `odd, name` /,
    )
    await world.server.services.datasets.settle()
    assert.match((await run('dataset', 'info', 'places')).out, /indexes +id \([\d.]+ kB\), `odd, name` \([\d.]+ kB\)\n/)
    assert.match((await run('dataset', 'index', 'places', 'id,id')).err, /names id twice/)
    assert.equal((await run('dataset', 'index', 'places', 'id')).code, 0)
    const found = await run('export', 'places', '--format', 'jsonl', '--query', 'filter=id < 2')
    assert.equal(found.out, `${lines[0]}\n${lines[1]}\n`)
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.includes('partial')),
      [],
    )

    assert.equal((await run('dataset', 'copy', 'places', '~twin')).code, 0)
    assert.match((await run('dataset', 'list')).out, /places .* 3,001 .*\ntwin .* 3,001 /)
    assert.match((await run('dataset', 'info', 'twin')).out, /fields +id, latitude, text\n/)
    assert.match((await run('dataset', 'truncate', 'twin')).err, /would delete the 3,001 items.*add --yes/)
    assert.equal((await run('dataset', 'truncate', 'twin', '--yes')).out, 'twin is empty; it had 3,001 items.\n')
    assert.equal((await run('dataset', 'delete', 'places', '--yes')).out, 'places is deleted, with 3,001 items.\n')
    assert.match((await run('dataset', 'list')).out, /^NAME.*\ntwin .* 0 .*\n$/)
  })
})
