/** Imported packages, judged by a real executor: their own submissions get the verdicts and the points that they demand. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bringPackage } from '../../src/commands/judge/packages.ts'
import { judgeOf } from '../../src/commands/judge/server.ts'
import { checkSubmissions } from '../../src/commands/judge/verdict-comparison.ts'
import {
  type Files,
  interactive2025,
  legacy,
  legacyScoring,
  multiPass2025,
  polygon,
  polygonInteractive,
  polygonManyGroups,
  polygonWithoutHeader,
  scoring2025,
  zipOf,
} from '../judge/packages/packages.ts'
import { type JudgeStage, startJudge } from '../support/judge.ts'
import { type StartedExecutor, startExecutor } from './started-executor.ts'

/** Half of what the test can give for an answer that is off by one. */
const multiplier = [
  'import sys',
  'given, answer = int(sys.stdin.read()), int(open(sys.argv[2]).read())',
  'if abs(given - answer) > 1: sys.exit(43)',
  'open(sys.argv[3] + "score_multiplier.txt", "w").write("1" if given == answer else "0.5")',
  'sys.exit(42)',
].join('\n')

const pointsChecker = [
  '#include <fstream>',
  '#include <iostream>',
  'int main(int argc, char **argv) {',
  '  std::ifstream output(argv[argc - 2]), answer(argv[argc - 1]);',
  '  long a, b;',
  '  output >> a; answer >> b;',
  '  if (a != b) return 1;',
  '  if (b < 11) return 0;',
  '  std::cerr << "points 1.5 for it" << std::endl;',
  '  return 7;',
  '}',
].join('\n')

const outcome = (result: string, points?: number) => [result, points, 'as expected'] as const

type Demanded = Readonly<Record<string, readonly [result: string, points: number | undefined, state: string]>>

/** What each package's submissions come to; that it is what their folders demand, the check itself tells. */
const packages: Readonly<Record<string, readonly [files: Files, demanded: Demanded]>> = {
  'Kattis legacy, with an output validator': [
    {
      ...legacy,
      'submissions/time_limit_exceeded/d.py': 'while True: pass\n',
      '.timelimit': '1\n',
      'submissions/accepted/parts/main.py': 'from other import *\n',
      'submissions/accepted/parts/other.py': '\n',
    },
    {
      'accepted/a.py': outcome('accepted'),
      'accepted/parts': ['several files', undefined, 'not judged'],
      'wrong_answer/b.py': outcome('wrong answer'),
      'run_time_error/c.py': outcome('runtime error'),
      'time_limit_exceeded/d.py': outcome('time limit exceeded'),
    },
  ],
  'Kattis legacy, scoring': [
    legacyScoring,
    { 'accepted/a.py': outcome('accepted', 50), 'partially_accepted/b.py': outcome('wrong answer', 40) },
  ],
  '2025-09, scoring with groups': [
    scoring2025,
    { 'accepted/a.py': outcome('accepted', 50), 'wrong_answer/b.py': outcome('wrong answer', 35) },
  ],
  '2025-09, scoring with a checker that gives points': [
    {
      ...Object.fromEntries(Object.entries(scoring2025).filter(([path]) => path !== 'data/secret/b/1.yaml')),
      'data/secret/test_group.yaml': 'max_score: 50\n',
      'output_validator/v.py': multiplier,
      'data/secret/a/test_group.yaml': 'max_score: 20\nscore_aggregation: min\n',
      'submissions/accepted/c.py': 'n = int(input())\nprint(n + (n == 3))\n',
      'submissions/submissions.yaml':
        'accepted/a.py: {score: 50}\naccepted/c.py: {score: 42.5}\nwrong_answer/b.py: {score: 35}\n',
    },
    {
      'accepted/a.py': outcome('accepted', 50),
      'accepted/c.py': outcome('accepted', 42.5),
      'wrong_answer/b.py': outcome('wrong answer', 35),
    },
  ],
  '2025-09, interactive': [
    interactive2025,
    { 'accepted/a.py': outcome('accepted'), 'wrong_answer/b.py': outcome('wrong answer') },
  ],
  '2025-09, multi-pass': [
    multiPass2025,
    { 'accepted/a.py': outcome('accepted'), 'wrong_answer/b.py': outcome('wrong answer') },
  ],
  'Polygon, with a testlib checker and points': [
    polygon,
    { 'accepted/good.py': outcome('accepted', 20), 'wrong_answer/bad.py': outcome('wrong answer', 15.5) },
  ],
  'Polygon, with a testlib checker that gives points': [
    { ...polygon, 'files/check.cpp': pointsChecker },
    { 'accepted/good.py': outcome('accepted', 17), 'wrong_answer/bad.py': outcome('wrong answer', 15.5) },
  ],
  'Polygon, with a checker that needs the server’s testlib.h': [
    polygonWithoutHeader,
    { 'accepted/good.py': outcome('accepted', 20), 'wrong_answer/bad.py': outcome('wrong answer', 15.5) },
  ],
  'Polygon, with groups from 0 to 11 that the checker is told': [
    polygonManyGroups,
    { 'accepted/good.py': outcome('accepted', 11), 'wrong_answer/bad.py': outcome('wrong answer', 9) },
  ],
  'Polygon, interactive': [
    polygonInteractive,
    { 'accepted/good.py': outcome('accepted'), 'wrong_answer/bad.py': outcome('wrong answer') },
  ],
}

describe('the submissions of a package are judged as it demands', () => {
  let stage: JudgeStage
  let executor: StartedExecutor
  before(async () => {
    stage = await startJudge('sqlite')
    const only = ['c', 'cpp', 'python']
    executor = await startExecutor({ serverUrl: stage.url, token: stage.cast.worker.token!, only })
  })
  after(async () => {
    await executor.stop()
    await stage.stop()
  })

  for (const [kind, [files, demanded]] of Object.entries(packages))
    it(kind, async () => {
      const judge = judgeOf({ server: stage.url, token: stage.cast.setter.token! }, {})
      const { UUID } = await bringPackage(judge, zipOf(files), new URLSearchParams())
      const silent = { show: () => undefined, warn: () => undefined }
      const checked = await checkSubmissions(judge, UUID, silent)
      assert.deepEqual(
        Object.fromEntries(checked.map(({ path, result, points, state }) => [path, [result, points, state]])),
        demanded,
      )
    })
})
