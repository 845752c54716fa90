/** One line of code: its words in their colours, a part of it marked, and no more of it than anyone reads. */
import type { VNode } from 'preact'
import type { Token } from './code-tokens.ts'
import { formatCount } from './figures.ts'

/** The rest of a longer line is counted, not shown: a line of a megabyte would take seconds to lay out. */
const mostShown = 2_000

type Props = {
  readonly text: string
  readonly tokens?: readonly Token[] | undefined
  readonly marked?: readonly [from: number, to: number] | undefined
}

export function CodeLine({ text, tokens = [], marked }: Props) {
  const shown = text.length > mostShown ? text.slice(0, mostShown) : text
  const pieces = cutPieces(shown.length, tokens, marked)
  return (
    <>
      {pieces.map(([from, to, classes]) => toPiece(shown.slice(from, to), classes, from))}
      {text.length > mostShown && (
        <span class="line-rest"> … {formatCount(text.length - mostShown)} more characters</span>
      )}
    </>
  )
}

const toPiece = (text: string, classes: string, key: number): VNode | string =>
  classes === '' ? (
    text
  ) : (
    <span key={key} class={classes}>
      {text}
    </span>
  )

type Piece = [from: number, to: number, classes: string]

/** The words, what is between them, and the marked part, as pieces that do not overlap. */
function cutPieces(length: number, tokens: readonly Token[], marked: Props['marked']): Piece[] {
  const words: Piece[] = []
  let at = 0
  for (const [start, end, classes] of tokens) {
    const [from, to] = [Math.max(start, at), Math.min(end, length)]
    if (from >= to) continue
    if (from > at) words.push([at, from, ''])
    words.push([from, to, classes])
    at = to
  }
  if (at < length) words.push([at, length, ''])
  if (!marked || marked[0] >= marked[1]) return words
  const [first, last] = marked
  return words.flatMap(([from, to, classes]): Piece[] => {
    const inner: Piece = [Math.max(from, first), Math.min(to, last), `${classes} changed-part`.trim()]
    if (inner[0] >= inner[1]) return [[from, to, classes]]
    const parts: Piece[] = [[from, inner[0], classes], inner, [inner[1], to, classes]]
    return parts.filter(([start, end]) => start < end)
  })
}
