/** The law of the house: which room may import which. A breach is named by file and import. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, '..', '..', 'src')

/** Each room and the rooms it may import, besides itself. Packages are held to the second table. */
const law: Record<string, readonly string[]> = {
  base: [],
  store: ['base'],
  accounts: ['base', 'store'],
  jobs: ['base', 'store'],
  judge: ['base', 'store', 'accounts', 'jobs'],
  forge: ['base', 'store', 'accounts', 'jobs'],
  datasets: ['base', 'store', 'accounts', 'jobs'],
  executor: ['base'],
  wires: ['base', 'accounts'],
  'wires/judge-rpc': ['base', 'accounts', 'judge', 'wires'],
  'wires/forge-rest': ['base', 'accounts', 'forge', 'wires'],
  'wires/forge-git': ['base', 'accounts', 'forge', 'wires'],
  'wires/dataset-api': ['base', 'accounts', 'datasets', 'wires'],
  'wires/web': ['base', 'accounts', 'wires'],
}

/** Packages that only these rooms may import. */
const packages: Record<string, readonly string[]> = {
  fastify: ['wires', 'wires/judge-rpc', 'wires/forge-rest', 'wires/forge-git', 'wires/dataset-api', 'wires/web', 'top'],
  kysely: ['store', 'accounts', 'jobs', 'judge', 'forge', 'datasets'],
  pg: ['store'],
  'node:sqlite': ['store', 'top'],
}

type Import = { readonly from: string; readonly target: string }

const files = globSync('**/*.ts', { cwd: src }).sort()
const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(src, from), 'utf8')
  return [
    ...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"]*?['"]([^'"\n]+)['"]|\bimport\(['"]([^'"\n]+)['"]\)/g),
  ].map((found) => ({ from, target: found[1] ?? found[2]! }))
})

function roomOf(path: string): string {
  const parts = dirname(path).split('/')
  if (parts[0] === '.' || parts[0] === 'commands') return 'top'
  if (parts[0] === 'wires') return parts.length > 1 ? `wires/${parts[1]}` : 'wires'
  return parts[0]!
}

type Arrow = readonly [from: string, to: string]

const resolveImport = ({ from, target }: Import) => relative(src, join(src, dirname(from), target))

const ownImports = imports
  .filter(({ target }) => target.startsWith('.'))
  .map((one): Arrow => [one.from, resolveImport(one)])

test('every room imports only what the law allows', () => {
  const breaches = imports
    .filter(({ from, target }) => target.startsWith('.') && roomOf(from) !== 'top')
    .filter((one) => {
      const [here, there] = [roomOf(one.from), roomOf(resolveImport(one))]
      return here !== there && !law[here]?.includes(there)
    })
    .map((one) => `${one.from} imports ${resolveImport(one)}`)
  assert.deepEqual(breaches, [])
})

test('every room is known to the law', () => {
  const unknown = files.map(roomOf).filter((room) => room !== 'top' && !(room in law))
  assert.deepEqual([...new Set(unknown)], [])
})

test('Fastify stays on the wires, SQL in the rooms, drivers in the store', () => {
  const breaches = imports
    .filter(({ from, target }) => packages[target] && !packages[target].includes(roomOf(from)))
    .map(({ from, target }) => `${from} imports ${target}`)
  assert.deepEqual(breaches, [])
})

test('the command line loads neither SQL nor schemas nor the server before a command asks for them', () => {
  const loaded = new Set<string>()
  const load = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    const text = readFileSync(join(src, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/^(?:import|export)\b(?! type)[^'"]*?from ['"]([^'"\n]+)['"]/gm))
      if (target.startsWith('.')) load(resolveImport({ from: file, target }))
      else loaded.add(target)
  }
  load('cli.ts')
  assert.ok(loaded.has('commands/doctor.ts'))
  assert.deepEqual(
    ['kysely', 'typebox', 'fastify', 'pg'].filter((name) => loaded.has(name)),
    [],
  )
})

test('there is no circle of imports', () => {
  assert.equal(findCircle(ownImports), undefined)
})

test('inside the judge and the executor, folders have arrows one way only', () => {
  const folderOf = (path: string) => (path.split('/').length > 2 ? path.split('/').slice(0, 2).join('/') : path)
  const arrows = ownImports
    .filter(([from]) => /^(?:judge|executor)\//.test(from))
    .map(([from, to]): Arrow => [folderOf(from), folderOf(to)])
    .filter(([from, to]) => from !== to)
  assert.equal(findCircle(arrows), undefined)
})

function findCircle(arrows: readonly Arrow[]): string | undefined {
  const graph = Map.groupBy(arrows, ([from]) => from)
  const done = new Set<string>()
  const walk = (node: string, path: readonly string[]): string | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(' → ')
    if (done.has(node)) return undefined
    for (const [, next] of graph.get(node) ?? []) {
      const circle = walk(next, [...path, node])
      if (circle) return circle
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const circle = walk(node, [])
    if (circle) return circle
  }
  return undefined
}
