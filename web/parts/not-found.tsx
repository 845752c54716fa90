/** Not found, or not visible to this person: the page does not tell the two apart. */
import type { ComponentChildren } from 'preact'
import { usePlace } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'

type Props = { readonly title?: string; readonly children?: ComponentChildren }

export function NotFound({ title = 'This page does not exist', children }: Props) {
  useTitle('Not found')
  const { account } = useSession()
  const { path, query } = usePlace()
  const here = query.size > 0 ? `${path}?${query}` : path
  return (
    <div class="text-width">
      <h1>{title}</h1>
      <p>{children ?? 'The address may be misspelled, or you may not have access to the page.'}</p>
      <p class="row">
        {!account && (
          <a class="button main" href={`/-/sign-in?to=${encodeURIComponent(here)}`}>
            Sign in
          </a>
        )}
        <a class="button" href="/-/repositories">
          Repositories
        </a>
        <a class="button" href="/-/">
          Start
        </a>
      </p>
    </div>
  )
}
