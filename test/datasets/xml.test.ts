/** xml, rss and html: the rules of the contract, and that a strict parser reads whatever the items hold. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { writeRssItem } from '../../src/datasets/formats/rss.ts'
import { renderSlice } from '../../src/datasets/formats/slice.ts'
import { writeElement } from '../../src/datasets/formats/xml.ts'
import { JsonTree } from '../../src/datasets/items/json-tree.ts'
import { scanItems } from '../../src/datasets/items/scan.ts'
import { eachText, sliceStart } from '../../src/datasets/query/records.ts'
import { XmlWriter } from '../../src/datasets/xml/xml-writer.ts'
import { queryOf, renderItems, renderTexts } from './slices.ts'

type Element = { name: string; attributes: Record<string, string>; children: Element[]; text: string }

/** A tree by a parser that is strict about XML and about namespaces. */
function parse(text: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value])
    const element = { name, attributes: Object.fromEntries(values), children: [], text: '' }
    open.at(-1)!.children.push(element)
    open.push(element)
  })
  parser.on('text', (slice) => {
    open.at(-1)!.text += slice
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(text).close()
  return root.children[0]!
}

const xml = async (items: readonly object[], query = '') => (await renderItems(items, `format=xml&${query}`)).toString()

/** What stands inside the only item. */
async function inner(item: object): Promise<string> {
  const [, text] = /^<\?xml[^>]*\?>\n<items>\n([\s\S]*)\n<\/items>\n$/.exec(await xml([item]))!
  parse(await xml([item]))
  return text!
}

test('the five rules and their edges', async () => {
  const cases: [object, string][] = [
    [{ a: 1, b: 'x' }, '<item><a>1</a><b>x</b></item>'],
    [{ a: [1, 2] }, '<item><a>1</a><a>2</a></item>'],
    [{ a: null }, '<item><a/></item>'],
    [{ a: [] }, '<item/>'],
    [{ a: {} }, '<item><a/></item>'],
    [{ a: { '@': { id: 1, on: true }, '#': 'text' } }, '<item><a id="1" on="true">text</a></item>'],
    [{ '@': { id: '<"\n' }, a: 1 }, '<item id="&lt;&quot;&#10;"><a>1</a></item>'],
    [{ '#': 'text' }, '<item>text</item>'],
    [{ '#': 'text', a: 1 }, '<item><a>1</a></item>'],
    [{ '#': 'text', a: [] }, '<item>text</item>'],
    [{ '@': 5 }, '<item><_>5</_></item>'],
    [{ '@': { a: { b: 1 }, c: null } }, '<item a="{&quot;b&quot;:1}" c=""/>'],
    [{ a: [[1, 2], 3] }, '<item><a><a>1</a><a>2</a></a><a>3</a></item>'],
    [
      { 'a b': 1, '1': 2, 'x:y': 3, '': 4, '-z': 5 },
      '<item><_1>2</_1><a_b>1</a_b><x_y>3</x_y><_>4</_><_-z>5</_-z></item>',
    ],
    [{ a: '<&>\r]]>' }, '<item><a>&lt;&amp;&gt;&#13;]]&gt;</a></item>'],
    [{ a: '\u0000\u000b\ufffe\ud800' }, '<item><a>\ufffd\ufffd\ufffd\ufffd</a></item>'],
    [{ '@': { 'a b': 1, a_b: 2 } }, '<item a_b="1" a_b_="2"/>'],
    [
      { '@': { xmlns: 'http://www.w3.org/2000/xmlns/', 'xmlns:q': 'u' } },
      '<item xmlns_="http://www.w3.org/2000/xmlns/" xmlns_q="u"/>',
    ],
    // Parsers that know namespaces refuse these.
    [{ '@': { xmlns: 'a b' } }, '<item xmlns_="a b"/>'],
    [{ '@': { xmlns: 'u}v' } }, '<item xmlns_="u}v"/>'],
    [{ '@': { xmlns: 'urn:müller' } }, '<item xmlns="urn:müller"/>'],
  ]
  for (const [item, expected] of cases) assert.equal(await inner(item), expected, JSON.stringify(item))
})

test('root and row take other names', async () => {
  assert.equal(
    await xml([{ a: 1 }], 'xmlRoot=all&xmlRow=one'),
    '<?xml version="1.0" encoding="UTF-8"?>\n<all>\n<one><a>1</a></one>\n</all>\n',
  )
  assert.equal(parse(await xml([{}], 'xmlRoot=a:b')).name, 'a_b')
  assert.equal(parse(await xml([], 'bom=1')).children.length, 0)
})

test('numbers keep their digits', async () => {
  const text = (await renderTexts(['{"a":12345678901234567890,"b":-0,"c":1e400}'], 'format=xml')).toString()
  assert.ok(text.includes('<item><a>12345678901234567890</a><b>-0</b><c>1e400</c></item>'))
})

const anyText = fc.string({ unit: 'binary', maxLength: 8 })
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyText,
    fc.constant(null),
    fc.integer(),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(anyText, fc.constantFrom('@', '#', 'xmlns', 'a:b', '__proto__')), tie('tree'), {
      maxKeys: 4,
    }),
  ),
}))
const anyItem = fc.dictionary(fc.oneof(anyText, fc.constantFrom('@', '#', 'guid', 'title')), tree, { maxKeys: 4 })

test('whatever the items hold, a strict parser reads xml and rss', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyItem, { maxLength: 4 }), async (items) => {
      assert.equal(parse(await xml(items)).children.length, items.length)
      const feed = parse((await renderItems(items, 'format=rss')).toString())
      assert.equal(feed.children[0]!.children.filter(({ name }) => name === 'item').length, items.length)
    }),
    { numRuns: 300 },
  )
})

test('text and attributes come back as they were', async () => {
  const legal = fc.string({ unit: fc.constantFrom('a', '<', '&', '"', '\n', '\r', '\t', ' ', ']', '>', 'ž', '😀') })
  await fc.assert(
    fc.asyncProperty(legal, legal, async (text, attribute) => {
      const [item] = parse(await xml([{ a: { '@': { id: attribute }, '#': text } }])).children
      assert.equal(item!.children[0]!.text, text)
      assert.equal(item!.children[0]!.attributes.id, attribute)
    }),
  )
})

test('a feed is RSS 2.0 with its own address, and a guid that is no address says so', async () => {
  const items = [
    { title: 'One', link: 'https://example.com/1', guid: 'one', pubDate: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    { title: 'Two', guid: 'https://example.com/2', description: 'a <b>' },
    { guid: { '@': { isPermaLink: 'true' }, '#': 'x' } },
  ]
  const rss = parse((await renderItems(items, 'format=rss')).toString())
  assert.deepEqual([rss.name, rss.attributes.version], ['rss', '2.0'])
  const [channel] = rss.children
  assert.deepEqual(
    channel!.children.slice(0, 4).map(({ name }) => name),
    ['title', 'link', 'description', 'atom:link'],
  )
  assert.equal(channel!.children[3]!.attributes.rel, 'self')
  const guids = channel!.children.slice(4).map((item) => item.children.find(({ name }) => name === 'guid')!)
  assert.deepEqual(
    guids.map(({ attributes }) => attributes.isPermaLink),
    ['false', undefined, 'true'],
  )
  assert.deepEqual(
    guids.map(({ text }) => text),
    ['one', 'https://example.com/2', 'x'],
  )
})

test('html escapes everything', async () => {
  const text = (await renderItems([{ '<b>': '<script>alert(1)</script>', c: '"&\u0000' }], 'format=html')).toString()
  assert.ok(text.includes('<th>&lt;b&gt;</th><th>c</th>'))
  assert.ok(text.includes('<td>&lt;script&gt;alert(1)&lt;/script&gt;</td><td>"&amp;\ufffd</td>'))
  assert.ok(!text.includes('<script'))
  assert.ok((await renderItems([], 'format=html')).toString().includes('<tbody>\n</tbody>'))
})

test('an item is the same XML from its bytes and from its parsed text', () => {
  const key = fc.constantFrom('a', 'b', 'guid', '@', '#', 'x y', 'ž', '1', 'a:b', '', '\\', '"', '__proto__')
  const odd = fc.constantFrom('<&>', 'a\nb', '\r', '\u0001', '\ufffe', '😀', '"q"', '/', '\t', '')
  const leaf = fc.oneof(odd, fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }))
  const parsed = (lines: Buffer, write: (out: XmlWriter, item: JsonTree) => void) => {
    const out = new XmlWriter(lines.length)
    for (const text of eachText(lines)) {
      write(out, new JsonTree(text))
      out.add('\n')
    }
    return out.take().toString()
  }
  const check = (json: string) => {
    const lines = () => scanItems(Buffer.from(json)).lines
    const made = (format: string) =>
      renderSlice(
        lines(),
        { query: queryOf(`format=${format}`), columns: [], sheet: null, columnar: null },
        sliceStart,
      ).made.toString()
    assert.equal(
      made('xml'),
      parsed(lines(), (out, item) => writeElement(out, 'item', item, 0)),
    )
    assert.equal(made('rss'), parsed(lines(), writeRssItem))
  }
  check('[{"a":1,"a":2},{"a":{"a":1},"a":3},{"a":[[],[[]],[1,[2]]]},{},{"b":[]},{"a":{"guid":"x"}},{"guid":"x"}]')
  fc.assert(
    fc.property(fc.array(fc.dictionary(key, value, { maxKeys: 5 }), { minLength: 1, maxLength: 6 }), (items) =>
      check(JSON.stringify(items)),
    ),
    { numRuns: 300 },
  )
})
