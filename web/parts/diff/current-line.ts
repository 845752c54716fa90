/**
 * The one line of a file that offers to write about it: where the pointer is, or where the arrow keys led to. So the keyboard
 * passes each file in one step, however long it is.
 */
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Row, Side } from './patch.ts'

export type CurrentLine = { readonly row: number; readonly side: Side }

type Current = {
  readonly table: RefObject<HTMLTableElement | null>
  /** Undefined where nothing can be written. */
  readonly current: CurrentLine | undefined
  point(event: PointerEvent): void
  press(event: KeyboardEvent): void
}

const sides: Readonly<Record<string, Side>> = { ArrowLeft: 'LEFT', ArrowRight: 'RIGHT' }
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

export function useCurrentLine(rows: readonly Row[], isWanted: boolean): Current {
  const first = useMemo(
    () =>
      settle(
        rows,
        rows.findIndex(({ kind }) => kind === 'line'),
        'RIGHT',
      ),
    [rows],
  )
  const [chosen, choose] = useState(first)
  const table = useRef<HTMLTableElement>(null)
  const isMoved = useRef(false)
  useEffect(() => choose(first), [first])
  useLayoutEffect(() => {
    if (!isMoved.current) return
    isMoved.current = false
    table.current?.querySelector<HTMLElement>('.add-comment')?.focus()
  }, [chosen])
  const point = ({ target }: PointerEvent) => {
    const cell = (target as Element).closest<HTMLElement>('tr[data-row] > td')
    if (!cell) return
    const row = Number(cell.parentElement!.dataset.row)
    const next = settle(rows, row, (cell.dataset.side as Side | undefined) ?? 'RIGHT')
    if (next && (next.row !== chosen?.row || next.side !== chosen.side)) choose(next)
  }
  const press = (event: KeyboardEvent) => {
    if (!chosen || !(event.target as Element).classList.contains('add-comment')) return
    const step = steps[event.key]
    const side = sides[event.key] ?? chosen.side
    if (step === undefined && side === chosen.side) return
    let row = chosen.row + (step ?? 0)
    while (rows[row]?.kind === 'hunk') row += step!
    const next = settle(rows, row, side)
    if (!next) return
    event.preventDefault()
    isMoved.current = true
    choose(next)
  }
  return { table, current: isWanted ? chosen : undefined, point, press }
}

/** A row without a line on that side is pointed at by the other one. */
function settle(rows: readonly Row[], at: number, side: Side): CurrentLine | undefined {
  const row = rows[at]
  if (row?.kind !== 'line') return undefined
  return { row: at, side: (side === 'LEFT' ? row.left : row.right) ? side : side === 'LEFT' ? 'RIGHT' : 'LEFT' }
}
