/** docs/operating.md is pasted by people who trust it: every setting, command, option and figure it names exists. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import type { Command } from '../../src/commands/command-line/command.ts'
import { runCommandLine } from '../../src/commands/command-line/command-line.ts'
import { listUnknownNames, readSettings } from '../../src/settings.ts'
import { root } from '../support/program.ts'
import { startServer } from '../support/server.ts'

const page = readFileSync(join(root, 'docs', 'operating.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text: text! }))
const blocksIn = (language: string) => blocks.filter((block) => block.language === language).map(({ text }) => text)

test('every setting it names exists, and its settings can be read', () => {
  const names = page.match(/\b(?:GUILDHALL|DATABASE)_[A-Z_]*[A-Z]\b/g)!
  assert.deepEqual(listUnknownNames(Object.fromEntries(names.map((name) => [name, '']))), [])
  const files = blocksIn('sh').filter((text) => /^[A-Z_]+=\S+$/m.test(text) && !/^[a-z]/m.test(text))
  assert.equal(files.length, 2)
  for (const file of files) {
    readSettings(
      Object.fromEntries(
        file
          .trim()
          .split('\n')
          .map((line) => line.split(/=(.*)/s).slice(0, 2)),
      ),
    )
  }
})

test('every shell block is one, and every command in it is understood', async () => {
  for (const text of blocksIn('sh')) {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' })
    assert.equal(status, 0, `${stderr}${text}`)
  }
  const shown = blocks
    .filter(({ language }) => language === 'sh' || language === 'ini')
    .flatMap(({ text }) => text.split('\n'))
  const lines = [...shown, ...[...page.matchAll(/`(guildhall [^`]+)`/g)].map(([, line]) => line!)]
  const called = lines.flatMap(
    (line) => /(?:(?:^|-- |'|bin\/)guildhall |src\/cli\.ts )([a-z][^']*)'?$/.exec(line)?.[1] ?? [],
  )
  assert.ok(called.length > 12, String(called))
  const commands = await listCommands()
  for (const words of called) {
    let err = ''
    const terminal = { out: () => {}, err: (text: string) => (err += text) }
    assert.equal(
      await runCommandLine(
        commands,
        words
          .replace(/\$\([^)]*\)/g, 'now')
          .trim()
          .split(/\s+/),
        {},
        terminal,
      ),
      0,
      `${words}: ${err}`,
    )
  }
})

/** All commands, which do nothing. */
async function listCommands(): Promise<Command[]> {
  const files = globSync('{*,problem/*}.ts', { cwd: join(root, 'src', 'commands') })
  const modules = await Promise.all(files.map((file) => import(join(root, 'src', 'commands', file))))
  return modules
    .flatMap((module) => Object.values(module) as Command[])
    .filter((value) => typeof value === 'object' && 'summary' in value)
    .map((command) => ({ ...command, run: async () => 0 }))
}

/** Of Prometheus itself and of exporters beside the server. */
const otherFigures = ['up', 'probe_success', 'node_filesystem_avail_bytes', 'node_filesystem_size_bytes']

test('every figure in an alert is one that the server tells, with the labels it is asked by', async (t) => {
  const server = await startServer('sqlite')
  t.after(() => server.stop())
  await fetch(`${server.url}/user`)
  const figures = await (await fetch(`${server.url}/metrics`)).text()
  const [rules] = blocksIn('yaml').map((text) => parse(text).groups[0].rules as { alert: string; expr: string }[])
  assert.ok(rules!.length > 5)
  for (const { alert, expr } of rules!) {
    const bare = expr.replace(/\bby \([^)]*\)|\[[^\]]*\]/g, '')
    const asked = [...bare.matchAll(/\b([a-z]\w*)(?:\{([^}]*)\})?(?!\w*\s*\()/g)].filter(([, name]) => name !== 'or')
    for (const [, name, labels = ''] of asked) {
      if (otherFigures.includes(name!)) continue
      const line = figures.split('\n').find((one) => one.startsWith(`${name}{`) || one.startsWith(`${name} `))
      assert.ok(line, `${alert}: ${name}`)
      for (const [, label] of labels.matchAll(/(\w+)[!=]/g)) {
        assert.ok(label === 'job' || line.includes(`${label}="`), `${alert}: ${name} has no ${label}`)
      }
    }
  }
  assert.deepEqual(Object.keys((await (await fetch(`${server.url}/readyz`)).json()) as object).slice(1), [
    'database',
    'dataFolder',
    'executor',
  ])
})
