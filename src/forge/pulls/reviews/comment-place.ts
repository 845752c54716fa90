/** Finds the place of a line comment: by position in the diff, or by lines of one side, in a commit of the pull. */
import type { DiffSide } from '../../../store/schema/pull-tables.ts'
import { invalidField } from '../../failures.ts'
import type { FileChange } from '../../git/read/diff.ts'
import { isObjectId } from '../../git/ref-name.ts'
import type { Merging } from '../../git/write/merging.ts'
import type { Pull } from '../pull.ts'
import type { PullFigures } from '../pull-figures.ts'
import { type DiffLine, findByLine, findByPosition, hunkUpTo, lineOf, parsePatch, sideOf } from './diff-lines.ts'

export type CommentDraft = {
  readonly path: string
  readonly body: string
  readonly commitSha?: string | undefined
  readonly position?: number | undefined
  readonly line?: number | undefined
  readonly side?: DiffSide | undefined
  readonly startLine?: number | undefined
  readonly startSide?: DiffSide | undefined
  readonly subject?: 'line' | 'file' | undefined
}

/** The columns that store a comment's place. */
export type CommentPlace = {
  readonly path: string
  readonly subject_kind: 'line' | 'file'
  readonly diff_hunk: string
  readonly side: DiffSide
  readonly start_side: DiffSide | null
  readonly original_commit_sha: string
  readonly original_position: number
  readonly original_line: number
  readonly original_start_line: number | null
}

export type CommentPlaces = ReturnType<typeof makeCommentPlaces>

export function makeCommentPlaces({ figures, merging }: { figures: PullFigures; merging: Merging }) {
  async function findCommit({ head, base }: Pull, sha: string | undefined): Promise<string> {
    if (sha === undefined || sha === head.sha) return head.sha
    const isOfPull = isObjectId(sha) && (await merging.isAncestor(base.repository, sha, head.sha).catch(() => false))
    if (!isOfPull) throw invalidField('commit_id', 'invalid', 'commit_id is not part of the pull request')
    return sha
  }

  return {
    findCommit,

    /** Parses each diff once for many comments on the same commit. */
    async place(pull: Pull, drafts: readonly CommentDraft[]): Promise<CommentPlace[]> {
      const places: CommentPlace[] = []
      const parsed = new Map<string, readonly DiffLine[]>()
      const parseOnce = (sha: string, { path, patch = '' }: FileChange) => {
        const lines = parsed.get(`${sha} ${path}`) ?? parsePatch(patch)
        parsed.set(`${sha} ${path}`, lines)
        return lines
      }
      for (const draft of drafts) {
        const sha = await findCommit(pull, draft.commitSha)
        const changes = await figures.filesAt(pull, sha)
        const change = changes.find(({ path }) => path === draft.path)
        if (!change) throw invalidField('path', 'invalid', 'path is not a file that the pull request changes')
        places.push(placeIn(change, sha, draft, () => parseOnce(sha, change)))
      }
      return places
    },
  }
}

function placeIn(
  { path }: FileChange,
  sha: string,
  draft: CommentDraft,
  readLines: () => readonly DiffLine[],
): CommentPlace {
  const common = { path, original_commit_sha: sha }
  if (draft.subject === 'file')
    return {
      ...common,
      subject_kind: 'file',
      diff_hunk: '',
      side: 'RIGHT',
      start_side: null,
      original_position: 1,
      original_line: 1,
      original_start_line: null,
    }
  const lines = readLines()
  const found = findLine(lines, draft)
  if (!found)
    throw invalidField(draft.line === undefined ? 'position' : 'line', 'invalid', 'It must be part of the diff')
  const side = draft.line === undefined ? sideOf(found) : (draft.side ?? 'RIGHT')
  const line = lineOf(found, side) ?? 0
  const startSide = draft.startLine === undefined ? null : (draft.startSide ?? side)
  if (draft.startLine !== undefined) demandStart(lines, draft.startLine, startSide!, found)
  return {
    ...common,
    subject_kind: 'line',
    diff_hunk: hunkUpTo(lines, found),
    side,
    start_side: startSide,
    original_position: found.position,
    original_line: line,
    original_start_line: draft.startLine ?? null,
  }
}

function findLine(lines: readonly DiffLine[], { line, side = 'RIGHT', position }: CommentDraft): DiffLine | undefined {
  if (line !== undefined) return findByLine(lines, line, side)
  return position === undefined ? undefined : findByPosition(lines, position)
}

/** The start must be above the line, in the same hunk. */
function demandStart(lines: readonly DiffLine[], startLine: number, side: DiffSide, end: DiffLine): void {
  const start = findByLine(lines, startLine, side)
  if (start && start.position < end.position && start.hunkStart === end.hunkStart) return
  throw invalidField('start_line', 'invalid', 'start_line must precede the line, in the same hunk')
}
