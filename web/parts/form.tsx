/** Forms: labelled fields, one act at a time, and what went wrong beside the button. */
import { type ComponentChildren, cloneElement, type VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Failed } from './state.tsx'

type FieldProps = { readonly label: string; readonly hint?: string; readonly children: VNode }

/** The hint belongs to the control, too, but is not its name. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is the child */}
      <label>
        <span>{label}</span>
        {hint ? cloneElement(children, { 'aria-describedby': id }) : children}
      </label>
      {hint && <small id={id}>{hint}</small>}
    </div>
  )
}

export type Act = {
  readonly isBusy: boolean
  readonly error: unknown
  run(act: () => Promise<void>): Promise<void>
  clear(): void
}

/** One act at a time: a second click while the first is under way does nothing. */
export function useAct(): Act {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  return {
    isBusy: state.isBusy,
    error: state.error,
    clear: () => setState({ isBusy: false }),
    async run(act) {
      if (state.isBusy) return
      setState({ isBusy: true })
      try {
        await act()
        setState({ isBusy: false })
      } catch (error) {
        setState({ isBusy: false, error })
      }
    },
  }
}

type FormProps = {
  readonly act: Act
  readonly submit: () => Promise<void>
  readonly children: ComponentChildren
  readonly class?: string
  readonly id?: string
}

export const Form = ({ act, submit, children, class: name, id }: FormProps) => {
  const send = (event: Event) => {
    event.preventDefault()
    void act.run(submit)
  }
  return (
    <form onSubmit={send} {...(name && { class: name })} {...(id && { id })}>
      {children}
      {act.error !== undefined && <Failed error={act.error} />}
    </form>
  )
}

type ActProps = { readonly act: Act; readonly what: string; readonly children: ComponentChildren; run(): unknown }

/** A button for one row of a list; `what` is its accessible name, including the row. */
export const ActButton = ({ act, what, children, run }: ActProps) => (
  <button type="button" class="button quiet tight" disabled={act.isBusy} onClick={() => void run()} aria-label={what}>
    {children}
  </button>
)

type SubmitProps = { readonly act: Act; readonly children: ComponentChildren; readonly busy?: string }

export const Submit = ({ act, children, busy }: SubmitProps) => (
  <button type="submit" class="button main" disabled={act.isBusy}>
    {act.isBusy && <span class="spinner" aria-hidden="true" />}
    {act.isBusy && busy ? busy : children}
  </button>
)
