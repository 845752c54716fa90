/** The head of a column by which a table is sorted. */
import type { ComponentChildren } from 'preact'

type HeadProps = {
  readonly sort: 'none' | 'ascending' | 'descending'
  readonly isNumber?: boolean
  readonly children: ComponentChildren
  readonly below?: ComponentChildren
  turn(): void
}

export const SortHead = ({ sort, isNumber = false, children, below, turn }: HeadProps) => (
  <th scope="col" aria-sort={sort} class={isNumber ? 'number' : undefined}>
    <button type="button" class="sort" onClick={turn}>
      {children}
      <span aria-hidden="true">{sort === 'none' ? '' : sort === 'ascending' ? ' ↑' : ' ↓'}</span>
    </button>
    {below && <div class="small head-link">{below}</div>}
  </th>
)
