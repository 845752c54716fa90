/** Views for some roles: others get one sentence that says who can use them, instead of forms that would be refused. */
import type { ComponentChildren } from 'preact'
import { useSignedIn } from '../app/page.ts'
import { isAdmin, isSetter, useSession } from '../app/session.ts'
import { Heading } from './heading.tsx'

const audiences = {
  setters: [isSetter, 'This page is for problem setters and admins. Ask an admin for the role.'],
  admins: [isAdmin, 'This page is for admins.'],
} as const

type Props = { readonly who: keyof typeof audiences; readonly title: string; readonly children: ComponentChildren }

/** People who are not signed in are redirected to the sign-in first. */
export function Only({ who, title, children }: Props) {
  const isSignedIn = useSignedIn()
  const session = useSession()
  if (!isSignedIn) return null
  const [may, sentence] = audiences[who]
  return may(session) ? children : <Refusal title={title}>{sentence}</Refusal>
}

export const Refusal = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <>
    <Heading title={title} />
    <p class="notice">
      <span>
        {children} <a href="/-/judge">Go to problems</a>
      </span>
    </p>
  </>
)
