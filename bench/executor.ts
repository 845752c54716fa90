/** Judging against the same programs run bare and under plain bubblewrap, in one run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { surveyLanguages } from '../src/executor/languages/configuration.ts'
import { compareBoxes, compareInteraction } from './executor/boxes.ts'
import { startJudging } from './executor/judging.ts'
import { compareLatency, compareMany, cores } from './executor/submissions.ts'
import type { Row } from './table.ts'

export async function* bench(): AsyncGenerator<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-bench-executor-'))
  try {
    yield* benchBoxes(folder)
    yield* benchSubmissions(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function* benchBoxes(folder: string): AsyncGenerator<Row> {
  const boxes = await compareBoxes(folder)
  const what = 'a test run of a C program in a box'
  yield { what, against: 'plain bwrap', ratios: boxes.plain, goal: { atMost: 0.6 } }
  yield { what, against: 'the bare program', ratios: boxes.bare, goal: { atMost: 2 } }
  const interactions = [
    { what: 'an interactive test of 1,000 exchanges', isTalkative: false },
    { what: 'the same with a checker that leaves a message each time', isTalkative: true },
  ]
  for (const { what, isTalkative } of interactions) {
    const ratios = await compareInteraction(folder, isTalkative)
    yield { what, against: 'two processes joined by bare pipes', ratios, goal: { atMost: 2 } }
  }
}

async function* benchSubmissions(folder: string): AsyncGenerator<Row> {
  const { languages } = await surveyLanguages()
  const python = languages.find((language) => language.value === 'python')!
  const judge = await startJudging()
  try {
    yield {
      what: 'submit to verdict, Python hello, 1 test, p50',
      against: 'the bare run, p50',
      ratios: await compareLatency(judge, python.run[0]!, folder),
      goal: { atMost: 3 },
    }
    yield {
      what: '200 C submissions, 5 tests each, end to end',
      against: `bare compile and run, ${cores} at a time`,
      ratios: await compareMany(judge, folder),
      goal: { atMost: 1.3 },
    }
  } finally {
    await judge.stop()
  }
}
