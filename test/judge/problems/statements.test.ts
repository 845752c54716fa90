/** Statements: Markdown with maths, made into HTML that can do nothing but be read. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type JudgeStage, makeProblem, startJudge } from '../../support/judge.ts'

describe('statements', () => {
  let stage: JudgeStage
  before(async () => {
    stage = await startJudge('sqlite')
  })
  after(() => stage.stop())
  const render = async (Description: string): Promise<string> =>
    (await stage.cast.setter.call('preview_statement', { Description })).HTML

  test('text, tables, code and maths become HTML and MathML', async () => {
    const cases: [text: string, pattern: RegExp][] = [
      ['**two** numbers', /<p><strong>two<\/strong> numbers<\/p>/],
      ['| a | b |\n|---|--:|\n| 1 | 2 |', /<td align="right">2<\/td>/],
      ['```python\na < b\n```', /<pre><code class="language-python">a &lt; b/],
      ['at most $10^5$ of them', /at most <math>.*<msup>.*<\/math> of them/],
      ['$$\n\\sum_{i=1}^n a_i\n$$', /<math display="block">.*<munderover>/s],
      ['a line $$x^2$$ within', /<math display="block">/],
      ['it costs $5 and $6', /it costs \$5 and \$6/],
      ['\\$x\\$ is no maths', /\$x\$ is no maths/],
      ['$\\nonsense{$', /<code>\\nonsense\{<\/code>/],
      ['![a](data:image/png;base64,AAAA)', /<img src="data:image\/png;base64,AAAA" alt="a"/],
      [
        'a[^1] b[^x]\n\n[^1]: *Note* $x$\n\n[^2]: unused',
        /a<sup><a href="#note-1" id="reference-1-1">1<\/a><\/sup> b\[\^x\].*<li id="note-1"><p><em>Note<\/em> <math>.*<a href="#reference-1-1">↩<\/a>/s,
      ],
      ['[a](https://example.org/)', /<a href="https:\/\/example.org\/" rel="nofollow noopener">/],
    ]
    for (const [text, pattern] of cases) assert.match(await render(text), pattern, text)
  })

  test('nothing in it runs, is styled by its author, or comes from elsewhere', async () => {
    const evil = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '[a](javascript:alert(1))',
      '[a](data:text/html,x)',
      '![a](figure.png)',
      '![a](../../../etc/passwd)',
      'a[^1]\n\n[^1]: <script>alert(1)</script> [b](javascript:alert(1))',
      '![a](https://elsewhere.example/a.png)',
      '![a](//elsewhere.example/a.png)',
      '![a](data:image/svg+xml;base64,PHN2Zy8+)',
      '$\\href{javascript:alert(1)}{x}$',
      '$\\text{<img src=x onerror=alert(1)>}$',
      '$\\class{a}{x} \\style{color:red}{x} \\color{red} x$',
      '$\\includegraphics{https://elsewhere.example/a.png}$',
      '``` "><script>alert(1)</script>\nx\n```',
    ]
    for (const text of evil) {
      const html = await render(text)
      // What is escaped is text: only what a browser takes for elements counts.
      const elements = [...html.matchAll(/<[^>]*>/g)].join('')
      assert.doesNotMatch(
        elements,
        /<script|<img|\son\w+=|javascript:|style=|href="(?!https?:|#note-1"|#reference-1-1")/i,
        text,
      )
    }
  })

  test('files of the problem are named as they lie from the statement, and nothing outside the problem is', async () => {
    const { UUID } = await makeProblem(stage.cast.setter)
    const at = (path: string) => `/-/judge/problems/${UUID}/files/${path}`
    const cases: [text: string, address: string | undefined][] = [
      ['![a](figure.png)', at('statement/figure.png')],
      ['![a](./a%20b/c.svg?x#y)', at('statement/a%20b/c.svg')],
      ['[a](attachments/t.py)', at('attachments/t.py')],
      ['[a](../attachments/t.py)', at('attachments/t.py')],
      ['[a](../problem.pdf)', at('problem.pdf')],
      ['![a](../../x.png)', undefined],
      ['![a](/-/judge/x.png)', undefined],
      ['![a](//elsewhere.example/x.png)', undefined],
      ['[a](%2e%2e%2f%2e%2e%2fx)', undefined],
      ['![a](..\\\\x.png)', undefined],
    ]
    for (const [Description, address] of cases) {
      const { HTML } = await stage.cast.setter.call('preview_statement', { Description, UUID })
      assert.equal(/(?:src|href)="([^"]*)"/.exec(HTML)?.[1], address, Description)
    }
  })

  test('a statement that is costly to render is answered, and holds up nobody else', async () => {
    const costly = [
      '$\\frac{'.repeat(14_000),
      `$${'{'.repeat(90_000)}$`,
      '$'.repeat(99_999),
      '> '.repeat(49_000),
      '[a]('.repeat(24_000),
      `${'[^1]'.repeat(24_000)}\n\n[^1]: x`,
      '[^1]: [^1]\n'.repeat(8_000),
    ]
    const problem = await makeProblem(stage.cast.setter, { Description: 'quick' })
    const rendering = Promise.all(costly.map((text) => render(text.slice(0, 100_000))))
    const { HTML } = await stage.cast.contestant.call('get_problem_statement', { UUID: problem.UUID })
    assert.equal(HTML, '<p>quick</p>\n')
    assert.equal((await rendering).length, costly.length)
  })
})
