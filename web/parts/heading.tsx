/** The heading of a view, with what can be done there. */
import type { ComponentChildren } from 'preact'
import { useTitle } from '../app/page.ts'

type Props = { readonly title: string; readonly note?: ComponentChildren; readonly children?: ComponentChildren }

export function Heading({ title, note, children }: Props) {
  useTitle(title)
  return (
    <div class="heading">
      <div>
        <h1>{title}</h1>
        {note && <p>{note}</p>}
      </div>
      {children && <div class="row no-print">{children}</div>}
    </div>
  )
}
