/** Exports for tests: started, awaited, downloaded, and unpacked by the system's own tar. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'

export async function awaitExport(client: RestClient, id: number): Promise<Json> {
  let migration: Json
  await until(async () => {
    migration = (await client.get(`/user/migrations/${id}`)).body
    return migration.state === 'exported' || migration.state === 'failed'
  }, 20)
  return migration
}

export async function exportAll(client: RestClient, draft: object): Promise<Json> {
  const { status, body } = await client.post('/user/migrations', draft)
  assert.equal(status, 201, JSON.stringify(body))
  const migration = await awaitExport(client, body.id)
  assert.equal(migration.state, 'exported', migration.failure_reason)
  return migration
}

export async function download(client: RestClient, id: number): Promise<Buffer> {
  const { status, headers } = await client.get(`/user/migrations/${id}/archive`)
  assert.equal(status, 302)
  const response = await fetch(headers.get('location')!)
  assert.equal(response.status, 200)
  return Buffer.from(await response.arrayBuffer())
}

export type Unpacked = {
  readonly folder: string
  /** The paths of all files, in order. */
  readonly files: readonly string[]
  /** All records of a type, from `TYPE_000001.json` on. */
  records(plural: string): Promise<Json[]>
  json(name: string): Promise<Json>
  drop(): Promise<void>
}

export async function unpack(archive: Buffer): Promise<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-archive-'))
  await writeFile(join(folder, 'archive.tar.gz'), archive)
  const root = join(folder, 'root')
  const { status, stderr } = spawnSync('sh', [
    '-c',
    `mkdir "$0" && tar xzf "$1" -C "$0"`,
    root,
    `${root}/../archive.tar.gz`,
  ])
  assert.equal(status, 0, String(stderr))
  const files = globSync('**', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
  const json = async (name: string) => JSON.parse(await readFile(join(root, name), 'utf8'))
  return {
    folder: root,
    files,
    json,
    async records(plural) {
      const names = files.filter((name) => new RegExp(`^${plural}_\\d{6}\\.json$`).test(name))
      return (await Promise.all(names.map(json))).flat()
    },
    drop: () => rm(folder, { recursive: true, force: true }),
  }
}

/** What is wrong with an archive: digests, addresses that lead nowhere, repositories that git finds fault with. */
export async function findFaults(archive: Unpacked, origin: string): Promise<string[]> {
  return [...(await findWrongDigests(archive)), ...(await findOpenAddresses(archive, origin)), ...findBadGit(archive)]
}

async function findWrongDigests({ folder, files, json }: Unpacked): Promise<string[]> {
  const manifest = await json('manifest.json')
  const listed = new Map(manifest.files.map((file: Json) => [file.path, file]))
  const wrong = [...listed.keys()].filter((path) => !files.includes(String(path))).map((path) => `${path} is missing`)
  for (const path of files.filter((name) => name !== 'manifest.json')) {
    const bytes = await readFile(join(folder, path))
    const { sha256, bytes: size } = (listed.get(path) ?? {}) as Json
    const isRight = size === bytes.length && sha256 === createHash('sha256').update(bytes).digest('hex')
    if (!isRight) wrong.push(`${path} is not as listed`)
  }
  return wrong
}

/** Members whose text is a person's own. */
const texts = new Set([
  'body',
  'title',
  'description',
  'website',
  'bio',
  'name',
  'company',
  'location',
  'message',
  'diff_hunk',
])

async function findOpenAddresses({ files, json }: Unpacked, origin: string): Promise<string[]> {
  const known = new Set<string>()
  const used = new Map<string, string>()
  const walk = (value: Json, place: string, isRecord: boolean): void => {
    if (Array.isArray(value)) {
      for (const one of value) walk(one, place, isRecord)
      return
    }
    if (value === null || typeof value !== 'object') {
      const isAddress = typeof value === 'string' && (value.startsWith(origin) || value.startsWith('tarball://'))
      if (isAddress) used.set(value, place)
      return
    }
    for (const [member, inner] of Object.entries(value)) {
      if (member === 'url' && typeof inner === 'string') {
        if (known.has(inner) && isRecord && 'type' in value) used.set(`twice: ${inner}`, place)
        known.add(inner)
      } else if (!texts.has(member)) walk(inner, `${place} ${member}`, false)
    }
  }
  for (const name of files.filter((one) => /^\w+_\d{6}\.json$/.test(one))) walk(await json(name), name, true)
  const isThere = (address: string) => {
    if (!address.startsWith('tarball://root/')) return known.has(address)
    const path = decodeURIComponent(address.slice('tarball://root/'.length))
    return files.some((file) => file === path || file.startsWith(`${path}/`))
  }
  return [...used].filter(([address]) => !isThere(address)).map(([address, place]) => `${place}: ${address}`)
}

function findBadGit({ folder, files }: Unpacked): string[] {
  const repositories = files.filter((name) => /^repositories\/[^/]+\/[^/]+\.git\/HEAD$/.test(name))
  return repositories.flatMap((head) => {
    const bare = join(folder, head, '..')
    const clone = join(folder, '..', `clone-${head.replaceAll('/', '-')}`)
    const words = [
      ['--git-dir', bare, 'fsck', '--full', '--strict'],
      ['clone', '--quiet', bare, clone],
    ]
    return words.flatMap((args) => {
      const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' })
      const complaint = `${stdout}${stderr}`
        .replace(/^(?:dangling .*|warning: You appear to have cloned an empty .*|notice: .*)$/gm, '')
        .trim()
      return status === 0 && complaint === '' ? [] : [`${head}: git ${args.at(-1)}: ${complaint}`]
    })
  })
}
