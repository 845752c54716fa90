/** Changes that a comment suggests: shown beside what stands there, and applied as a commit on the pull's branch. */
import { Fault } from '../api/fault.ts'
import { read, repositoryPath, send } from '../api/forge.ts'
import type { Pull, ReviewComment } from '../api/issue-types.ts'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'
import { applyTo, readSuggestion } from './suggested-lines.ts'

type Content = { readonly sha: string; readonly content: string; readonly encoding: string }

async function apply(pull: Pull, comment: ReviewComment, suggestion: string): Promise<void> {
  const { repo, ref } = pull.head
  if (!repo || comment.line === null) return
  const path = repositoryPath(repo.owner.login, repo.name, 'contents', comment.path)
  const found = await read<Content>(path, { ref })
  const bytes = Uint8Array.from(atob(found.content.replace(/\s/g, '')), (letter) => letter.charCodeAt(0))
  const text = decode(bytes)
  const lines = text.split('\n')
  const shown = lastLine(comment.diff_hunk)
  if (shown !== undefined && lines[comment.line - 1]?.replace(/\r$/, '') !== shown.replace(/\r$/, ''))
    throw new Fault(409, 'The line has changed since this was suggested. Reload the page to see it as it is now.')
  const next = new TextEncoder().encode(applyTo(text, comment.start_line ?? comment.line, comment.line, suggestion))
  await send('PUT', path, {
    message: `Apply a suggestion to ${comment.path}\n\nSuggested by @${comment.user?.login ?? 'ghost'}.`,
    content: btoa(Array.from(next, (byte) => String.fromCharCode(byte)).join('')),
    // Changes that were made to the file in the meantime are not overwritten.
    sha: found.sha,
    branch: ref,
  })
}

/** Binary content would not survive decoding and encoding. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Fault(422, 'The file is not UTF-8 text, so the suggestion can’t be applied here.')
  }
}

const lastLine = (hunk: string): string | undefined => hunk.split('\n').at(-1)?.slice(1)

type Props = { readonly pull: Pull; readonly comment: ReviewComment; readonly mayApply: boolean; reload(): void }

export function Suggestion({ pull, comment, mayApply, reload }: Props) {
  const act = useAct()
  const suggestion = readSuggestion(comment.body)
  if (suggestion === undefined) return null
  const { original_line: line, original_start_line: start } = comment
  const count = line === null ? 1 : line - (start ?? line) + 1
  const before = comment.diff_hunk.split('\n').slice(-count)
  const isCurrent = comment.line !== null && comment.side === 'RIGHT' && pull.state === 'open' && pull.head.repo
  return (
    <figure class="suggestion">
      <figcaption class="row spread-tight">
        <span class="small soft">Suggested change</span>
        {isCurrent && mayApply ? (
          <button
            type="button"
            class="button tight"
            disabled={act.isBusy}
            onClick={() =>
              void act.run(async () => {
                await apply(pull, comment, suggestion)
                reload()
              })
            }
          >
            Apply suggestion
          </button>
        ) : (
          !isCurrent && <span class="small soft">{comment.line === null ? 'Outdated' : ''}</span>
        )}
      </figcaption>
      <pre tabIndex={0}>
        {before.map((text, at) => (
          <span key={`before ${at}`} class="removed-line">
            {`- ${text.slice(1)}\n`}
          </span>
        ))}
        {suggestion !== '' &&
          suggestion.split('\n').map((text, at) => (
            <span key={`after ${at}`} class="added-line">
              {`+ ${text}\n`}
            </span>
          ))}
      </pre>
      <FailedAct act={act} />
    </figure>
  )
}
