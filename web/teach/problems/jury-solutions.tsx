/** The jury's solutions of a package: handed in with a click, each verdict beside the one that its folder expects. */

import { useEffect, useState } from 'preact/hooks'
import { languageOfExtension } from '../../../src/lib/judging-rules/source-languages.ts'
import {
  describeExpectation,
  type Expectation,
  findFault,
  listExpectations,
  type Verdict,
} from '../../../src/lib/judging-rules/submission-expectations.ts'
import { plural } from '../../../src/lib/text/plural.ts'
import { Fault, unreachable } from '../../api/fault.ts'
import { watchSubmission } from '../../api/live.ts'
import type { Submission, SubmissionReport } from '../../api/operations.ts'
import { call, callAll, openAnswer } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { useSession } from '../../app/session.ts'
import { ResultBadge } from '../../judge/badge.tsx'
import { finished } from '../../judge/results.ts'
import { formatMs } from '../../parts/figures.ts'
import { useAct } from '../../parts/form.tsx'
import { FailedAct } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'

type Solution = { readonly path: string; readonly file: string; readonly language: string }
type HandedIn = { readonly path: string; readonly id: number; readonly expected: readonly Expectation[] }
type Row = HandedIn & { readonly submission: Submission; readonly report: SubmissionReport | undefined }

/** More are for the command line: `problem check`. */
const mostRun = 20

async function fetchFile(uuid: string, path: string): Promise<Response> {
  const address = `/-/judge/problems/${uuid}/files${path && `/${path.split('/').map(encodeURIComponent).join('/')}`}`
  const response = await fetch(address).catch(() => {
    throw unreachable()
  })
  if (!response.ok) throw new Fault(response.status, `${path || 'The list of files'} could not be read.`)
  return response
}

/** Those of one file each, in a language that is offered. */
async function listSolutions(uuid: string, offered: ReadonlySet<string>): Promise<readonly Solution[]> {
  const { ProblemFileList } = (await (await fetchFile(uuid, '')).json()) as {
    ProblemFileList: readonly { readonly Path: string }[]
  }
  const programs = new Map<string, string[]>()
  for (const { Path } of ProblemFileList) {
    const steps = Path.split('/')
    if (steps[0] !== 'submissions' || steps.length < 3) continue
    const name = steps.slice(1, 3).join('/')
    programs.set(name, [...(programs.get(name) ?? []), Path])
  }
  return [...programs].flatMap(([path, [file, ...more]]) => {
    const language = languageOfExtension(file!.split('.').at(-1)!)
    return more.length === 0 && language && offered.has(language) ? [{ path, file: file!, language }] : []
  })
}

const verdicts: Readonly<Record<number, Verdict>> = { 1: 'AC', 2: 'CE', 3: 'RTE', 4: 'TLE', 5: 'RTE', 6: 'WA', 8: 'WA' }

function isAsExpected({ submission, report, expected }: Row): boolean {
  const tests = report?.Report?.TestList ?? []
  const judged = {
    verdict: verdicts[submission.Result] ?? 'RTE',
    tests: tests.filter(({ Result }) => Result > 0).map(({ Result }) => verdicts[Result] ?? 'RTE'),
    score: report?.Report?.Score ?? null,
    maximum: report?.Report?.MaximumScore ?? null,
  }
  return submission.Result !== 9 && expected.every((one) => findFault(judged, one) === undefined)
}

const columns: readonly Column<Row>[] = [
  { head: 'Solution', cell: ({ id, path }) => <a href={`/-/judge/submissions/${id}`}>{path}</a> },
  { head: 'Expected', look: 'soft', cell: ({ expected }) => describeExpectation(expected) || 'anything' },
  {
    head: 'Got',
    cell: ({ submission: { Status, Result } }) => <ResultBadge status={Status} result={Result} />,
  },
  {
    head: 'Time',
    class: 'number wide-only',
    look: 'soft',
    cell: ({ submission: { CPUTimeInMillisecond: ms } }) => ms !== null && formatMs(ms),
  },
  {
    head: 'As expected',
    cell: (row) =>
      row.submission.Status !== finished ? (
        ''
      ) : isAsExpected(row) ? (
        <span class="badge good">Yes</span>
      ) : (
        <span class="badge bad">No</span>
      ),
  },
]

export function JurySolutions({ uuid }: { uuid: string }) {
  const { info } = useSession()
  const offered = new Set(info.SupportedLanguageList.map(({ Value }) => Value))
  const found = useLoad(`solutions ${uuid}`, () => listSolutions(uuid, offered))
  const [handedIn, setHandedIn] = useState<readonly HandedIn[]>([])
  const act = useAct()
  const solutions = found.value ?? []
  const run = () =>
    act.run(async () => {
      for (const { path, file, language } of solutions.slice(0, mostRun)) {
        const Content = await (await fetchFile(uuid, file)).text()
        const { SubmissionSnippet } = await call('create_submission', {
          ProblemUUID: uuid,
          Content,
          Language: language,
        })
        const one = { path, id: SubmissionSnippet.ID, expected: listExpectations(path, Content, {}) }
        setHandedIn((now) => [...now, one])
      }
    })
  if (solutions.length === 0) return null
  return (
    <section class="card" aria-labelledby="solutions">
      <h2 id="solutions">Jury solutions</h2>
      <p class="soft small">
        The package has {plural(solutions.length, 'solution')} that can be judged here
        {solutions.length > mostRun && `; the first ${mostRun} are run`}. Each one is submitted in your name.
      </p>
      {handedIn.length === 0 ? (
        <button type="button" class="button" disabled={act.isBusy} onClick={() => void run()}>
          Run the solutions
        </button>
      ) : (
        <Outcomes handedIn={handedIn} />
      )}
      <FailedAct act={act} />
    </section>
  )
}

function Outcomes({ handedIn }: { handedIn: readonly HandedIn[] }) {
  const ids = handedIn.map(({ id }) => id).join(',')
  const loaded = useLoad(`solutions run ${ids}`, async () => {
    const answers = await callAll(
      handedIn.flatMap(({ id }) => [
        ['get_submission', { ID: id }] as const,
        ['get_submission_report', { ID: id }] as const,
      ]),
    )
    return handedIn.map(
      (one, at): Row => ({
        ...one,
        submission: openAnswer<{ Submission: Submission }>(answers[2 * at]!).Submission,
        report: answers[2 * at + 1]!.result as SubmissionReport | undefined,
      }),
    )
  })
  const { reload } = loaded
  useEffect(() => {
    const stops = ids.split(',').map((id) => watchSubmission(Number(id), reload))
    return () => {
      for (const stop of stops) stop()
    }
  }, [ids, reload])
  return (
    <section class="scroll" tabIndex={0} aria-label="Verdicts of the solutions">
      <Table rows={loaded.value ?? []} columns={columns} keyOf={({ id }) => id} />
    </section>
  )
}
