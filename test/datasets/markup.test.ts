/** xml, rss and html as other people's parsers read them: expat and Python's html.parser; and the rules of feed validators. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServer } from '../support/server.ts'
import { type Json, makeApi } from './api.ts'
import { renderItems, renderTexts } from './slices.ts'

function readByPython(files: { format: string; text: string }[]): Json[] {
  const { stdout, stderr, status } = spawnSync('python3', [join(import.meta.dirname, 'read-markup.py')], {
    input: JSON.stringify(files),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  assert.equal(status, 0, stderr)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const texts = [
  '<script>alert(1)</script>',
  ']]>',
  '<!--',
  '&amp;&#0;&',
  '\u0000\u0008\ufffe',
  'a\r\nb\tc',
  ' edge ',
  '😀ž',
  '"\'',
  '{{x}}',
]
const names = ['a:b', '1', '', '-', 'xmlns', 'xml', 'a b', '<x>', '__proto__', 'ž', '😀', '\u0001', 'a/b', '"']
const hostile = [
  ...texts.map((t) => ({ t, o: { '@': { t }, '#': t } })),
  ...names.map((name) => ({ [name]: { [name]: [name, { '@': { [name]: name } }] } })),
  { '@': { xmlns: 'http://example.com', 'xml:lang': 'x', xmlns_: '' }, a: null },
]
/** What XML can't hold is U+FFFD, there and in html. */
const mend = (text: string) => text.replace(/[\u0000\u0008\ufffe]/g, '\ufffd')

test('expat reads hostile names and texts in xml and rss, html.parser those in html', async () => {
  const files: { format: string; text: string }[] = []
  for (const format of ['xml', 'rss', 'html'])
    files.push({ format, text: (await renderItems(hostile, `format=${format}`)).toString() })
  files.push({ format: 'xml', text: (await renderTexts(['{"\\ud800":"\\udc00","n":1e400}'], 'format=xml')).toString() })
  const [xml, rss, html, lone] = readByPython(files)
  assert.equal(xml.children.length, hostile.length)
  const [channel] = rss.children
  const items = channel.children.filter(({ name }: Json) => name.endsWith('item'))
  assert.equal(items.length, hostile.length)
  for (const list of [xml.children, items])
    for (const [i, text] of texts.entries()) {
      const [t, o] = list[i].children
      assert.deepEqual([t.text, o.text, o.attributes.t], [mend(text), mend(text), mend(text)])
    }
  const column = html[0].indexOf('t')
  for (const [i, text] of texts.entries()) assert.equal(html[i + 1][column], mend(text))
  assert.equal(lone.children[0].children[1].text, '1e400')
})

/** RFC 822, section 5, with the year of RFC 1123. */
const mailDate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})$/
const isAddress = (text: string) => URL.canParse(text) && /^https?:/.test(text)

test('a feed obeys the rules that the W3C feed validator checks', async (t) => {
  const server = await startServer('sqlite')
  t.after(() => server.stop())
  const api = makeApi(server)
  const id = await api.make('news')
  await api.push(id, [
    { title: 'One & <two>', link: 'https://example.com/1', guid: 'one', pubDate: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    {
      description: 'x',
      link: 'https://example.com/2',
      guid: 'https://example.com/2',
      pubDate: new Date(0).toUTCString(),
    },
    { title: 'three', link: 'https://example.com/3', guid: 3, pubDate: 'Fri, 02 Jan 2026 10:00:00 +0100' },
  ])
  const query = `format=rss&feedTitle=A%20%26%20B&feedDescription=%3Cd%3E&token=${api.token}`
  const response = await makeApi(server, null).send('GET', `/datasets/${id}/items?${query}`)
  assert.equal(response.headers.get('content-type'), 'application/rss+xml; charset=utf-8')
  const [rss] = readByPython([{ format: 'rss', text: await response.text() }])
  assert.deepEqual([rss.name, rss.attributes.version, rss.children.length], ['rss', '2.0', 1])
  const [channel] = rss.children
  const only = (parent: Json, name: string): Json => {
    const found = parent.children.filter((child: Json) => child.name === name)
    assert.equal(found.length, 1, name)
    return found[0]
  }
  assert.equal(only(channel, 'title').text, 'A & B')
  assert.equal(only(channel, 'description').text, '<d>')
  assert.ok(isAddress(only(channel, 'link').text))
  const self = only(channel, 'http://www.w3.org/2005/Atom link').attributes
  assert.deepEqual([self.rel, self.type], ['self', 'application/rss+xml'])
  const address = new URL(self.href)
  assert.equal(address.origin + address.pathname, `${server.url}/v2/datasets/${id}/items`)
  assert.deepEqual(Object.fromEntries(address.searchParams), {
    format: 'rss',
    feedTitle: 'A & B',
    feedDescription: '<d>',
  })
  const items = channel.children.filter(({ name }: Json) => name === 'item')
  assert.equal(items.length, 3)
  for (const item of items) {
    assert.ok(item.children.every(({ name }: Json) => /^(title|description|link|guid|pubDate)$/.test(name)))
    assert.match(only(item, 'pubDate').text, mailDate)
    assert.ok(isAddress(only(item, 'link').text))
    const { text, attributes } = only(item, 'guid')
    assert.ok(attributes.isPermaLink === 'false' || isAddress(text), text)
  }
})
