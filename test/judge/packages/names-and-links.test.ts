/** Names with a backslash and symbolic links in packages: what stays within the upload comes through, all else is refused by name. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { actingFor } from '../../../src/accounts/actor.ts'
import { readPackage } from '../../../src/commands/judge/packages.ts'
import { defaultLimits } from '../../../src/judge/limits.ts'
import { openZip } from '../../../src/judge/packages/package-files.ts'
import { type JudgeStage, page, startJudge } from '../../support/judge.ts'
import { type Json, readJson } from '../../support/rpc.ts'
import { makeZip, type ZipEntry } from '../../support/zip.ts'

const plain: ZipEntry[] = [
  { path: 'p/problem.yaml', data: 'name: P\nlimits: {time_limit: 1}\n' },
  { path: 'p/data/secret/1.in', data: '4 4\n' },
  { path: 'p/data/secret/1.ans', data: '8\n' },
]
const link = (path: string, data: string): ZipEntry => ({ path, data, mode: 0o120777 })
const dosSystem = 0

describe('names and links in packages', () => {
  let stage: JudgeStage
  let folder: string
  before(async () => {
    stage = await startJudge('sqlite')
    folder = await mkdtemp(join(tmpdir(), 'guildhall-links-'))
  })
  after(async () => {
    await stage.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const send = async (zip: Buffer) => {
    const headers = { authorization: `Bearer ${stage.cast.setter.token}` }
    const body = new Uint8Array(zip)
    const response = await fetch(`${stage.url}/-/judge/problems`, { method: 'POST', headers, body })
    return { status: response.status, answer: await readJson(response) }
  }
  const bring = async (zip: Buffer): Promise<string> => {
    const { status, answer } = await send(zip)
    assert.equal(status, 201, JSON.stringify(answer))
    return answer.UUID
  }
  const take = async (uuid: string, path: string) => {
    const headers = { authorization: `Bearer ${stage.cast.setter.token}` }
    return fetch(`${stage.url}/-/judge/problems/${uuid}/${path}`, { headers })
  }
  const listKept = async (uuid: string): Promise<string[]> =>
    (await readJson(await take(uuid, 'files'))).ProblemFileList.map(({ Path }: Json) => Path).sort()
  const listTests = async (ProblemUUID: string): Promise<string[]> =>
    (
      await stage.cast.setter.call('get_problem_test_case_snippet_list', { ProblemUUID, ...page() })
    ).TestCaseSnippetList.map(({ Input }: Json) => Input)
  const importFolder = async (name: string) => {
    const setter = actingFor((await stage.services.accounts.findByName('setter'))!)
    return stage.services.judge.packages.importPackage(setter, join(folder, name))
  }
  async function makeFolder(name: string, files: Readonly<Record<string, string>>, links: readonly [string, string][]) {
    for (const [path, data] of Object.entries({ 'problem.yaml': plain[0]!.data as string, ...files })) {
      await mkdir(dirname(join(folder, name, path)), { recursive: true })
      await writeFile(join(folder, name, path), data)
    }
    for (const [path, target] of links) {
      await mkdir(dirname(join(folder, name, path)), { recursive: true })
      await symlink(target, join(folder, name, path))
    }
  }

  test('a backslash is a character of a name where the archive’s maker says so, and comes back unchanged', async () => {
    const odd = 'attachments/a\\b.txt'
    const uuid = await bring(makeZip([...plain, { path: `p/${odd}`, data: 'odd' }, { path: 'p/attachments/a/b.txt' }]))
    assert.deepEqual(await listKept(uuid), ['attachments/a/b.txt', odd])
    assert.equal(await (await take(uuid, `files/${odd.split('/').map(encodeURIComponent).join('/')}`)).text(), 'odd')
    const exported = Buffer.from(await (await take(uuid, 'package')).arrayBuffer())
    const files = await openZip(exported, defaultLimits)
    assert.equal((await files.read(odd)).toString(), 'odd')
    assert.deepEqual(await listKept(await bring(exported)), ['attachments/a/b.txt', odd])
  })

  test('a backslash is a separator where the archive was made on a system that has it as one', async () => {
    const entry = { path: 'p\\attachments\\a.txt', system: dosSystem, mode: 0 }
    assert.deepEqual(await listKept(await bring(makeZip([...plain, entry]))), ['attachments/a.txt'])
  })

  test('a folder’s names with a backslash come through, sent by the command line as well', async () => {
    await makeFolder('odd', { 'attachments/a\\b': 'odd', 'data/secret/1.in': '', 'data/secret/1.ans': '' }, [])
    assert.deepEqual(await listKept((await importFolder('odd')).uuid), ['attachments/a\\b'])
    assert.deepEqual(await listKept(await bring(await readPackage(join(folder, 'odd')))), ['attachments/a\\b'])
  })

  test('no name leads out where a backslash is a separator, whoever made the archive', async () => {
    const names = [
      '..\\x',
      'p\\..\\..\\x',
      'p/attachments/..\\..\\..\\x',
      '\\x',
      '\\\\server\\share\\x',
      'C:\\x',
      'a\\..',
    ]
    for (const path of names) {
      for (const system of [dosSystem, 3]) {
        const { status, answer } = await send(makeZip([...plain, { path, data: 'x', system }]))
        assert.equal(status, 422, `${path}: ${JSON.stringify(answer)}`)
        assert.match(answer.message, /leads out of the archive/, path)
      }
    }
    await makeFolder('hostile', { 'attachments/..\\..\\x': 'x' }, [])
    await assert.rejects(importFolder('hostile'), /attachments\/..\\..\\x leads out of the package/)
    const uuid = await bring(makeZip(plain))
    const put = await fetch(`${stage.url}/-/judge/problems/${uuid}/files/attachments/..%5Cx`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${stage.cast.setter.token}` },
      body: 'x',
    })
    assert.equal(put.status, 422)
    assert.deepEqual(await listKept(uuid), [])
  })

  test('links of a zip to files and folders within it are followed, through others too', async () => {
    const uuid = await bring(
      makeZip([
        ...plain,
        { path: 'shared/2.in', data: '5 5\n' },
        { path: 'shared/2.ans', data: '10\n' },
        { path: 'shared/tools/a.txt', data: 'a' },
        link('p/data/secret/more', '../../../shared'),
        link('p/data/secret/3.in', 'more/2.in'),
        link('p/data/secret/3.ans', './more/../shared/2.ans'),
        link('p/attachments', '../shared/tools/'),
      ]),
    )
    assert.deepEqual((await listTests(uuid)).sort(), ['4 4\n', '5 5\n', '5 5\n'])
    assert.deepEqual(await listKept(uuid), ['attachments/a.txt', 'data/secret/more/tools/a.txt'])
  })

  test('links of a folder are followed, whichever way they name their target', async () => {
    const files = { 'data/secret/one/1.in': '1\n', 'data/secret/one/1.ans': '1\n', 'shared/a.txt': 'a' }
    await makeFolder('linked', files, [
      ['data/secret/two', 'one'],
      ['data/secret/three', join(folder, 'linked/data/secret/one')],
      ['attachments', 'shared'],
    ])
    const { uuid } = await importFolder('linked')
    assert.deepEqual(await listTests(uuid), ['1\n', '1\n', '1\n'])
    assert.deepEqual(await listKept(uuid), ['attachments/a.txt', 'shared/a.txt'])
    const sent = await openZip(await readPackage(join(folder, 'linked')), defaultLimits)
    assert.equal((await sent.read('data/secret/two/1.in')).toString(), '1\n')
  })

  const wrongLinks: [string, string, string][] = [
    ['attachments/absolute', '/etc/passwd', 'leads out of the package'],
    ['attachments/above', '../../../etc/passwd', 'leads out of the package'],
    ['attachments/through', 'above', 'leads out of the package'],
    ['attachments/nowhere', 'missing', 'leads to nothing in the package'],
    ['attachments/below', '../problem.yaml/x', 'leads to nothing in the package'],
    ['attachments/round', 'round', 'leads round in a circle'],
    ['attachments/home', '..', 'leads round in a circle'],
  ]

  test('links that lead out, nowhere or round are refused, and each is named, in a zip and in a folder', async () => {
    const told = (top: string) =>
      wrongLinks.map(([path, target, why]) => `"${top}${path}" is a symbolic link to "${target}", which ${why}.`)
    const { status, answer } = await send(
      makeZip([...plain, ...wrongLinks.map(([path, target]) => link(`p/${path}`, target))]),
    )
    assert.equal(status, 422)
    for (const line of told('p/')) assert.ok(answer.message.includes(line), `${line}: ${answer.message}`)
    await makeFolder(
      'astray',
      {},
      wrongLinks.map(([path, target]) => [path, target]),
    )
    await assert.rejects(importFolder('astray'), ({ message }: Error) =>
      told('').every((line) => message.includes(line)),
    )
  })

  test('files behind a link, links beyond all bounds and those that multiply files are refused', async () => {
    const depth = Array.from({ length: 20 }, (_, i) => [
      link(`p/${i}/a`, `../${i + 1}`),
      link(`p/${i}/b`, `../${i + 1}`),
    ])
    const wide = [...depth.flat(), { path: 'p/20/x', data: 'x' }]
    const large = { path: 'p/big', data: Buffer.alloc(12 * 1024 * 1024) }
    const cases: [ZipEntry[], RegExp][] = [
      [[link('p/l', 'data'), { path: 'p/l/x', data: 'x' }], /"p\/l\/x" lies in a file or a symbolic link/],
      [[link('p/l', 'data'), { path: 'p/l', data: 'x' }], /"p\/l" is in the archive twice/],
      [[link('p/l', 'x'.repeat(1_025))], /"p\/l" is a symbolic link of over/],
      [[link('p/l', 'x'.repeat(1_024))], /"p\/l" is a symbolic link to "x{40}/],
      [wide, /holds more than \d+ files/],
      [[...depth.flat(), { path: 'p/20/' }], /too many steps/],
      [[large, link('p/again', 'big')], /unpacks to more than \d+ times its size/],
    ]
    for (const [entries, message] of cases) {
      const { status, answer } = await send(makeZip([...plain, ...entries]))
      assert.equal(status, 422)
      assert.match(answer.message, message)
    }
  })
})
