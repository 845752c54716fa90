/** The documents say what the code does: where they can be held to it, they are. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultQuotas } from '../../src/accounts/quotas.ts'
import { defaultFileLimits } from '../../src/forge/files/file-limits.ts'
import { defaultGitLimits } from '../../src/forge/git/process/git-limits.ts'
import { defaultWebhookLimits } from '../../src/forge/webhooks/webhook-limits.ts'
import { settingList } from '../../src/settings.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('docs/settings.md has a row for every setting, with its default and its sentence, and none besides', () => {
  const rows = [...read('docs/settings.md').matchAll(/^\| `([A-Z0-9_]+)` \| (.*?) \| (.*?) \|$/gm)].map(
    ([, name, shown, sentence]) => `${name} | ${shown} | ${sentence}`,
  )
  const expected = Object.values(settingList).map(({ name, shown, sentence }) => `${name} | ${shown} | ${sentence}`)
  assert.deepEqual(rows.sort(), expected.sort())
})

test('every dependency has its reason in docs/architecture.md', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  const page = read('docs/architecture.md')
  const silent = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !name.startsWith('@types/') && !page.includes(`\`${name}\``),
  )
  assert.deepEqual(silent, [])
})

test('every dependency is pinned exactly', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(String(version)),
  )
  assert.deepEqual(loose, [])
})

test('docs/operating.md has a row for every quota, with its default', () => {
  const rows = [...read('docs/operating.md').matchAll(/^\| (\w+) \| (\d+) \| /gm)]
  assert.deepEqual(
    rows.map(([, name, figure]) => [name, figure]),
    Object.entries(defaultQuotas).map(([name, figure]) => [name, String(figure)]),
  )
})

test('docs/forge.md has a row for every bound of git, with its default', () => {
  const rows = [...read('docs/forge.md').matchAll(/^\| (\w+) \| (\d+) \| /gm)].map(([, name, figure]) => [name, figure])
  assert.deepEqual(
    rows.filter(([name]) => name! in defaultGitLimits),
    Object.entries(defaultGitLimits).map(([name, figure]) => [name, String(figure)]),
  )
})

test('docs/forge.md has a row for every bound of webhooks, with its default', () => {
  const rows = [...read('docs/forge.md').matchAll(/^\| (\w+) \| (\d+) \| /gm)].map(([, name, figure]) => [name, figure])
  assert.deepEqual(
    rows.filter(([name]) => name! in defaultWebhookLimits),
    Object.entries(defaultWebhookLimits).map(([name, figure]) => [name, String(figure)]),
  )
})

test('docs/forge.md has a row for every limit of files, with its default', () => {
  const rows = [...read('docs/forge.md').matchAll(/^\| (\w+) \| (\d+) \| /gm)].map(([, name, figure]) => [name, figure])
  assert.deepEqual(
    rows.filter(([name]) => name! in defaultFileLimits),
    Object.entries(defaultFileLimits).map(([name, figure]) => [name, String(figure)]),
  )
})
