/** Tables of a list: each column says its head and what a row has in it. */
import type { ComponentChildren } from 'preact'

export type Column<T> = {
  /** Text for screen readers only goes in `<HiddenHead>`. */
  readonly head: ComponentChildren
  /** The class of all its cells, including the head: `number`, `wide-only`, `roomy-only`. */
  readonly class?: string
  /** The class of the cells below the head only: `soft`, `acts`. */
  readonly look?: string
  cell(row: T, at: number): ComponentChildren
}

type Props<T> = {
  readonly rows: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly class?: string
  keyOf(row: T): string | number
}

export const Table = <T,>({ rows, columns, class: name = 'table', keyOf }: Props<T>) => (
  <table class={name}>
    <thead>
      <tr>
        {columns.map(({ head, class: own }, at) => (
          <th scope="col" key={at} class={own}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, place) => (
        <tr key={keyOf(row)}>
          {columns.map(({ class: own, look, cell }, at) => (
            <td key={at} class={[own, look].filter(Boolean).join(' ') || undefined}>
              {cell(row, place)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

/** The column of what can be done to a row. */
export const actsHead = <span class="hidden-text">Actions</span>
