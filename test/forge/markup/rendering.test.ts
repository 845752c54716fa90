/** Rendered Markdown: what it looks like, that nothing of it runs, and the specification's own examples as a judge. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tests as examples } from 'commonmark-spec'
import { renderHtml, renderText } from '../../../src/forge/markup/rendering.ts'
import { sanitize } from '../../../src/forge/markup/sanitizing.ts'

const context = { origin: 'https://g.example', repository: 'ann/tool', breaks: true }
const html = (text: string) => renderHtml(text, context).trim()

const alert = (kind: string, title: string, words: string) =>
  `<div class="markdown-alert markdown-alert-${kind}">\n<p class="markdown-alert-title">${title}</p>\n${words}</div>`

describe('rendered Markdown', () => {
  const link = (className: string, path: string, words: string) =>
    `<a class="${className}" href="https://g.example/${path}" rel="nofollow noopener">${words}</a>`
  const cases: readonly (readonly [name: string, text: string, expected: string])[] = [
    ['mentions', 'Hi @bob', `<p>Hi ${link('user-mention', 'bob', '@bob')}</p>`],
    ['mentions of teams', '@acme/crew', `<p>${link('team-mention', 'orgs/acme/teams/crew', '@acme/crew')}</p>`],
    ['references', '#3', `<p>${link('issue-link', 'ann/tool/issues/3', '#3')}</p>`],
    ['references elsewhere', 'bob/x#4', `<p>${link('issue-link', 'bob/x/issues/4', 'bob/x#4')}</p>`],
    ['commits', '0a1b2c3', `<p>${link('commit-link', 'ann/tool/commit/0a1b2c3', '0a1b2c3')}</p>`],
    ['nothing in code', '`@bob #3`', '<p><code>@bob #3</code></p>'],
    [
      'nothing in links',
      '[@bob](http://x.example)',
      '<p><a href="http://x.example" rel="nofollow noopener">@bob</a></p>',
    ],
    [
      'nothing in links of HTML',
      '<a href="http://x.example">@bob</a>',
      '<p><a href="http://x.example" rel="nofollow noopener">@bob</a></p>',
    ],
    [
      'nothing in code of HTML, and all beside it',
      '<code>@bob #3</code> #3',
      `<p><code>@bob #3</code> ${link('issue-link', 'ann/tool/issues/3', '#3')}</p>`,
    ],
    ['line breaks', 'a\nb', '<p>a<br />\nb</p>'],
    ['strikethrough', '~~a~~', '<p><s>a</s></p>'],
    [
      'addresses',
      'http://x.example/y',
      '<p><a href="http://x.example/y" rel="nofollow noopener">http://x.example/y</a></p>',
    ],
    ['code with its language', '```js\na < b\n```', '<pre><code class="language-js">a &lt; b\n</code></pre>'],
    [
      'task lists',
      '- [ ] a\n- [x] b',
      '<ul class="contains-task-list">\n<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" data-line="0" disabled /> a</li>\n<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" data-line="1" disabled checked /> b</li>\n</ul>',
    ],
    ['an alert', '> [!NOTE]\n> Mind **this**', alert('note', 'Note', '<p>Mind <strong>this</strong></p>\n')],
    ['an alert by any case', '> [!Caution]  \n> a', alert('caution', 'Caution', '<p>a</p>\n')],
    ['an alert whose words stand apart', '> [!TIP]\n>\n> a', alert('tip', 'Tip', '<p>a</p>\n')],
    ['no alert behind other words', '> [!NOTE] a', '<blockquote>\n<p>[!NOTE] a</p>\n</blockquote>'],
    ['no alert of another kind', '> [!BUG]\n> a', '<blockquote>\n<p>[!BUG]<br />\na</p>\n</blockquote>'],
    [
      'no alert in an alert',
      '> [!IMPORTANT]\n> > [!WARNING]\n> > a',
      alert('important', 'Important', '<blockquote>\n<p>[!WARNING]<br />\na</p>\n</blockquote>\n'),
    ],
    ['emoji', ':rocket: :+1:x', '<p>🚀 👍x</p>'],
    ['emoji beside unknown names', 'a:b:tada: :none: 12:30:45', '<p>a:b🎉 :none: 12:30:45</p>'],
    ['no emoji in code', '`:tada:` \\:tada:', '<p><code>:tada:</code> :tada:</p>'],
    [
      'no emoji in addresses',
      'http://x.example/:tada:',
      '<p><a href="http://x.example/:tada:" rel="nofollow noopener">http://x.example/:tada:</a></p>',
    ],
    ['no footnote without its text', 'a[^1]', '<p>a[^1]</p>'],
    ['no footnote that nothing refers to', 'a\n\n[^1]: b', '<p>a</p>'],
    [
      'tables',
      '|a|\n|:-:|\n|b|',
      '<table>\n<thead>\n<tr>\n<th align="center">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="center">b</td>\n</tr>\n</tbody>\n</table>',
    ],
    [
      'details',
      '<details open><summary>More</summary>\n\n**a**\n\n</details>',
      '<details open><summary>More</summary>\n<p><strong>a</strong></p>\n</details>',
    ],
  ]
  for (const [name, text, expected] of cases)
    test(name, () => {
      assert.equal(html(text), expected)
    })

  test('links only names that somebody has, where it is told them', () => {
    const shown = renderHtml('@bob @param', { ...context, logins: new Set(['bob']) })
    assert.match(shown, /@bob<\/a> @param/)
  })

  test('footnotes are numbered as they are referred to, stand at the end, and lead there and back', () => {
    const shown = html('a[^note] b[^1] c[^note]\n\n[^1]: One\n\n    *more*\n[^note]: Two[^1]\n[^note]: Never')
    const [suffix] = /-[0-9a-f]{10}/.exec(shown)!
    const short = shown
      .replaceAll(suffix, '')
      .replaceAll(' rel="nofollow noopener"', '')
      .replaceAll('user-content-', '')
    const to = (number: number, own: string) =>
      `<sup><a href="#fn-${number}" class="footnote-reference" id="fnref-${number}${own}">${number}</a></sup>`
    const back = (id: string) => ` <a href="#fnref-${id}" aria-label="Back to reference ${id}">↩</a>`
    assert.equal(
      short,
      `<p>a${to(1, '')} b${to(2, '')} c${to(1, '-2')}</p>\n<section class="footnotes">\n<ol>\n<li id="fn-1">\n<p>Two${to(2, '-2')}${back('1')}${back('1-2')}</p>\n</li>\n<li id="fn-2">\n<p>One</p>\n<p><em>more</em>${back('2')}${back('2-2')}</p>\n</li>\n</ol>\n</section>`,
    )
    assert.notEqual(/-[0-9a-f]{10}/.exec(html('x[^1]\n\n[^1]: One'))![0], suffix)
    assert.equal(renderText('a[^x]\n\n[^x]: b', context), 'a[1]\n\nb')
  })

  test('hostile footnotes, alerts and names of emoji do not grow beyond all measure', () => {
    const texts = [
      '[^a]: '.repeat(10_000),
      '[^a'.repeat(20_000),
      `${'x[^a]'.repeat(10_000)}\n\n[^a]: b`,
      Array.from({ length: 5_000 }, (_, at) => `x[^${at}]\n\n[^${at}]: [^${at + 1}]\n`).join('\n'),
      '> [!NOTE]\n'.repeat(5_000),
      `${'>'.repeat(20_000)}[!NOTE]`,
      ':a'.repeat(30_000),
      ':tada'.repeat(12_000),
    ]
    for (const text of texts) {
      assert.ok(html(text).length < 50 * text.length, text.slice(0, 20))
    }
  })

  test('as text has the words without their marks', () => {
    const text =
      '# Hi\n\nSee **@bob** and [a link](http://x.example), `code`.\n\n- [x] one\n- two\n\n```js\nlet a\n```\n<b>x</b> &amp; <!-- no -->y'
    assert.equal(renderText(text, context), 'Hi\n\nSee @bob and a link, code.\n\n[x] one\ntwo\n\nlet a\n\nx & y')
  })
})

/** Each once as it is, once in the middle of Markdown. */
const attacks = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//x.example/a.js></SCRIPT>',
  '<img src=x onerror=alert(1)>',
  '<img/src=x/onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="&#x6A;&#x61;vascript&colon;alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '[x](javascript:alert(1))',
  '[x](JAVASCRIPT:alert(1))',
  '[x](java&#115;cript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:x)',
  '[x][1]\n\n[1]: javascript:alert(1)',
  '<javascript:alert(1)>',
  '![x](javascript:alert(1))',
  '![x"onerror="alert(1)](y)',
  '[x](http://a.example "x\\"onmouseover=alert(1)")',
  '[x](http://a.example/"onmouseover="alert(1))',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<div style="position:fixed;top:0">x</div>',
  '<style>*{display:none}</style>',
  '<link rel=stylesheet href=//x.example/a.css>',
  '<meta http-equiv=refresh content="0;url=//x.example">',
  '<base href="//x.example/">',
  '<form action="//x.example"><input name=password><button>x</button></form>',
  '<input type="image" src=x onerror=alert(1)>',
  '<input autofocus onfocus=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '<video><source onerror=alert(1)></video>',
  '<body onload=alert(1)>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea></textarea><img src=x onerror=alert(1)>',
  '<title></title><img src=x onerror=alert(1)>',
  '<xmp><img src=x onerror=alert(1)></xmp>',
  '<plaintext><img src=x onerror=alert(1)>',
  '<template><img src=x onerror=alert(1)></template>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!-- --!><img src=x onerror=alert(1)> -->',
  '<![CDATA[><img src=x onerror=alert(1)>]]>',
  '<?x ><img src=x onerror=alert(1)>?>',
  '<<script>alert(1)//<</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<a title="</a><img src=x onerror=alert(1)>">x</a>',
  '<p id="location" name="cookie" class="js-admin">x</p>',
  '```"onmouseover="alert(1)\nx\n```',
  '```<img src=x onerror=alert(1)>\nx\n```',
  '`<img src=x onerror=alert(1)>`',
  '@"><img src=x onerror=alert(1)>',
  '#1"><img src=x onerror=alert(1)>',
  'ann/"onx=alert(1)#1',
  '<div\u000conclick=alert(1)>x</div>',
  '<img src=x onerror\n=alert(1)>',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
]

/** The elements and attributes of what was rendered, read as plainly as can be: only what is escaped has no tag. */
function findDangers(shown: string): string[] {
  const dangers: string[] = []
  const allowedTags = new Set(
    'h1 h2 h3 h4 h5 h6 p br hr blockquote pre code div span a img ul ol li input table thead tbody tr th td strong em s b i details summary'.split(
      ' ',
    ),
  )
  const rest = shown.replace(
    /<(\/?)([a-z0-9]+)((?: [a-z]+(?:="[^"<>]*")?)*)( \/)?>/g,
    (_tag, _slash, name, attributes) => {
      if (!allowedTags.has(name)) dangers.push(`<${name}>`)
      for (const [, attribute = '', value = ''] of attributes.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)) {
        if (/^on|^style$|^id$|^name$|^srcdoc$|^action$/.test(attribute)) dangers.push(attribute)
        if (
          /^(?:href|src)$/.test(attribute) &&
          /^[\s\0-\x20]*[a-z]+[^a-z/?#.]*:/i.test(value) &&
          !/^(?:https?|mailto):/.test(value)
        )
          dangers.push(value)
      }
      return ''
    },
  )
  if (/[<>]/.test(rest.replaceAll(/>(?=[^<]*$)/g, ''))) dangers.push(rest)
  return dangers
}

test('of seventy hostile texts nothing runs', () => {
  const ran = attacks.flatMap((attack) =>
    [attack, `Words ${attack} more\n\n- ${attack}\n\n> ${attack}\n\n|a|\n|-|\n|${attack}|`].flatMap((text) => {
      const dangers = findDangers(html(text))
      return dangers.length > 0 ? [{ text, dangers }] : []
    }),
  )
  assert.deepEqual(ran, [])
})

/** Bare addresses are links here, as in comments everywhere; the specification leaves that to extensions. */
const extended = new Set([602, 608, 611])

test('the specification’s examples come out as it says, but for what is taken out of HTML', () => {
  const plain = { origin: '' }
  const squeeze = (text: string) =>
    text
      .replaceAll(/<del>|<\/del>/g, '')
      .replaceAll(' rel="nofollow noopener"', '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/> </g, '><')
      .trim()
  const wrong = examples.filter(({ markdown, html: expected, number }) => {
    if (extended.has(number)) return false
    const text = markdown.replaceAll('→', '\t')
    // Both go through the same sanitiser, so that only the reading of Markdown is compared.
    return squeeze(renderHtml(text, plain)) !== squeeze(sanitize(expected.replaceAll('→', '\t')))
  })
  assert.ok(examples.length > 600)
  assert.deepEqual(
    wrong.map(({ number, section }) => `${number} ${section}`),
    [],
  )
})

describe('a rendered document', () => {
  const document = {
    folder: 'docs/',
    pages: '/ann/tool/blob/x%2Fy/',
    files: '/repos/ann/tool/raw/',
    filesQuery: '?ref=x',
  }
  const own = (text: string) => renderHtml(text, { ...context, breaks: false, document }).trim()
  const hrefs: readonly (readonly [href: string, expected: string])[] = [
    ['guide.md', '/ann/tool/blob/x%2Fy/docs/guide.md'],
    ['./a/b.md?plain=1#c', '/ann/tool/blob/x%2Fy/docs/a/b.md?plain=1#c'],
    ['../README.md', '/ann/tool/blob/x%2Fy/README.md'],
    ['../../../etc/passwd', '/ann/tool/blob/x%2Fy/etc/passwd'],
    ['/LICENSE', '/ann/tool/blob/x%2Fy/LICENSE'],
    ['#part', '#part'],
    ['https://x.example/y', 'https://x.example/y'],
    ['mailto:a@x.example', 'mailto:a@x.example'],
    ['a%20b.md', '/ann/tool/blob/x%2Fy/docs/a%20b.md'],
  ]
  for (const [href, expected] of hrefs)
    test(`leads from ${href} to ${expected}`, () => {
      assert.equal(own(`[a](${href})`), `<p><a href="${expected}" rel="nofollow noopener">a</a></p>`)
      assert.equal(own(`<a href="${href}">a</a>`), `<p><a href="${expected}" rel="nofollow noopener">a</a></p>`)
    })

  test('shows pictures of its repository, and those elsewhere as they are', () => {
    assert.equal(own('![a](b.png)'), '<p><img src="/repos/ann/tool/raw/docs/b.png?ref=x" alt="a" /></p>')
    assert.equal(own('![a](https://x.example/b.png)'), '<p><img src="https://x.example/b.png" alt="a" /></p>')
    assert.equal(own('<img src="/b.svg">'), '<img src="/repos/ann/tool/raw/b.svg?ref=x" />')
  })

  test('has ids for its headings, which a comment has not', () => {
    assert.equal(
      own('# It’s `a` *b*!\n\n## Is\n\n## Is'),
      '<h1 id="user-content-its-a-b">It’s <code>a</code> <em>b</em>!</h1>\n<h2 id="user-content-is">Is</h2>\n<h2 id="user-content-is-1">Is</h2>',
    )
    assert.equal(html('# A'), '<h1>A</h1>')
  })

  test('has no id without the prefix, whatever people write', () => {
    assert.equal(own('<h2 id="app">a</h2>'), '<h2 id="user-content-app">a</h2>')
    assert.equal(own('<a name="main"></a>'), '<p><a rel="nofollow noopener" id="user-content-main"></a></p>')
    assert.doesNotMatch(
      own('<p id="main" onclick="x()">a</p><img src="javascript:x" id="app">'),
      /"main"|"app"|javascript|onclick/,
    )
    assert.equal(html('<h2 id="app">a</h2>'), '<h2>a</h2>')
  })
})
