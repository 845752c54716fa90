/** Promises that start together are awaited together: one that fails while something else is awaited has nobody to hear it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Finding, findStartedPromises } from './started-promises.ts'

const planted = 'test/house/planted-promises.ts'

/** By file and name, with the reason why nobody needs to hear of its failure. */
const exempt: Readonly<Record<string, string>> = {
  'src/executor/executor.ts registering': 'it logs what fails and goes on until it is stopped',
  'src/main.ts askedToEnd': 'it waits for a signal and is never rejected',
  'src/server.ts server.register': 'Fastify awaits a plugin that answers a promise, whatever its type says',
}

const isExempt = ({ file, name }: Finding) => `${file} ${name}` in exempt

test('no promise is started and left alone while something else is awaited', () => {
  const found = findStartedPromises((path) => path.startsWith('src/') || path === planted)
  const lines = readFileSync(join(import.meta.dirname, '..', '..', planted), 'utf8').split('\n')
  const marked = lines.flatMap((line, index) => (line.endsWith('// found') ? [index + 1] : []))
  assert.deepEqual(
    found.filter(({ file }) => file === planted).map(({ line }) => line),
    marked,
    'the search does not find what was planted for it',
  )
  const own = found.filter((finding) => finding.file !== planted && !isExempt(finding))
  assert.deepEqual(
    own.map(({ file, line, name, why }) => `${file}:${line} ${name} ${why}`),
    [],
  )
})
