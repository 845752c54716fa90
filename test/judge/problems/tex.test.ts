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
    assert.equal(typeof texToMarkdown(`\\begin{tabular}{c}${source}\\end{tabular}`).text, 'string')
  }
})
