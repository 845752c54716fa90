/** One file that changed: its name, how much of it, and its lines; or why there are none to show. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ChangedFile } from '../../api/forge-types.ts'
import { formatCount } from '../figures.ts'
import { useSeen } from '../seen.ts'
import { type DiffOptions, fileAnchor, lineHeight } from './diff-props.ts'
import { DiffTable } from './diff-table.tsx'
import { parsePatch } from './patch.ts'

type Props = DiffOptions & { readonly file: ChangedFile; readonly isFirst: boolean }

export function FileDiff(props: Props) {
  const { file, isFirst, linkOf, headOf, notesOf, folded } = props
  const { filename, previous_filename: former, status, patch } = file
  const seen = useSeen<HTMLElement>(isFirst)
  // A file that was shown once stays parsed, and is drawn block by block.
  const [isOpened, setOpened] = useState(isFirst)
  const isFolded = folded?.has(filename) ?? false
  useEffect(() => {
    if (seen.isNear) setOpened(true)
  }, [seen.isNear])
  const hunks = useMemo(() => (isOpened && patch ? parsePatch(patch) : undefined), [isOpened, patch])
  const link = linkOf?.(file)
  const name = (
    <>
      {former && former !== filename && (
        <>
          <bdi>{former}</bdi> <span aria-hidden="true">→</span>
          <span class="hidden-text"> is now </span>{' '}
        </>
      )}
      <bdi>{filename}</bdi>
    </>
  )
  return (
    <section
      ref={seen.place}
      class="card flush diff-file"
      id={fileAnchor(filename)}
      aria-label={`Changes of ${filename}`}
    >
      <header class="diff-head">
        <h2 class="diff-name">{link ? <a href={link}>{name}</a> : name}</h2>
        {status !== 'modified' && <span class="badge">{statusNames[status] ?? status}</span>}
        <Figures additions={file.additions} deletions={file.deletions} />
        {headOf && <span class="diff-acts">{headOf(file)}</span>}
      </header>
      {notesOf?.(file)}
      {!isFolded &&
        (patch ? (
          hunks ? (
            <DiffTable {...props} hunks={hunks} />
          ) : (
            <div style={{ height: `${estimateLines(patch) * lineHeight}px` }} />
          )
        ) : (
          <p class="diff-note soft">
            {explainNoLines(file)} {link && status !== 'removed' && <a href={link}>View the file</a>}
          </p>
        ))}
    </section>
  )
}

const statusNames: Readonly<Record<string, string>> = {
  added: 'Added',
  removed: 'Deleted',
  renamed: 'Renamed',
  copied: 'Copied',
  changed: 'Kind changed',
}

export const Figures = ({ additions, deletions }: { additions: number; deletions: number }) => (
  <span class="diff-figures">
    <span class="good-text">
      +{formatCount(additions)}
      <span class="hidden-text"> lines added</span>
    </span>{' '}
    <span class="bad-text">
      −{formatCount(deletions)}
      <span class="hidden-text"> lines deleted</span>
    </span>
  </span>
)

/** The interface gives no patch for these. */
function explainNoLines({ status, changes }: ChangedFile): string {
  if (changes > 0) return 'These changes are too large to show here.'
  if (status === 'renamed' || status === 'copied') return 'The content is the same.'
  return 'There is no text to show: the file is binary or empty, or only its mode changed.'
}

function estimateLines(patch: string): number {
  let count = 1
  for (let at = patch.indexOf('\n'); at >= 0; at = patch.indexOf('\n', at + 1)) count++
  return count
}
