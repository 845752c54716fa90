/** One submission: its verdict, what was found out about it, and its program. */
import { useMemo } from 'preact/hooks'
import type { SubmissionComment } from '../api/classes.ts'
import { isMissing } from '../api/fault.ts'
import type { Submission } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { go, usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { isAdmin, isSetter, languageName, ownsProblem, useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { ask } from '../parts/ask.tsx'
import { Copy } from '../parts/copy.tsx'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { Failed, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { Marking } from '../teach/sheets/marking.tsx'
import { Code } from './code.tsx'
import { Comments } from './comments.tsx'
import { readDraft, writeDraft } from './drafts.ts'
import { executing, finished } from './results.ts'
import { Verdict } from './verdict.tsx'
import { useWatched } from './watched.ts'

export function SubmissionView({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View id={Number(params.id)} /> : null
}

function View({ id }: { id: number }) {
  const session = useSession()
  // Where a teacher comes from the results of a sheet.
  const sheetId = Number(usePlace().query.get('sheet') ?? 0)
  const watched = useWatched(id)
  const uuid = watched.value?.submission.Problem.UUID
  const problem = useLoad(`limits ${uuid}`, async () =>
    uuid ? (await call('get_problem', { UUID: uuid })).Problem : undefined,
  )
  const mayComment = watched.value?.report !== undefined
  const comments = useLoad(`comments ${id} ${mayComment}`, async () =>
    mayComment ? (await call('get_submission_comment_list', { ID: id })).CommentList : [],
  )
  const author = watched.value?.submission.Author.AccountName
  const rosterName = watched.value?.report?.RosterName
  const nameOf = ({ AccountName, DisplayName }: SubmissionComment) =>
    (AccountName === author && rosterName) || DisplayName
  const notes = useMemo(
    () =>
      comments.value?.flatMap((one) =>
        one.Line === null ? [] : [{ line: one.Line, author: nameOf(one), text: one.Text }],
      ),
    [comments.value, author, rosterName],
  )
  const act = useAct()
  const limits = problem.value && {
    timeMs: problem.value.TimeLimitInMillisecond,
    memoryBytes: problem.value.MemoryLimitInByte,
  }
  const rejudge = () =>
    act.run(async () => {
      await call('rejudge_submission', { ID: id })
      watched.reload()
    })
  const remove = () =>
    act.run(async () => {
      const isSure = await ask({
        title: `Delete submission ${id}?`,
        text: 'The program and its result are deleted.',
        action: 'Delete',
      })
      if (!isSure) return
      await call('delete_submission', { ID: id })
      go('/-/judge/submissions')
    })
  const editAgain = async ({ Problem, Language, Content }: Submission) => {
    const { ID } = session.account!
    const kept = readDraft(ID, Problem.UUID)
    const draft = kept?.texts[Language] ?? ''
    const question = {
      title: 'Replace your draft?',
      text: 'Your draft for this problem will be replaced by this submission.',
      action: 'Replace',
    }
    if (draft.trim() !== '' && draft !== Content && !(await ask(question))) return
    writeDraft(ID, Problem.UUID, { language: Language, texts: { ...kept?.texts, [Language]: Content } }, kept?.stamp)
    go(`/-/judge/problems/${Problem.UUID}`)
  }
  if (watched.value === undefined && (isMissing(watched.error) || !Number.isSafeInteger(id)))
    return (
      <NotFound title="There is no such submission here">
        It may have been deleted, or you may not have access to it. <a href="/-/judge/submissions">All submissions</a>
      </NotFound>
    )
  return (
    <Ready of={watched}>
      {({ submission, report }) => (
        <>
          <Heading
            title={`Submission ${id}`}
            note={
              <>
                <a href={`/-/judge/problems/${submission.Problem.UUID}`}>{submission.Problem.DisplayName}</a> ·{' '}
                {report?.RosterName
                  ? `${report.RosterName} (${submission.Author.AccountName})`
                  : submission.Author.DisplayName}{' '}
                · {languageName(submission.Language)} · <When at={submission.CreatedTime} />
              </>
            }
          >
            {problem.value && ownsProblem(session, problem.value) && submission.Status === finished && (
              <button type="button" class="button" disabled={act.isBusy} onClick={() => void rejudge()}>
                Rejudge
              </button>
            )}
            {report?.MayDelete && (isAdmin(session) || submission.Status !== executing) && (
              <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void remove()}>
                Delete
              </button>
            )}
          </Heading>
          {act.error !== undefined && <Failed error={act.error} />}
          {sheetId > 0 && isSetter(session) && (
            <Marking
              sheetId={sheetId}
              login={submission.Author.AccountName}
              uuid={submission.Problem.UUID}
              submissionId={submission.ID}
            />
          )}
          <div class="solve">
            <section class="card" aria-label="Verdict">
              {report ? (
                <Verdict
                  id={id}
                  limits={limits}
                  ownsProblem={problem.value !== undefined && ownsProblem(session, problem.value)}
                />
              ) : (
                <p class="soft">Only its author and the problem’s author can see the details.</p>
              )}
            </section>
            {submission.Content !== '' && (
              <section class="card flush" aria-label="Program">
                <div class="row code-bar">
                  <h2 class="grow">Program</h2>
                  <Copy text={submission.Content} what="the program" />
                  {session.account?.Role !== 'worker' && (
                    <button type="button" class="button tight" onClick={() => void editAgain(submission)}>
                      Edit and resubmit
                    </button>
                  )}
                </div>
                <Code
                  text={submission.Content}
                  language={submission.Language}
                  label="The program"
                  isReadOnly
                  notes={notes}
                />
              </section>
            )}
          </div>
          {report && (
            <Comments id={id} lines={submission.Content.split('\n').length} loaded={comments} nameOf={nameOf} />
          )}
        </>
      )}
    </Ready>
  )
}
