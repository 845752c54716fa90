/** The pure parts of the git room: names, pkt-lines, objects, links, figures. Tables of cases, and properties. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { toErrorAnswer } from '../../src/api/forge-rest/pipeline/errors.ts'
import { chooseVersion } from '../../src/api/forge-rest/pipeline/versions.ts'
import { linkHeader, parseTime } from '../../src/api/forge-rest/query.ts'
import { parsePermissions } from '../../src/forge/access/required-grant.ts'
import { runGit } from '../../src/forge/git/process/process.ts'
import { makePushReport } from '../../src/forge/git/push/push-report.ts'
import { parseCommit, parseTag } from '../../src/forge/git/read/commit.ts'
import { parseChanges } from '../../src/forge/git/read/diff.ts'
import { isBranchName } from '../../src/forge/git/ref-name.ts'
import { readPacket, writePacket } from '../../src/forge/git/serve/pkt-line.ts'
import { parseFigures } from '../../src/forge/limits/figures.ts'
import { makeLog } from '../../src/lib/log.ts'

const gitTakes = (name: string) => spawnSync('git', ['check-ref-format', '--branch', name]).status === 0

describe('names of branches', () => {
  test('each case is judged as git judges it', () => {
    const cases = [
      'main',
      'a/b',
      'a.b',
      'ü',
      '%2e',
      'a;b',
      '$(x)',
      '',
      'a@b',
      'a@{b',
      '/a',
      'a/',
      'a//b',
      '.a',
      'a/.b',
      'a.lock',
      'a.lock/b',
      'a..b',
      'a b',
      'a~1',
      'a^',
      'a:b',
      'a?',
      'a*',
      'a[b',
      'a\\b',
      'a.',
      '-a',
      'a-',
      'a\x7fb',
      'HEAD',
    ]
    for (const name of cases) assert.equal(isBranchName(name), gitTakes(name), JSON.stringify(name))
  })

  test('what is taken, git takes', () => {
    const character = fc.constantFrom(...'ab/.@{}~^:?*[\\ -_\x01é'.split(''))
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 8 }), (name) => {
        if (isBranchName(name)) assert.ok(gitTakes(name), JSON.stringify(name))
      }),
      { numRuns: 60 },
    )
  })
})

test('a git that takes too long is ended, and the asking told so', async () => {
  const long = { folder: tmpdir(), input: Buffer.alloc(64 * 1024 * 1024) }
  const asked = runGit(['hash-object', '--stdin'], { ...long, limitMs: 1 })
  await assert.rejects(asked, { kind: 'unavailable', code: 'too-slow' })
  assert.equal((await runGit(['--version'], { folder: tmpdir(), limitMs: 60_000 })).code, 0)
})

describe('pkt-lines', () => {
  test('what is written is read back, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), fc.nat(400), (parts, cut) => {
        const bytes = Buffer.concat(parts.map((part) => writePacket(Buffer.from(part))))
        const short = bytes.subarray(0, Math.min(cut, bytes.length))
        const read: Buffer[] = []
        for (let at = 0, found = readPacket(short, at); found; found = readPacket(short, at)) {
          at = found.end
          if (found.packet.kind === 'data') read.push(found.packet.data)
        }
        assert.deepEqual(
          read,
          parts.slice(0, read.length).map((part) => Buffer.from(part)),
        )
      }),
    )
  })

  test('what is none is refused', () => {
    for (const text of ['zzzz', '0003', 'PACK', '-001']) assert.throws(() => readPacket(Buffer.from(text), 0))
  })
})

describe('the report of a push', () => {
  const band = (number: number, data: Buffer | string) =>
    writePacket(Buffer.concat([Buffer.from([number]), Buffer.from(data)]))
  const report = Buffer.concat([
    writePacket('unpack ok\n'),
    writePacket('ok refs/heads/main\n'),
    writePacket('ng refs/heads/x stale\n'),
    Buffer.from('0000'),
  ])

  test('progress goes past it, the verdict is held, and the refs that moved are known, however it is cut', () => {
    const sent = Buffer.concat([band(2, 'working\n'), band(1, ''), band(1, report), Buffer.from('0000')])
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: sent.length }), { maxLength: 5 }), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), sent.length]
        const reader = makePushReport(65_515)
        const passed = Buffer.concat(edges.slice(1).map((end, i) => reader.take(sent.subarray(edges[i], end))))
        const { held, moved } = reader.finish()
        assert.deepEqual(Buffer.concat([passed, held]), sent)
        assert.deepEqual(passed, Buffer.concat([band(2, 'working\n'), band(1, '')]))
        assert.deepEqual([...moved], ['refs/heads/main'])
      }),
    )
  })

  test('without side bands all of it is the verdict', () => {
    const reader = makePushReport(0)
    assert.equal(reader.take(report).length, 0)
    assert.deepEqual([...reader.finish().moved], ['refs/heads/main'])
  })
})

describe('git’s objects', () => {
  test('a commit is read with its parents, a signature of many lines, and a message in its own encoding', () => {
    const head = [
      `tree ${'a'.repeat(40)}`,
      `parent ${'b'.repeat(40)}`,
      `parent ${'c'.repeat(40)}`,
      'author A <> B <a@example.org> 1700000000 +0200',
      'committer  <> -1 +0000',
      'gpgsig -----BEGIN',
      ' line',
      ' -----END',
      'encoding ISO-8859-1',
    ].join('\n')
    const commit = parseCommit('d'.repeat(40), Buffer.concat([Buffer.from(`${head}\n\n`), Buffer.from([0xe9, 10])]))
    assert.deepEqual(commit.parents, ['b'.repeat(40), 'c'.repeat(40)])
    assert.equal(commit.message, 'é')
    assert.equal(commit.signed?.signature, '-----BEGIN\nline\n-----END')
    assert.doesNotMatch(commit.signed!.payload.toString('latin1'), /gpgsig|line|END/)
    assert.match(commit.signed!.payload.toString('latin1'), /-1 \+0000\nencoding ISO-8859-1\n\n\xe9\n$/)
    assert.equal(commit.committer.email, '')
    assert.equal(commit.committer.date.getTime(), -1000)
  })

  test('no bytes make the reader fail', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        parseCommit('x', Buffer.from(bytes))
        parseTag('x', Buffer.from(bytes))
        parseChanges(Buffer.from(bytes))
      }),
    )
  })
})

describe('links between pages', () => {
  test('each edge and its neighbour', () => {
    const rels = (total: number, number: number) =>
      (linkHeader('http://h/x?a=1', total, { limit: 10, number }) ?? '').replace(
        /<[^>]*page=(\d+)>; rel="(\w)\w*"/g,
        '$2$1',
      )
    assert.deepEqual(
      [rels(0, 1), rels(10, 1), rels(11, 1), rels(11, 2), rels(25, 2), rels(11, 9)],
      ['', '', 'n2, l2', 'p1, f1', 'p1, n3, l3, f1', 'p2, f1'],
    )
  })
})

describe('times in a query', () => {
  test('fractions and offsets are taken, nonsense is not', () => {
    const ms = (text: string) => parseTime('since', text).getTime()
    assert.equal(ms('2026-03-10T12:00:00Z'), Date.UTC(2026, 2, 10, 12))
    assert.equal(ms('2026-03-10T12:00:00.500+02:00'), Date.UTC(2026, 2, 10, 10, 0, 0, 500))
    assert.equal(ms('2026-03-10T12:00:00 02:00'), Date.UTC(2026, 2, 10, 10), 'a plus sign that was not encoded')
    assert.equal(ms('2026-03-10T12:00:00'), Date.UTC(2026, 2, 10, 12))
    for (const text of ['yesterday', '2026-13-40T00:00:00Z', '1', '2026-03-10T25:00:00Z']) assert.throws(() => ms(text))
  })
})

describe('versions', () => {
  test('one that was served once is gone, and says which are served', () => {
    const headers = { 'x-github-api-version': '2019-01-01' }
    const log = makeLog('silent')
    const surroundings = { docsUrl: '', resource: '', requestId: '', log }
    for (const [retired, status] of [
      [['2019-01-01'], 410],
      [[], 400],
    ] as const) {
      try {
        chooseVersion(headers, retired)
        assert.fail('it was taken')
      } catch (error) {
        const answer = toErrorAnswer(error, surroundings)
        assert.equal(answer.status, status)
        assert.match(JSON.stringify(answer.body), /2022-11-28, 2026-03-10/)
      }
    }
  })
})

describe('figures of the limits', () => {
  test('some are set, the others keep their defaults, and a wrong one is named', () => {
    assert.deepEqual({ ...parseFigures('user=7, points=8') }, { ...parseFigures(''), user: 7, points: 8 })
    assert.throws(() => parseFigures('users=7'), /users/)
    assert.throws(() => parseFigures('user=many'), /user/)
  })

  test('permissions are alternatives', () => {
    assert.deepEqual(parsePermissions('issues=read; pull_requests=write'), [
      { name: 'issues', level: 'read' },
      { name: 'pull_requests', level: 'write' },
    ])
  })
})

test('git is there', () => {
  assert.match(execFileSync('git', ['--version'], { encoding: 'utf8' }), /^git version/)
})
