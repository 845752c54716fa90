/** Some lines of a diff: drawn while they are near what is seen, and otherwise as high as they would be. */
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { CodeLine } from '../code-line.tsx'
import { useSeen } from '../seen.ts'
import type { CurrentLine } from './current-line.ts'
import { type LinePlace, lineHeight, placeOf } from './diff-props.ts'
import { type HunkTokens, tokensOf } from './hunk-tokens.ts'
import { findChangedPart, type Layout, type PatchLine, type Row, type Side } from './patch.ts'

type Props = {
  readonly path: string
  readonly rows: readonly Row[]
  /** The number of its first row. */
  readonly at: number
  readonly layout: Layout
  readonly tokens: HunkTokens | undefined
  readonly below: readonly (readonly ComponentChildren[])[] | undefined
  /** The line that offers to write about it, where it is among these. */
  readonly current: CurrentLine | undefined
  readonly isFirst: boolean
  comment(place: LinePlace, isLonger: boolean): void
}

export function DiffBlock(props: Props) {
  const { rows, layout, below, isFirst } = props
  const { place, isNear, height } = useSeen<HTMLTableSectionElement>(isFirst)
  const isDrawn = isNear || below !== undefined
  return (
    <tbody ref={place}>
      {isDrawn ? (
        <Rows {...props} />
      ) : (
        <tr>
          <td colSpan={countColumns(layout)} style={{ height: `${height ?? rows.length * lineHeight}px` }} />
        </tr>
      )}
    </tbody>
  )
}

const countColumns = (layout: Layout): number => (layout === 'split' ? 4 : 3)

function Rows(props: Props) {
  const { rows, at, layout, tokens, below, current } = props
  // Memoised for each state of its lines, because the pointer passes over many.
  const texts = useMemo(() => {
    const draw = (line: PatchLine | undefined) => line && <Text line={line} tokens={tokens} />
    return rows.map((row) => (row.kind === 'line' ? { left: draw(row.left), right: draw(row.right) } : undefined))
  }, [rows, tokens])
  return (
    <>
      {rows.flatMap((row, i) => {
        const key = at + i
        if (row.kind === 'hunk')
          return (
            <tr key={key} class="hunk-head">
              <td colSpan={countColumns(layout)}>{row.head}</td>
            </tr>
          )
        const notes = below?.[i] ?? []
        const cells = { row, texts: texts[i]!, side: current?.row === key ? current.side : undefined, ...props }
        return [
          <tr key={key} data-row={key}>
            {layout === 'split' ? <Pair {...cells} /> : <One {...cells} />}
          </tr>,
          notes.length > 0 && (
            <tr key={`${key} below`} class="line-notes">
              <td colSpan={countColumns(layout)}>{notes}</td>
            </tr>
          ),
        ]
      })}
    </>
  )
}

type CellsProps = Pick<Props, 'path' | 'comment'> & {
  readonly row: Extract<Row, { kind: 'line' }>
  readonly texts: { readonly left: ComponentChildren; readonly right: ComponentChildren }
  /** The side that offers to write about it. */
  readonly side: Side | undefined
}

function One({ row: { left, right }, texts, side, path, comment }: CellsProps) {
  const line = right ?? left!
  const own = right ? 'RIGHT' : 'LEFT'
  return (
    <>
      <td class={`line-number ${line.kind}`} data-line={left?.oldNumber} />
      <td class={`line-number ${line.kind}`} data-line={right?.newNumber} />
      <td class={`code-cell ${line.kind}`} data-sign={signs[line.kind]} data-side={own}>
        {side && <AddComment place={placeOf(path, line, own)} comment={comment} />}
        {texts.right ?? texts.left}
      </td>
    </>
  )
}

function Pair({ row: { left, right }, texts, side, path, comment }: CellsProps) {
  const draw = (line: PatchLine | undefined, own: Side, number: number | undefined, text: ComponentChildren) => {
    const kind = line?.kind ?? 'no-line'
    return (
      <>
        <td class={`line-number ${kind}`} data-line={number} data-side={own} />
        <td class={`code-cell ${kind}`} data-sign={line && signs[line.kind]} data-side={own}>
          {line && side === own && <AddComment place={placeOf(path, line, own)} comment={comment} />}
          {text}
        </td>
      </>
    )
  }
  return (
    <>
      {draw(left, 'LEFT', left?.oldNumber, texts.left)}
      {draw(right, 'RIGHT', right?.newNumber, texts.right)}
    </>
  )
}

const signs = { added: '+', removed: '−', context: ' ' } as const

const AddComment = ({ place, comment }: { place: LinePlace; comment: Props['comment'] }) => (
  <button
    type="button"
    class="add-comment"
    title="Comment on this line. Hold Shift to comment on all lines from the last one you chose."
    aria-label={`Comment on line ${place.line} of the ${place.side === 'LEFT' ? 'old' : 'new'} version`}
    onClick={(event) => comment(place, event.shiftKey)}
  >
    +
  </button>
)

const Text = ({ line, tokens }: { line: PatchLine; tokens: HunkTokens | undefined }) => (
  <>
    <CodeLine text={line.text} tokens={tokensOf(tokens, line)} marked={findChangedPart(line)} />
    {line.lacksEnd && <span class="no-end"> No newline at end of file</span>}
  </>
)
