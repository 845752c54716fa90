/** The lines of one file's changes, in blocks that are drawn as they come into sight. */
import type { ComponentChildren } from 'preact'
import { useCallback, useMemo, useRef } from 'preact/hooks'
import type { ChangedFile } from '../../api/forge-types.ts'
import { useCurrentLine } from './current-line.ts'
import { DiffBlock } from './diff-block.tsx'
import { type DiffOptions, keyOfLine, type LinePlace, placeOf } from './diff-props.ts'
import { useHunkTokens } from './hunk-tokens.ts'
import { type Hunk, type Row, toRows } from './patch.ts'

type Props = DiffOptions & {
  readonly file: ChangedFile
  readonly isFirst: boolean
  readonly hunks: readonly Hunk[]
}

const blockSize = 60

export function DiffTable({ file, hunks, layout, below, onComment, isFirst }: Props) {
  const { filename: path } = file
  const rows = useMemo(() => toRows(hunks, layout), [hunks, layout])
  const tokens = useHunkTokens(hunks, path)
  const { table, current, point, press } = useCurrentLine(rows, onComment !== undefined)
  const begun = useRef<LinePlace | undefined>(undefined)
  const latest = useRef(onComment)
  latest.current = onComment
  const comment = useCallback((place: LinePlace, isLonger: boolean) => {
    const from = begun.current
    begun.current = place
    const isRange = isLonger && from?.side === place.side && from.line < place.line
    latest.current?.({ ...place, ...(isRange && { start: { side: from.side, line: from.line } }) })
  }, [])
  const blocks = useMemo(() => cutBlocks(path, rows), [rows, path])
  return (
    <table
      ref={table}
      class={`code-table diff-table ${layout}`}
      onPointerOver={current && point}
      onKeyDown={current && press}
    >
      <caption class="hidden-text">Changes of {path}</caption>
      <colgroup>
        <col class="number-column" />
        {layout === 'split' && <col />}
        <col class="number-column" />
        <col />
      </colgroup>
      {blocks.map(({ at, rows: part, keys }) => (
        <DiffBlock
          key={at}
          path={path}
          rows={part}
          at={at}
          layout={layout}
          tokens={tokens}
          below={below && pick(below, keys)}
          current={current && current.row >= at && current.row < at + blockSize ? current : undefined}
          isFirst={isFirst && at === 0}
          comment={comment}
        />
      ))}
    </table>
  )
}

type Block = {
  readonly at: number
  readonly rows: readonly Row[]
  /** The keys of the content below a row. */
  readonly keys: readonly (readonly string[])[]
}

function cutBlocks(path: string, rows: readonly Row[]): Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < rows.length; at += blockSize) {
    const part = rows.slice(at, at + blockSize)
    blocks.push({ at, rows: part, keys: part.map((row) => keysOf(path, row)) })
  }
  return blocks
}

function keysOf(path: string, row: Row): string[] {
  if (row.kind === 'hunk') return []
  const { left, right } = row
  const places = [left && placeOf(path, left, 'LEFT'), right && placeOf(path, right, 'RIGHT')]
  return places.flatMap((place) => (place ? [keyOfLine(place)] : []))
}

/** The content below each row of a block, if any. */
function pick(below: ReadonlyMap<string, ComponentChildren>, keys: Block['keys']) {
  if (!keys.some((names) => names.some((name) => below.has(name)))) return undefined
  return keys.map((names) => names.filter((name) => below.has(name)).map((name) => below.get(name)))
}
