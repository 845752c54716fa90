/** The files of a pull, with comments on their lines: to be read, reviewed and ticked off. */
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type Listed, readList } from '../api/forge.ts'
import type { ChangedFile, Repository } from '../api/forge-types.ts'
import type { Pull, ReviewComment } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { useMoreFiles } from '../code/more-files.ts'
import { rightsOn } from '../issues/issue-side.tsx'
import { type Place, placeOfThread } from '../issues/thread.ts'
import { Changes } from '../parts/diff/changes.tsx'
import { keyOfLine, type LineRange } from '../parts/diff/diff-props.ts'
import { parsePatch } from '../parts/diff/patch.ts'
import { Ready } from '../parts/state.tsx'
import { type Finishing, FinishReview, useFinishing } from './finish-review.tsx'
import { LineCommentForm } from './line-comment-form.tsx'
import { type PendingReview, usePendingReview } from './pending-review.ts'
import { pullPath, readComments, usePull, usePullLive } from './pull-data.ts'
import { PullPage } from './pull-page.tsx'
import { LineThreadView, placeOfThread as lineOf, toThreads } from './review-threads.tsx'
import { useViewed } from './viewed.ts'
import { isWhiteSpaceAlone, withoutWhiteSpace } from './white-space.ts'

const size = 100

const readFiles = (place: Place, page: number) =>
  readList<ChangedFile>(pullPath(place, 'files'), { per_page: size, page })

export function PullFilesView({ params }: ViewProps) {
  const place = placeOfThread(params)
  const pull = usePull(place)
  const files = useLoad(`files ${pullPath(place)}`, () => readFiles(place, 1))
  const comments = useLoad(`comments ${pullPath(place)}`, () => readComments(place))
  const finishing = useFinishing()
  const reload = () => {
    pull.reload()
    files.reload()
    comments.reload()
  }
  usePullLive(pull.value, reload)
  return (
    <PullPage params={params} tab="files" loaded={pull} reload={reload}>
      {(shown, repository) => (
        <Ready of={files}>
          {(first) => (
            <Files
              key={shown.head.sha}
              pull={shown}
              place={place}
              repository={repository}
              first={first}
              comments={comments.value ?? []}
              finishing={finishing}
              reload={reload}
            />
          )}
        </Ready>
      )}
    </PullPage>
  )
}

type Props = {
  readonly pull: Pull
  readonly place: Place
  readonly repository: Repository
  readonly first: Listed<ChangedFile>
  readonly comments: readonly ReviewComment[]
  readonly finishing: Finishing
  reload(): void
}

function Files({ pull, place, repository, first, comments, finishing, reload }: Props) {
  const { account } = useSession()
  const isBare = usePlace().query.get('w') === '1'
  const path = pullPath(place)
  const viewed = useViewed(path)
  const pending = usePendingReview(path)
  const [open, setOpen] = useState<LineRange>()
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const { mayWrite } = rightsOn(repository)
  const mayComment = account !== undefined && !repository.archived && (!pull.locked || mayWrite)
  const isAuthor = account !== undefined && pull.user?.login === account.AccountName
  const more = useMoreFiles(first.items, first.hasMore, async (page) => {
    const next = await readFiles(place, page)
    return { files: next.items, hasMore: next.hasMore }
  })
  const files = useMemo(() => (isBare ? more.files.map(withoutWhiteSpace) : more.files), [more.files, isBare])
  const folded = new Set(
    files.filter((file) => viewed.has(file) && !unfolded.has(file.filename)).map(({ filename }) => filename),
  )
  const seen = files.filter((file) => viewed.has(file)).length
  const name = repository.full_name
  const context = {
    pull,
    place: name,
    people: pull.user ? [pull.user.login] : [],
    mayWrite,
    mayComment,
    reload,
  }
  const threads = toThreads(comments)
  const below = new Map<string, ComponentChildren>()
  const put = (key: string, part: ComponentChildren) => below.set(key, [below.get(key), part])
  for (const thread of threads) {
    const line = lineOf(thread)
    if (line && thread.root.subject_type === 'line')
      put(keyOfLine(line), <LineThreadView key={thread.root.id} thread={thread} isAmongLines {...context} />)
  }
  for (const comment of pending.comments)
    put(
      keyOfLine(comment),
      <Pending key={comment.key} body={comment.body} remove={() => pending.remove(comment.key)} />,
    )
  if (open)
    put(
      keyOfLine(open),
      <LineCommentForm
        key="form"
        range={open}
        pull={pull}
        path={path}
        place={name}
        pending={pending}
        lines={textOf(more.files, open)}
        close={() => setOpen(undefined)}
        reload={reload}
      />,
    )
  const linkOf = (file: ChangedFile) =>
    pull.head.repo && file.status !== 'removed'
      ? `/${pull.head.repo.full_name}/blob/${pull.head.sha}/${file.filename.split('/').map(encodeURIComponent).join('/')}`
      : undefined
  return (
    <>
      <div class="row files-bar">
        <label class="check">
          <input
            type="checkbox"
            checked={isBare}
            onChange={(event) => setQuery({ w: event.currentTarget.checked ? '1' : undefined })}
          />
          <span>Ignore white space</span>
        </label>
        <span class="soft small grow">
          {seen} of {files.length} files viewed
        </span>
        {mayComment && pull.state === 'open' && (
          <FinishReview
            finishing={finishing}
            pull={pull}
            path={path}
            place={name}
            pending={pending}
            isAuthor={isAuthor}
            reload={reload}
          />
        )}
      </div>
      <PendingElsewhere pending={pending} files={more.files} />
      <Changes
        {...more}
        files={files}
        below={below}
        {...(mayComment && { onComment: setOpen })}
        linkOf={linkOf}
        folded={folded}
        headOf={(file) => (
          <label class="row small viewed">
            <input
              type="checkbox"
              checked={viewed.has(file)}
              onChange={(event) => {
                viewed.set(file, event.currentTarget.checked)
                setUnfolded(new Set([...unfolded].filter((path) => path !== file.filename)))
              }}
            />
            Viewed<span class="hidden-text"> {file.filename}</span>
          </label>
        )}
        notesOf={(file) => (
          <>
            {isBare && isWhiteSpaceAlone(more.files.find(({ filename }) => filename === file.filename) ?? file) && (
              <p class="diff-note soft">Only white space changed.</p>
            )}
            {threads
              .filter(({ root }) => root.subject_type === 'file' && root.path === file.filename)
              .map((thread) => (
                <LineThreadView key={thread.root.id} thread={thread} isAmongLines {...context} />
              ))}
          </>
        )}
      />
    </>
  )
}

/** The new text of the lines that are written about, as far as the patch has them. */
function textOf(files: readonly ChangedFile[], { path, side, line, start }: LineRange): string | undefined {
  if (side !== 'RIGHT') return undefined
  const patch = files.find(({ filename }) => filename === path)?.patch
  const from = start?.line ?? line
  const lines = parsePatch(patch ?? '')
    .flatMap((hunk) => hunk.lines)
    .filter(({ newNumber }) => newNumber !== undefined && newNumber >= from && newNumber <= line)
  return lines.length === line - from + 1 ? lines.map(({ text }) => text.replace(/\r$/, '')).join('\n') : undefined
}

const Pending = ({ body, remove }: { body: string; remove(): void }) => (
  <div class="card pending-comment">
    <p class="row spread-tight">
      <span class="badge wait">Pending</span>
      <button type="button" class="button quiet tight" onClick={remove}>
        Remove
      </button>
    </p>
    <pre class="pending-text" tabIndex={0}>
      {body}
    </pre>
  </div>
)

/** The lines that some comments were for may be gone after a push: they are shown nonetheless. */
function PendingElsewhere({ pending, files }: { pending: PendingReview; files: readonly ChangedFile[] }) {
  const known = new Set(files.map(({ filename }) => filename))
  const lost = pending.comments.filter(({ path }) => !known.has(path))
  return lost.map((comment) => (
    <div key={comment.key}>
      <p class="small soft">
        {comment.path}, line {comment.line}: this file is not shown.
      </p>
      <Pending body={comment.body} remove={() => pending.remove(comment.key)} />
    </div>
  ))
}
