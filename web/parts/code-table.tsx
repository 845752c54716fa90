/** A text line by line, with numbers that can be linked to; drawn in blocks as they come into sight. */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { CodeLine } from './code-line.tsx'
import type { Tokens } from './code-tokens.ts'
import { languageOfFile } from './languages.ts'
import { useSeen } from './seen.ts'

export type Lines = readonly [first: number, last: number]

/** How a line looks that belongs to something, and what stands before its code. */
export type LineMark = { readonly look: string; readonly sign: string | undefined }

type Props = {
  readonly text: string
  /** Of the file, by whose name its language is known. */
  readonly path: string
  /** Counted from 1. */
  readonly selected?: Lines | undefined
  select?(lines: Lines): void
  /** A cell before a line's number. */
  beforeOf?(line: number): ComponentChildren
  /** The same function for the same marks. */
  markOf?(line: number): LineMark | undefined
  /** Where the path says little. */
  readonly caption?: string
}

const blockSize = 100
const lineHeight = 21

export function CodeTable({ text, path, selected, select, beforeOf, markOf, caption = path }: Props) {
  const lines = useMemo(() => splitLines(text), [text])
  const starts = useMemo(() => startsOf(lines), [lines])
  const tokens = useTokens(text, path)
  const place = useRef<HTMLTableElement>(null)
  const from = selected?.[0]
  useEffect(() => {
    if (from === undefined) return
    const line = place.current?.querySelector(`[data-at="${from}"]`)
    if (line) showLine(line)
  }, [from, lines])
  const choose = (event: MouseEvent) => {
    const number = (event.target as Element).closest<HTMLElement>('.line-number')?.dataset.line
    if (!number || !select) return
    const line = Number(number)
    select(event.shiftKey && from !== undefined ? [Math.min(from, line), Math.max(from, line)] : [line, line])
  }
  const blocks = Array.from({ length: Math.ceil(lines.length / blockSize) }, (_, i) => i * blockSize)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field for a line's number does the same by the keyboard
    <table ref={place} class={`code-table file-table${beforeOf ? ' blamed' : ''}`} onClick={select && choose}>
      <caption class="hidden-text">{caption}</caption>
      <colgroup>
        {beforeOf && <col class="blame-column" />}
        <col class="number-column" />
        <col />
      </colgroup>
      {blocks.map((at) => (
        <Block
          key={at}
          at={at}
          lines={lines}
          starts={starts}
          tokens={tokens}
          selected={selected}
          beforeOf={beforeOf}
          markOf={markOf}
          isPinned={from !== undefined && from > at && from <= at + blockSize}
        />
      ))}
    </table>
  )
}

type BlockProps = {
  readonly at: number
  readonly lines: readonly string[]
  readonly starts: readonly number[]
  readonly tokens: Tokens | undefined
  readonly selected: Lines | undefined
  readonly isPinned: boolean
  readonly beforeOf: ((line: number) => ComponentChildren) | undefined
  readonly markOf: ((line: number) => LineMark | undefined) | undefined
}

function Block({ at, lines, starts, tokens, selected, isPinned, beforeOf, markOf }: BlockProps) {
  const { place, isNear, height } = useSeen<HTMLTableSectionElement>(at === 0)
  const part = useMemo(() => lines.slice(at, at + blockSize), [lines, at])
  const drawn = useMemo(
    () =>
      isNear || isPinned
        ? part.map((line, i) => (
            <CodeLine text={line} tokens={tokens?.(starts[at + i]!, starts[at + i]! + line.length)} />
          ))
        : undefined,
    [isNear, isPinned, part, tokens],
  )
  const lookOf = (line: number) => {
    const isChosen = selected !== undefined && line >= selected[0] && line <= selected[1]
    return [markOf?.(line)?.look, isChosen && 'chosen'].filter(Boolean).join(' ') || undefined
  }
  return (
    <tbody ref={place}>
      {drawn ? (
        drawn.map((line, i) => {
          const number = at + i + 1
          return (
            <tr key={number} data-at={number} class={lookOf(number)}>
              {beforeOf && <td class="blame-cell">{beforeOf(number)}</td>}
              <td class="line-number" data-line={number} />
              <td class="code-cell" data-sign={markOf?.(number)?.sign}>
                {line}
              </td>
            </tr>
          )
        })
      ) : (
        <tr>
          <td colSpan={beforeOf ? 3 : 2} style={{ height: `${height ?? part.length * lineHeight}px` }} />
        </tr>
      )}
    </tbody>
  )
}

/** A pane that scrolls by itself leaves the page where it is. */
function showLine(line: Element): void {
  const pane = line.closest('.code-pane')
  if (!pane) line.scrollIntoView({ block: 'center' })
  else pane.scrollTop += line.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 4
}

/** A line feed at the end ends the last line, and begins none. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

function startsOf(lines: readonly string[]): number[] {
  let at = 0
  return lines.map((line) => {
    const start = at
    at += line.length + 1
    return start
  })
}

function useTokens(text: string, path: string): Tokens | undefined {
  const [found, setFound] = useState<{ text: string; tokens: Tokens | undefined }>()
  const language = languageOfFile(path)
  useEffect(() => {
    if (!language) return
    let isWanted = true
    // Colours are a nicety: where they can't be loaded, the code is read without.
    import('./code-tokens.ts')
      .then(({ parseCode }) => parseCode(text, language, () => isWanted))
      .then((tokens) => isWanted && setFound({ text, tokens }))
      .catch(() => {})
    return () => {
      isWanted = false
    }
  }, [text, language])
  return found?.text === text ? found.tokens : undefined
}
