/** TeX's listed subset as Markdown, construct by construct. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { texToMarkdown } from '../../../src/judge/packages/tex/tex-to-markdown.ts'

const cases: [tex: string, markdown: string][] = [
  ['\\problemname{Sum}\nAdd.', 'Add.'],
  ['a % comment\n% whole line\nb 5\\% c', 'a\nb 5% c'],
  [
    '\\textbf{a} {\\bf b} \\emph{c} \\textit{d} \\underline{e} \\sout{f} \\textsc{g}',
    '**a** **b** *c* *d* *e* ~~f~~ g',
  ],
  ['\\texttt{a\\_b * c} and \\verb|x_1|', '`a_b * c` and `x_1`'],
  ["``a'' -- `b' --- <<c>> d~e \\ldots{} f", '“a” – ‘b’ — «c» d\u00a0e … f'],
  ['$a_i \\le 10^5$ costs \\$5', '$a_i \\le 10^5$ costs \\$5'],
  ['x\n$$\\sum_i a_i$$\ny', 'x\n\n$$\n\\sum_i a_i\n$$\n\ny'],
  ['\\(x\\) and \\[y\\]', '$x$ and\n\n$$\ny\n$$'],
  ['a * b_c [d] <e> #f', 'a \\* b\\_c \\[d\\] \\<e> #f'],
  [
    '\\begin{itemize}\n\\item one\n\\item two\n\\begin{enumerate}\\item x\\item y\\end{enumerate}\n\\end{itemize}',
    '- one\n- two\n\n  1. x\n  2. y',
  ],
  ['\\begin{verbatim}\n 100% \\x{\n\\end{verbatim}', '```\n 100% \\x{\n```'],
  ['\\begin{quote}a\n\nb\\end{quote}', '> a\n>\n> b'],
  [
    '\\begin{tabular}{|l|c|r|}\\hline A & B & $x & y$ \\\\ \\hline \\multicolumn{2}{c}{m} & 3 \\\\ \\end{tabular}',
    '| A | B | $x & y$ |\n| :-- | :-: | --: |\n| m |  | 3 |',
  ],
  ['\\begin{Input}\nOne line.\n\\end{Input}\n\\section*{Notes}\nx', '## Input\n\nOne line.\n\n## Notes\n\nx'],
  ['\\includegraphics[width=1cm]{a b.png}', '![](a%20b.png)'],
  ['\\illustration{0.3}{cat.jpg}{A \\emph{cat}}', '![A cat](cat.jpg)\n\n*A *cat**'],
  ['\\url{https://a.example/x\\_y} \\href{https://b.example}{b}', '<https://a.example/x_y> [b](<https://b.example>)'],
  ['\\href{javascript:alert(1)}{x}', 'x'],
  ['a\\footnote{Note.} b', 'a[^1] b\n\n[^1]: Note.'],
  ['caf\\\'e na\\"{i}ve \\c{c} \\ss', 'café naïve ç ß'],
  ['\\constant{n} and \\constant{unknown}', '7 and \\\\constant{unknown}'],
  [
    '\\begin{problem}{A}{stdin}{stdout}{1 second}{256 MB}\nText.\n\\InputFile\nIn.\n\\OutputFile\nOut.\n\\Examples\n\\begin{example}\\exmpfile{a}{b}\\end{example}\n\\end{problem}',
    'Text.\n\n## Input\n\nIn.\n\n## Output\n\nOut.',
  ],
  ['\\def \\htmlPixelsInCm {45} x', 'x'],
  ['- not a list\n1. nor this', '\\- not a list\n1\\. nor this'],
]

test('each construct of the subset has its Markdown', () => {
  for (const [tex, markdown] of cases) {
    const { text, unknown } = texToMarkdown(tex, (name) => (name === 'n' ? '7' : undefined))
    assert.equal(text, markdown === '' ? '' : `${markdown}\n`, tex)
    assert.deepEqual(unknown, [], tex)
  }
})

test('what is not in it stays text and is named', () => {
  const { text, unknown } = texToMarkdown('\\input{/etc/passwd} \\begin{tikzpicture}\\draw (0,0);\\end{tikzpicture}')
  assert.equal(text, '\\\\input/etc/passwd \\\\begin{tikzpicture}\\\\draw (0,0);\\\\end{tikzpicture}\n')
  assert.deepEqual(unknown, ['\\input', 'tikzpicture', '\\draw'])
})

test('source that never ends anything is answered', () => {
  const hostile = [
    '{',
    '\\textbf{',
    '$',
    '\\begin{itemize}\\item ',
    '\\begin{tabular}{',
    '\\verb|',
    '\\[',
    '\\item[',
    '&',
  ]
  for (const piece of hostile) {
    const source = piece.repeat(Math.floor(20_000 / piece.length))
    assert.equal(typeof texToMarkdown(source).text, 'string')
    const table = `\\begin{tabular}{c}${source}\\end{tabular}`
    if (piece === '&') assert.throws(() => texToMarkdown(table), /a table of more than 100 columns/)
    else assert.equal(typeof texToMarkdown(table).text, 'string')
  }
})

test('blanks, marks and brackets cost as much as they are long, and not the square of it', () => {
  const shapes: ((n: number) => string)[] = [
    (n) => `${' '.repeat(n)}x`,
    (n) => `\\textbf{a${' '.repeat(n)}x}`,
    (n) => `\\section{a${' '.repeat(n)}b}`,
    (n) => `\\texttt{a${' '.repeat(n)}x}`,
    (n) => `$a${' '.repeat(n)}b$`,
    (n) => `\\href{http://a.example}{a${' '.repeat(n)}b}`,
    (n) => `\\illustration{1}{a}{x${' '.repeat(n)}y}`,
    (n) => `\\begin{verbatim}${' '.repeat(n)}x\\end{verbatim}`,
    (n) => `\\footnote{a${' '.repeat(n)}b}`,
    (n) => `\\begin{tabular}{l}a${' '.repeat(n)}b\\end{tabular}`,
    (n) => `\\begin{tabular}{${'{'.repeat(n)}`,
    (n) => `\\begin{align}${'\\label{'.repeat(n / 7)}\\end{align}`,
    (n) => `\\begin{tabular}{l}${'\\cline('.repeat(n / 7)}\\end{tabular}`,
    (n) => '\\\\['.repeat(n / 3),
    (n) => Array.from({ length: n / 6 }, (_, i) => `\\verb${String.fromCodePoint(0x4e00 + i)}`).join(''),
  ]
  const cost = (source: string): number => {
    const before = process.cpuUsage()
    texToMarkdown(source)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  for (const shape of shapes) {
    const small = cost(shape(30_000))
    // Four times as long: a square of it would be sixteen times. What takes less than 300 ms is not worth measuring.
    assert.ok(cost(shape(120_000)) < Math.max(8 * small, 300_000), shape(20))
  }
})

test('what would come to far more than it is written with is refused', () => {
  const table = (row: string, rows: number) => `\\begin{tabular}{l}${row}\\\\${'a\\\\'.repeat(rows)}\\end{tabular}`
  const large: [string, RegExp][] = [
    [table('&'.repeat(3_000), 2_000), /more than 100 columns/],
    [table('\\multicolumn{50}{l}{}&'.repeat(500), 1_000), /more than 100 columns/],
    [table('&'.repeat(50), 5_000), /more than 20000 cells/],
    [table('&'.repeat(99), 198).repeat(20), /over 400000 characters/],
    [`${'\\illustration{1}{a}{'.repeat(45)}x${'}'.repeat(45)}`, /over 400000 characters/],
  ]
  for (const [source, message] of large) assert.throws(() => texToMarkdown(source), message)
})

test('names that objects know by themselves, and names as long as a text, are unknown ones', () => {
  assert.deepEqual(texToMarkdown('\\constructor{x} \\begin{toString}y\\end{toString}'), {
    text: '\\\\constructorx \\\\begin{toString}y\\\\end{toString}\n',
    unknown: ['\\constructor', 'toString'],
  })
  assert.ok(texToMarkdown(`\\begin{${'1*'.repeat(60_000)}}a`).text.startsWith('\\\\begin{1'))
})
