/** A list that is read a page at a time: in a card, with links to its other pages, or what is said where it is empty. */
import type { ComponentChildren } from 'preact'
import { useLoad } from '../app/load.ts'
import { Pager, usePage } from './pager.tsx'
import { Ready } from './state.tsx'

export type PageOf<T> = { readonly total: number; readonly list: readonly T[] }

type Props<T> = {
  /** What is read: another one is another reading. */
  readonly name: string
  /** As the pager counts them. */
  readonly what: string
  readonly empty?: ComponentChildren
  read(range: { readonly Offset: number; readonly Limit: number }): Promise<PageOf<T>>
  children(list: readonly T[], reload: () => void): ComponentChildren
}

export function PagedList<T>({ name, what, empty, read, children }: Props<T>) {
  const { page, Offset, Limit } = usePage()
  const loaded = useLoad(`${name} ${page}`, () => read({ Offset, Limit }))
  return (
    <Ready of={loaded}>
      {({ total, list }) => (
        <div>
          <div class="card flush scroll">{total === 0 && empty ? empty : children(list, loaded.reload)}</div>
          <Pager total={total} what={what} />
        </div>
      )}
    </Ready>
  )
}
