/** Judges a problem's own submissions on the server, and compares each verdict with what the package expects. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describeResult, submitted } from '../../judge/submissions/status.ts'
import {
  type Expectation,
  findFault,
  type Judged,
  listExpectations,
  type Verdict,
} from '../../lib/judging-rules/submission-expectations.ts'
import { finished, type SubmissionSnippet } from './following.ts'
import { fetchFile, listFiles } from './packages.ts'
import { languageByExtension } from './program-file.ts'
import { JudgeRefusal, type JudgeServer } from './server.ts'
import type { Report } from './verdict.ts'

export type Checked = {
  /** Relative to `submissions/`. */
  readonly path: string
  readonly expected: readonly Expectation[]
  /** The result in words. */
  readonly result: string
  readonly milliseconds: number | undefined
  readonly points: number | undefined
  readonly state: 'as expected' | 'not as expected' | 'not judged'
}

type Plan =
  | { readonly path: string; readonly source: string; readonly language: string }
  | { readonly path: string; readonly why: string }

type HandedIn = { readonly plan: Plan; readonly id: number | undefined }

const yamlFile = 'submissions/submissions.yaml'
/** After this long without an executor, the user is told. */
const untakenMs = 5_000
const waitMs = 30_000
const mostSubmissions = 500

export type Listener = {
  /** Receives the number judged so far and the total. */
  show(done: number, total: number): void
  /** Called once, if no executor takes a submission. */
  warn(sentence: string): void
}

export async function checkSubmissions(judge: JudgeServer, uuid: string, { show, warn }: Listener): Promise<Checked[]> {
  const paths = (await listFiles(judge, uuid)).filter((path) => path.startsWith('submissions/'))
  const yaml = paths.includes(yamlFile) ? await readYaml(await fetchFile(judge, uuid, yamlFile)) : {}
  const plans = await planAll(judge, uuid, paths)
  const handedIn: HandedIn[] = []
  for (const plan of plans) handedIn.push(await submit(judge, uuid, plan))
  const checked: Checked[] = []
  let isWarned = false
  const onUntaken = (path: string) => {
    const sentence = `No executor has taken ${path} yet: all are busy, or none can judge it. Admins see which with get_queue.`
    if (!isWarned) warn(sentence)
    isWarned = true
  }
  for (const { plan, id } of handedIn) {
    show(checked.length, plans.length)
    checked.push('why' in plan || id === undefined ? unjudged(plan) : await compare(judge, id, plan, yaml, onUntaken))
  }
  show(checked.length, plans.length)
  return checked
}

async function readYaml(bytes: Buffer): Promise<Record<string, unknown>> {
  const { parse } = await import('yaml')
  const value: unknown = parse(bytes.toString(), { maxAliasCount: 20, logLevel: 'error' })
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** A program is one file, or a folder with one file: programs of several files can't be submitted here. */
async function planAll(judge: JudgeServer, uuid: string, paths: readonly string[]): Promise<Plan[]> {
  const { SupportedLanguageList } = await judge.call('get_server_info', {})
  const offered = new Set((SupportedLanguageList as { Value: string }[]).map(({ Value }) => Value))
  const programs = new Map<string, string[]>()
  for (const path of paths) {
    const steps = path.split('/')
    if (steps.length < 3 || steps.at(-1)!.startsWith('.')) continue
    const name = steps.slice(1, 3).join('/')
    programs.set(name, [...(programs.get(name) ?? []), path])
  }
  const plans: Plan[] = []
  for (const [path, files] of programs) {
    const [only] = files
    const language = languageByExtension(only!)
    if (plans.length >= mostSubmissions) plans.push({ path, why: `beyond the first ${mostSubmissions}` })
    else if (files.length > 1) plans.push({ path, why: 'several files' })
    else if (!language || !offered.has(language)) plans.push({ path, why: 'language not offered' })
    else plans.push({ path, language, source: (await fetchFile(judge, uuid, only!)).toString() })
  }
  return plans
}

async function submit({ call }: JudgeServer, ProblemUUID: string, plan: Plan): Promise<HandedIn> {
  if ('why' in plan) return { plan, id: undefined }
  const params = { ProblemUUID, Content: plan.source, Language: plan.language }
  try {
    return { plan, id: (await call('create_submission', params)).SubmissionSnippet.ID }
  } catch (error) {
    if (!(error instanceof JudgeRefusal) || error.code !== invalidParams) throw error
    return { plan: { path: plan.path, why: 'not taken' }, id: undefined }
  }
}

/** The code for a source that is too long or no text. */
const invalidParams = -32_602

const unjudged = (plan: Plan): Checked => ({
  path: plan.path,
  expected: [],
  result: 'why' in plan ? plan.why : '-',
  milliseconds: undefined,
  points: undefined,
  state: 'not judged',
})

async function compare(
  judge: JudgeServer,
  id: number,
  plan: Plan & { source: string },
  yaml: object,
  onUntaken: (path: string) => void,
): Promise<Checked> {
  const submission = await waitFor(judge, id, () => onUntaken(plan.path))
  const { Report } = (await judge.call('get_submission_report', { ID: id })) as { Report: Report | null }
  const judged: Judged = {
    verdict: verdictOf(submission.Result),
    // Tests that were skipped because of their group say nothing.
    tests: (Report?.TestList ?? []).filter(({ Result }) => Result > 0).map(({ Result }) => verdictOf(Result)),
    score: Report?.Score ?? null,
    maximum: Report?.MaximumScore ?? null,
  }
  const expected = listExpectations(plan.path, plan.source, yaml as Record<string, unknown>)
  const isRight = submission.Result !== judgeFailure && expected.every((one) => findFault(judged, one) === undefined)
  return {
    path: plan.path,
    expected,
    result: describeResult(submission.Result),
    milliseconds: submission.CPUTimeInMillisecond ?? undefined,
    points: judged.score ?? undefined,
    state: isRight ? 'as expected' : 'not as expected',
  }
}

async function waitFor({ call }: JudgeServer, ID: number, onUntaken: () => void): Promise<SubmissionSnippet> {
  for (let WaitMillisecond = untakenMs; ; WaitMillisecond = waitMs) {
    const { Submission } = await call('wait_for_submission', { ID, WaitMillisecond })
    if (Submission.Status === finished) return Submission
    if (Submission.Status === submitted) onUntaken()
    await sleep(100)
  }
}

const judgeFailure = 9

/** A memory limit counts as a run-time error, too much output as a wrong answer: the format has no words for them. */
function verdictOf(result: number): Verdict {
  if (result === 1) return 'AC'
  if (result === 2 || result === 7) return 'CE'
  if (result === 4) return 'TLE'
  return result === 6 || result === 8 ? 'WA' : 'RTE'
}
