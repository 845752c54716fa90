/** Small packages of each kind, written for the tests, as paths and contents. */
import { makeZip } from '../../support/zip.ts'

export type Files = Readonly<Record<string, string | Buffer>>

export const zipOf = (files: Files, top = ''): Buffer =>
  makeZip(Object.entries(files).map(([path, data]) => ({ path: top + path, data })))

const lines = (...texts: string[]): string => `${texts.join('\n')}\n`

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

/** Accepts the answer's number, or one that is off by one, where an argument says so. */
const kattisValidator = lines(
  'import sys',
  'answer = int(open(sys.argv[2]).read())',
  'given = int(sys.stdin.read())',
  "slack = 1 if 'near' in sys.argv[4:] else 0",
  'sys.exit(42 if abs(answer - given) <= slack else 43)',
)

export const legacy: Files = {
  'problem.yaml': lines(
    'name: {en: Different, sv: Olika}',
    'author: Ann Author, Bob and Cy',
    'source: A contest',
    'source_url: https://contest.example/',
    'license: cc by-sa',
    'rights_owner: Ann Author',
    'keywords: easy maths',
    'limits: {memory: 512, output: 8, time_safety_margin: 3}',
    'validation: custom',
    'validator_flags: near',
  ),
  '.timelimit': '3\n',
  'problem_statement/problem.en.tex':
    '\\problemname{Different}\nSubtract $b$ from \\textbf{a}.\n\\includegraphics{figure.png}\n',
  'problem_statement/problem.sv.tex': 'Dra ifrån.\n',
  'problem_statement/figure.png': picture,
  'data/sample/1.in': '10 12\n',
  'data/sample/1.ans': '2\n',
  'data/secret/group/10.in': '1 11\n',
  'data/secret/group/10.ans': '10\n',
  'data/secret/group/2.in': '1 3\n',
  'data/secret/group/2.ans': '2\n',
  'data/secret/group/2.hint': 'easy',
  'output_validators/near/validate.py': kattisValidator,
  'output_validators/near/README': 'How it compares.',
  'input_validators/check.py': 'import sys; sys.exit(42)\n',
  'submissions/accepted/a.py': 'a, b = map(int, input().split())\nprint(abs(a - b))\n',
  'submissions/wrong_answer/b.py': 'print(0)\n',
  'submissions/run_time_error/c.py': 'raise SystemExit(3)\n',
  'attachments/tool.bin': Buffer.from([0, 255, 1, 254]),
}

export const legacyScoring: Files = {
  'problem.yaml': lines('name: Steps', 'type: scoring', 'limits: {time_limit: 1}'),
  'problem_statement/problem.tex': 'Echo.\n',
  'data/testdata.yaml': 'grader_flags: ignore_sample\n',
  'data/sample/1.in': '1\n',
  'data/sample/1.ans': '1\n',
  'data/secret/testdata.yaml': 'grader_flags: first_error accept_if_any_accepted\n',
  'data/secret/one/testdata.yaml': lines('accept_score: 30', 'grader_flags: min', 'input_validator_flags: small'),
  'data/secret/one/1.in': '1\n',
  'data/secret/one/1.ans': '1\n',
  'data/secret/one/2.in': '2\n',
  'data/secret/one/2.ans': '2\n',
  'data/secret/two/testdata.yaml': lines('accept_score: 10', 'grader_flags: always_accept'),
  'data/secret/two/1.in': '3\n',
  'data/secret/two/1.ans': '3\n',
  'data/secret/two/2.in': '4\n',
  'data/secret/two/2.ans': '4\n',
  'submissions/accepted/a.py': 'print(input())\n',
  'submissions/partially_accepted/b.py': 'n = int(input())\nprint(n if n < 4 else 0)\n',
}

export const scoring2025: Files = {
  'problem.yaml': lines(
    'problem_format_version: 2025-09',
    'type: scoring',
    'name: Groups',
    'uuid: 5ca6ba5b-36d5-4eff-8aa7-d967cbc4375e',
    'credits: {authors: Ann <ann@example.org>}',
    'constants: {most: {value: 100, tex: "10^2"}}',
    'limits: {time_limit: 0.5, memory: 64}',
  ),
  'statement/problem.en.md':
    '# Groups\n\nUp to {{most}}. See ![a](figure.svg) and [b](attachments/b.txt).\n\n{{remainingsamples}}\n',
  'statement/figure.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  'attachments/b.txt': 'b',
  'data/sample/1.in': '1\n',
  'data/sample/1.ans': '1\n',
  'data/secret/test_group.yaml': lines(
    'max_score: 50',
    'output_validator_args: [float_tolerance, "1e-6"]',
    'require_pass: sample',
  ),
  'data/secret/a/test_group.yaml': lines('max_score: 20', 'score_aggregation: pass-fail', 'full_feedback: true'),
  'data/secret/a/1.in': '1\n',
  'data/secret/a/1.ans': '1\n',
  'data/secret/b/test_group.yaml': lines('max_score: 30', 'score_aggregation: sum', 'require_pass: [secret/a]'),
  'data/secret/b/1.in': '2\n',
  'data/secret/b/1.ans': '2\n',
  'data/secret/b/1.yaml': lines('output_validator_args: [case_sensitive]', 'hint: think'),
  'data/secret/b/2.in': '3\n',
  'data/secret/b/2.ans': '3\n',
  'input_validators/v.py': 'import sys; sys.exit(42)\n',
  'submissions/accepted/a.py': 'print(input())\n',
  'submissions/wrong_answer/b.py': 'n = int(input())\nprint(n if n < 3 else 0)\n',
  'submissions/submissions.yaml': lines('accepted/a.py: {score: 50}', 'wrong_answer/b.py: {score: 35}'),
  'solution/solution.en.md': 'Echo.\n',
}

/** The program guesses a number from 1 to 10, and is told `<`, `>` or `=`. */
export const interactive2025: Files = {
  'problem.yaml': lines(
    'problem_format_version: 2025-09',
    'type: interactive',
    'name: Guess',
    'limits: {time_limit: 1}',
  ),
  'statement/problem.en.tex': 'Guess.\n\\begin{Interaction}\nAsk.\n\\end{Interaction}\n',
  'data/sample/1.in': '3\n',
  'data/sample/1.ans': '',
  'data/sample/1.interaction': '>5\n<less\n>3\n<right\n',
  'data/secret/1.in': '7\n',
  'data/secret/1.ans': '',
  'output_validator/talk.py': lines(
    'import sys',
    'secret = int(open(sys.argv[1]).read())',
    'for _ in range(10):',
    '    line = sys.stdin.readline()',
    '    if not line.strip().isdigit(): sys.exit(43)',
    '    guess = int(line)',
    "    print('right' if guess == secret else 'less' if guess > secret else 'more', flush=True)",
    '    if guess == secret: sys.exit(42)',
    'sys.exit(43)',
  ),
  'submissions/accepted/a.py': lines(
    'low, high = 1, 10',
    'while True:',
    '    middle = (low + high) // 2',
    '    print(middle, flush=True)',
    '    answer = input()',
    "    if answer == 'right': break",
    "    if answer == 'less': high = middle - 1",
    '    else: low = middle + 1',
  ),
  'submissions/wrong_answer/b.py': 'print(0, flush=True)\nprint(input())\n',
}

/** In the second pass the program gets back what it wrote in the first. */
export const multiPass2025: Files = {
  'problem.yaml': lines(
    'problem_format_version: 2025-09',
    'type: [pass-fail, multi-pass]',
    'name: Twice',
    'limits: {time_limit: 1, validation_passes: 2}',
  ),
  'statement/problem.en.md': 'Say it twice.\n',
  'data/secret/1.in': 'first 5\n',
  'data/secret/1.ans': '5\n',
  'output_validator/passes.py': lines(
    'import os, sys',
    'feedback = sys.argv[3]',
    'mark = os.path.join(feedback, "seen")',
    'given = sys.stdin.read().strip()',
    'answer = open(sys.argv[2]).read().strip()',
    'if os.path.exists(mark): sys.exit(42 if given == answer else 43)',
    'open(mark, "w").close()',
    'open(os.path.join(feedback, "nextpass.in"), "w").write("second " + given + "\\n")',
    'sys.exit(42)',
  ),
  'submissions/accepted/a.py': 'print(input().split()[1])\n',
  'submissions/wrong_answer/b.py': 'word, n = input().split()\nprint(n if word == "first" else 0)\n',
}

const polygonXml = (judging: string, assets: string): string =>
  lines(
    '<?xml version="1.0" encoding="utf-8" standalone="no"?>',
    '<problem revision="3" short-name="sum" url="https://polygon.example/p/ann/sum">',
    '<names><name language="english" value="Sum &amp; more"/><name language="russian" value="Сумма"/></names>',
    `<judging cpu-name="x" input-file="" output-file="" run-count="1"><testset name="tests"><time-limit>1500</time-limit><memory-limit>268435456</memory-limit>${judging}</testset></judging>`,
    '<files><resources><file path="files/testlib.h" type="h.g++"/></resources></files>',
    `<assets>${assets}</assets>`,
    '</problem>',
  )

const testlibChecker = lines(
  '#include <fstream>',
  '#include <iostream>',
  '#include "testlib.h"',
  'int main(int argc, char **argv) {',
  // As testlib.h of old: any word but the three files is refused.
  '  if (argc != 4) { std::cerr << "FAIL three files" << std::endl; return 3; }',
  '  std::ifstream output(argv[2]), answer(argv[3]);',
  '  long a, b;',
  '  if (!(output >> a)) { std::cerr << "no number" << std::endl; return 2; }',
  '  answer >> b;',
  '  std::cerr << (a == b ? "ok" : "other") << std::endl;',
  '  return a == b ? ACCEPTED : 1;',
  '}',
)

const solutions =
  '<solutions><solution tag="main"><source path="solutions/good.py" type="python.3"/></solution><solution tag="wrong-answer"><source path="solutions/bad.py" type="python.3"/></solution></solutions>'

export const polygon: Files = {
  'problem.xml': polygonXml(
    [
      '<test-count>4</test-count><input-path-pattern>tests/%02d</input-path-pattern><answer-path-pattern>tests/%02d.a</answer-path-pattern>',
      '<tests><test method="manual" sample="true" group="0"/><test cmd="gen 1" method="generated" group="1" points="10.5"/>',
      '<test method="manual" group="2" points="5"/><test method="manual" group="2" points="4.5"/></tests>',
      '<groups><group name="0" points-policy="complete-group"/><group name="1" points-policy="complete-group"><dependencies><dependency group="0"/></dependencies></group>',
      '<group name="2" points-policy="each-test"><dependencies><dependency group="1"/></dependencies></group></groups>',
    ].join(''),
    `<checker name="own" type="testlib"><source path="files/check.cpp" type="cpp.g++17"/></checker>${solutions}`,
  ),
  'files/check.cpp': testlibChecker,
  'files/testlib.h': '#define ACCEPTED 0\n',
  'files/gen.cpp': 'int main() {}\n',
  'statements/english/problem.tex': '\\begin{problem}{Sum}{}{}{}{}whole\\end{problem}',
  'statements/english/problem-properties.json': JSON.stringify({
    name: 'Sum',
    legend: 'Add \\textit{two}. \\includegraphics{p.png}',
    input: 'Two numbers.',
    output: 'Their sum.',
    notes: '',
  }),
  'statements/english/p.png': picture,
  'tests/01': '1 2\n',
  'tests/01.a': '3\n',
  'tests/02': '2 2\n',
  'tests/02.a': '4\n',
  'tests/03': '5 5\n',
  'tests/03.a': '10\n',
  'tests/04': '5 6\n',
  'tests/04.a': '11\n',
  'solutions/good.py': 'print(sum(map(int, input().split())))\n',
  'solutions/bad.py': 'a, b = map(int, input().split())\nprint(a + b if b < 6 else 0)\n',
}

/** It brings no testlib.h, as where the setter's machine has one. */
export const polygonWithoutHeader: Files = {
  ...Object.fromEntries(Object.entries(polygon).filter(([path]) => path !== 'files/testlib.h')),
  'files/check.cpp': lines(
    '#include "testlib.h"',
    'int main(int argc, char *argv[]) {',
    '  setName("compare two integers");',
    '  registerTestlibCmd(argc, argv);',
    '  if (checker.group() != (inf.readInt() < 2 ? "0" : "1") && checker.group() != "2") quitf(_fail, "group");',
    '  long long expected = ans.readLong(), given = ouf.readLong();',
    '  if (given != expected) quitf(_wa, "expected %lld, found %lld", expected, given);',
    '  quitf(_ok, "%lld", expected);',
    '}',
  ),
}

/** A testlib.h that knows the group of a checker has these words. */
export const groupHeader = '#define ACCEPTED 0\n// checker.setGroup(argv[++i]);\n'

/** Its checker is told the group after the files, and refuses any other than the input's first number. */
export const polygonManyGroups: Files = {
  ...Object.fromEntries(Object.entries(polygon).filter(([path]) => !path.startsWith('tests/'))),
  'problem.xml': polygonXml(
    [
      '<tests><test method="manual" sample="true" group="0"/>',
      ...Array.from({ length: 11 }, (_, i) => `<test method="manual" group="${i + 1}" points="1"/>`),
      '</tests>',
    ].join(''),
    `<checker name="own" type="testlib"><source path="files/check.cpp" type="cpp.g++17"/></checker>${solutions}`,
  ),
  'files/testlib.h': groupHeader,
  'files/check.cpp': lines(
    '#include <fstream>',
    '#include <iostream>',
    '#include <string>',
    '#include "testlib.h"',
    'int main(int argc, char **argv) {',
    '  if (argc != 6 || std::string(argv[4]) != "--group") return 3;',
    '  std::ifstream input(argv[1]), output(argv[2]);',
    '  std::string group, given;',
    '  input >> group;',
    '  output >> given;',
    '  std::cerr << "group " << argv[5] << std::endl;',
    '  return group == argv[5] ? (given == group ? ACCEPTED : 1) : 3;',
    '}',
  ),
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, i): [string, string][] => {
      const number = String(i + 1).padStart(2, '0')
      return [
        [`tests/${number}`, `${i} 0\n`],
        [`tests/${number}.a`, `${i}\n`],
      ]
    }).flat(),
  ),
  'solutions/good.py': 'print(sum(map(int, input().split())))\n',
  'solutions/bad.py': 'print(min(9, sum(map(int, input().split()))))\n',
}

export const polygonInteractive: Files = {
  'problem.xml': polygonXml(
    '<tests><test method="manual"/></tests>',
    '<checker type="testlib"><source path="files/check.cpp" type="cpp.g++17"/></checker><interactor><source path="files/interactor.cpp" type="cpp.g++17"/></interactor>' +
      solutions,
  ),
  'files/check.cpp': testlibChecker,
  'files/testlib.h': '#define ACCEPTED 0\n',
  'files/interactor.cpp': lines(
    '#include <fstream>',
    '#include <iostream>',
    'int main(int argc, char **argv) {',
    '  std::ifstream input(argv[1]);',
    '  std::ofstream out(argv[2]);',
    '  long a, b, sum;',
    '  input >> a >> b;',
    '  std::cout << a << " " << b << std::endl;',
    '  std::cin >> sum;',
    '  out << sum << std::endl;',
    '  return 0;',
    '}',
  ),
  'statements/english/problem-properties.json': JSON.stringify({ legend: 'Add.' }),
  'tests/01': '1 2\n',
  'tests/01.a': '3\n',
  'solutions/good.py': 'print(sum(map(int, input().split())), flush=True)\n',
  'solutions/bad.py': 'input()\nprint(0, flush=True)\n',
}

export const everyKind: Readonly<Record<string, Files>> = {
  legacy,
  'legacy, scoring': legacyScoring,
  '2025-09, scoring': scoring2025,
  '2025-09, interactive': interactive2025,
  '2025-09, multi-pass': multiPass2025,
  Polygon: polygon,
  'Polygon, many groups': polygonManyGroups,
  'Polygon, interactive': polygonInteractive,
}
