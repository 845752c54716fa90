/** How a view says that it waits, that something failed, or that there is nothing yet. */
import type { ComponentChildren } from 'preact'
import { explain, needsSignIn } from '../api/fault.ts'
import type { Loaded } from '../app/load.ts'
import { getSession, loseSession } from '../app/session.ts'

export const Loading = ({ what = 'Loading' }: { what?: string }) => (
  <div class="loading" role="status">
    <span class="spinner" aria-hidden="true" />
    {what} …
  </div>
)

type ProblemProps = { readonly message: string; readonly retry?: () => void; readonly action?: ComponentChildren }

export const Problem = ({ message, retry, action }: ProblemProps) => (
  <div class="notice bad" role="alert">
    <p>{message}</p>
    {retry && (
      <button type="button" class="button tight" onClick={retry}>
        Try again
      </button>
    )}
    {action}
  </div>
)

export const Failed = ({ error, retry }: { error: unknown; retry?: () => void }) =>
  needsSignIn(error) && getSession().account ? (
    <Problem
      message="You are no longer signed in. Your text is still here."
      action={
        <button type="button" class="button tight" onClick={loseSession}>
          Sign in again
        </button>
      }
    />
  ) : (
    <Problem message={explain(error)} {...(retry && { retry })} />
  )

/** What went wrong with an act that has no form of its own. */
export const FailedAct = ({ act }: { act: { readonly error: unknown } }) =>
  act.error === undefined ? null : <Failed error={act.error} />

export const Done = ({ children }: { children: ComponentChildren }) => (
  <div class="notice good" role="status">
    <p>{children}</p>
  </div>
)

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <strong>{title}</strong>
    {children}
  </div>
)

/** Shows the value, or why it could not be read. An older value stays while a new one is read. */
export function Ready<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  return (
    <>
      {of.error !== undefined && <Failed error={of.error} retry={of.reload} />}
      {of.value !== undefined ? children(of.value) : of.error === undefined && <Loading />}
    </>
  )
}
