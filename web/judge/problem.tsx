/** A problem: its statement on one side, the program and its verdict on the other. */
import type { ProblemLink } from '../api/classes.ts'
import { isMissing } from '../api/fault.ts'
import type { Judging } from '../api/judging.ts'
import type { Problem } from '../api/operations.ts'
import { callAll, openAnswer } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import { ownsProblem, useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { Copy } from '../parts/copy.tsx'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { Heading } from '../parts/heading.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { Rendered } from '../parts/rendered.tsx'
import { Ready } from '../parts/state.tsx'
import { HeldNotice } from '../teach/problems/held.tsx'
import { describePoints } from './points.tsx'
import { RepositoriesOfProblem } from './problem-repositories.tsx'
import { SheetsOfProblem } from './problem-sheets.tsx'
import { Workplace } from './workplace.tsx'

type Shown = {
  readonly problem: Problem
  readonly html: string
  readonly judging: Judging | undefined
  readonly links: readonly ProblemLink[]
}

export async function readProblem(UUID: string): Promise<Shown> {
  const [problem, statement, judging, links] = await callAll([
    ['get_problem', { UUID }],
    ['get_problem_statement', { UUID }],
    ['get_problem_judging', { UUID }],
    ['get_problem_repository_list', { UUID }],
  ])
  return {
    problem: openAnswer<{ Problem: Problem }>(problem!).Problem,
    html: openAnswer<{ HTML: string }>(statement!).HTML,
    judging: (judging?.result as { Judging: Judging } | undefined)?.Judging,
    links: (links?.result as { ProblemLinkList: readonly ProblemLink[] } | undefined)?.ProblemLinkList ?? [],
  }
}

export function ProblemView({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View uuid={params.uuid!} /> : null
}

function View({ uuid }: { uuid: string }) {
  const session = useSession()
  const loaded = useLoad(`problem ${uuid}`, () => readProblem(uuid))
  if (loaded.value === undefined && isMissing(loaded.error)) return <MissingProblem />
  return (
    <Ready of={loaded}>
      {({ problem, html, judging, links }) => (
        <>
          <Heading
            title={problem.DisplayName}
            note={
              <>
                {formatMs(problem.TimeLimitInMillisecond)} · {formatBytes(problem.MemoryLimitInByte)} ·{' '}
                {judging?.IsScored && `${describePoints(judging)} · `}by {problem.Author.DisplayName}
              </>
            }
          >
            {ownsProblem(session, problem) && <OwnerLinks uuid={uuid} />}
          </Heading>
          {ownsProblem(session, problem) && <HeldNotice uuid={uuid} />}
          <SheetsOfProblem uuid={uuid} />
          <RepositoriesOfProblem links={links} />
          {judging?.LastFault && <FaultNotice uuid={uuid} fault={judging.LastFault} />}
          <div class="solve">
            <section class="stack" aria-label="Statement">
              <Rendered html={html} />
              <Examples problem={problem} />
            </section>
            <section aria-label="Your program">
              <Workplace problem={problem} />
            </section>
          </div>
        </>
      )}
    </Ready>
  )
}

export const MissingProblem = () => (
  <NotFound title="There is no such problem here">
    It may have been deleted, or it is not open to you yet. <a href="/-/judge">All problems</a>
  </NotFound>
)

/** Further submissions fail in the same way, so the author should know at once. */
const FaultNotice = ({ uuid, fault }: { uuid: string; fault: NonNullable<Judging['LastFault']> }) => (
  <div class="notice bad" role="alert">
    <p>
      The checker or interactor failed on{' '}
      <a href={`/-/judge/submissions/${fault.SubmissionID}`}>submission {fault.SubmissionID}</a>:{' '}
      <code>{fault.Message || 'no message'}</code> Fix it, then rejudge.
    </p>
    <a class="button tight" href={`/-/judge/problems/${uuid}/judging`}>
      Judging
    </a>
  </div>
)

const OwnerLinks = ({ uuid }: { uuid: string }) => (
  <>
    <a class="button" href={`/-/judge/problems/${uuid}/edit`}>
      Edit
    </a>
    <a class="button" href={`/-/judge/problems/${uuid}/tests`}>
      Tests
    </a>
    <a class="button" href={`/-/judge/problems/${uuid}/judging`}>
      Judging
    </a>
    <a class="button" href={`/-/judge/problems/${uuid}/rejudge`}>
      Rejudge
    </a>
  </>
)

export function Examples({ problem: { ExampleList } }: { problem: Problem }) {
  return (
    <>
      {ExampleList.map((example, at) => (
        <div class="example" key={at}>
          <h2>{ExampleList.length > 1 ? `Example ${at + 1}` : 'Example'}</h2>
          <div class="example-pair">
            <Sample title="Input" text={example.Input} what={`the input of example ${at + 1}`} />
            <Sample title="Output" text={example.Output} what={`the output of example ${at + 1}`} />
          </div>
        </div>
      ))}
    </>
  )
}

const Sample = ({ title, text, what }: { title: string; text: string; what: string }) => (
  <div class="sample">
    <div class="row">
      <h3 class="grow">{title}</h3>
      <Copy text={text} what={what} />
    </div>
    <pre tabIndex={0}>{text}</pre>
  </div>
)
