/** The documents say what the code does: where they can be held to it, they are. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import MarkdownIt from 'markdown-it'
import { renderDocuments } from '../../scripts/documents.ts'
import { defaultQuotas } from '../../src/accounts/quotas.ts'
import { defaultFileLimits } from '../../src/forge/files/file-limits.ts'
import { defaultGitLimits } from '../../src/forge/git/process/git-limits.ts'
import { defaultSourceLimits } from '../../src/forge/sources/source-limits.ts'
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

test('docs/moving.md has a row for every limit of imports and mirrors, with its default', () => {
  const rows = [...read('docs/moving.md').matchAll(/^\| (\w+) \| (\d+) \| /gm)]
  assert.deepEqual(
    rows.map(([, name, figure]) => [name, figure]),
    Object.entries(defaultSourceLimits).map(([name, figure]) => [name, String(figure)]),
  )
})

/** In bytes: people read these from beginning to end. */
const sizes = {
  'SECURITY.md': 6_000,
  'docs/architecture.md': 10_000,
  'docs/executor.md': 14_000,
  'docs/forge.md': 20_000,
  'docs/sandbox.md': 16_000,
}

test('documents that people read whole are short', () => {
  const long = Object.entries(sizes).filter(([path, most]) => Buffer.byteLength(read(path)) > most)
  assert.deepEqual(long, [])
})

const markdown = new MarkdownIt()

test('no paragraph of a document has over 600 characters, and no cell of a table over 300', () => {
  const long = globSync('docs/**/*.md', { cwd: root }).flatMap((path) => {
    const tokens = markdown.parse(read(path), {})
    return tokens.flatMap(({ type, content }, at) => {
      const most = /^t[dh]_open$/.test(tokens[at - 1]?.type ?? '') ? 300 : 600
      return type === 'inline' && content.length > most ? [`${path}: ${content.length}: ${content.slice(0, 60)}`] : []
    })
  })
  assert.deepEqual(long, [])
})

const listHeadings = (path: string) =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'))

const listLinks = (path: string): string[] =>
  markdown
    .parse(read(path), {})
    .flatMap(({ children }) => (children ?? []).map((child) => decodeURI(String(child.attrGet('href') ?? ''))))
    .filter((href) => href !== '' && !/^https?:/.test(href))

test('every link between documents leads to a file, and to one of its headings', () => {
  const broken = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).flatMap((path) =>
    listLinks(path).filter((href) => {
      const [file = '', heading] = href.split('#')
      const target = file ? join(dirname(path), file) : path
      return !existsSync(join(root, target)) || (heading && !listHeadings(target).includes(heading))
    }),
  )
  assert.deepEqual(broken, [])
})

test('the page shows documents whose links lead to the page', async () => {
  const files = await renderDocuments(join(root, 'docs'))
  const names = files.map(({ name }) => name)
  const broken = files.flatMap(({ name, body }) =>
    [...String(JSON.parse(body).html ?? '').matchAll(/href="(?!https?:|#)([^"]*)"/g)].flatMap(([, href]) => {
      const [, document] = /^\/-\/docs\/([\w-]+)(?:#.*)?$/.exec(href!) ?? []
      return names.includes(document ?? '') ? [] : [`${name}: ${href}`]
    }),
  )
  assert.deepEqual(broken, [])
})
