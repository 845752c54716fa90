/** test/security-promises.md names a test for every bound: each is there, by file and name. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')

test('every bound in test/security-promises.md is held by a test that is there', () => {
  const page = readFileSync(join(root, 'test', 'security-promises.md'), 'utf8')
  const lines = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:\*\*|What a caller)/.test(line))
  assert.ok(lines.length > 30)
  const missing = lines.filter((line) => {
    const [, shown = ''] = /\| (`[^|]+) \|$/.exec(line) ?? []
    return !shown.split(/; (?=`)/).every(isThere)
  })
  assert.deepEqual(missing, [])
})

/** The names of tests are parted like files, by semicolons; one may hold a semicolon of its own. */
function isThere(shown: string): boolean {
  const [, file = '', names = ''] =
    /^`([\w/.-]+\.test\.ts|(?:executor\/programs|web\/flows)\/[\w-]+\.ts)`: (.+)$/.exec(shown) ?? []
  const path = join(root, 'test', file)
  if (!file || !existsSync(path)) return false
  const titles = listNames(readFileSync(path, 'utf8'))
  const isTitle = (name: string) => titles.some((title) => title.includes(name))
  return isTitle(names) || names.split('; ').every(isTitle)
}

/** A program of the executor's suite has a row in a table of its own, by its verdict. */
const listNames = (source: string): string[] =>
  [...source.matchAll(/\b(?:test|it|rule|passes|attempt|eats|eatsMemory|runsOver)\(\s*(['"`])(.*?)\1/gs)].map(
    ([, , title]) => title!.replaceAll("\\'", "'"),
  )
