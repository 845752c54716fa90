/** Two people, or two tabs, edit one thing: a form saves only what it changed, and asks before it overwrites. */
import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** The label of each field in the form, and how its value is shown. */
export type FieldWords<T> = { readonly [Name in keyof T]: readonly [label: string, show?: (value: T[Name]) => string] }

type Edited<T> = {
  /** As the form began. */
  readonly first: T
  readonly draft: T
  /** As just read again. */
  readonly now: T
  readonly fields: FieldWords<T>
  /** Who changed it last, where that is known. */
  readonly by?: string | undefined
}

/** The changes to save; undefined if the user cancelled. A field that others changed too is asked about. */
export async function settleChanges<T extends object>(edited: Edited<T>): Promise<Partial<T> | undefined> {
  const { first, draft, now, fields, by } = edited
  const changes: Partial<T> = {}
  for (const name of Object.keys(fields) as (keyof T)[]) {
    if (isSame(draft[name], first[name]) || isSame(draft[name], now[name])) continue
    if (!isSame(now[name], first[name])) {
      const [label, show = showValue] = fields[name]
      const answer = await askWhich({ label, by, mine: show(draft[name]), theirs: show(now[name]) })
      if (answer === 'cancel') return undefined
      if (answer === 'theirs') continue
    }
    changes[name] = draft[name]
  }
  return changes
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const showValue = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : typeof value === 'object' ? '' : String(value)

type Answer = 'mine' | 'theirs' | 'cancel'
type Question = {
  readonly label: string
  readonly by: string | undefined
  readonly mine: string
  readonly theirs: string
}

function askWhich(question: Question): Promise<Answer> {
  const place = document.createElement('div')
  document.body.append(place)
  return new Promise((resolve) => {
    const close = (answer: Answer) => {
      render(null, place)
      place.remove()
      resolve(answer)
    }
    render(<Box question={question} close={close} />, place)
  })
}

function Box({ question, close }: { question: Question; close(answer: Answer): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    cancel.current?.focus()
  }, [])
  const { label, by, mine, theirs } = question
  return (
    <dialog
      ref={dialog}
      class="meanwhile"
      aria-labelledby="meanwhile"
      onClose={() => close((dialog.current?.returnValue || 'cancel') as Answer)}
    >
      <h2 id="meanwhile">“{label}” was changed meanwhile</h2>
      <p>{by ? `${by} changed it` : 'It was changed elsewhere'} after you opened this form.</p>
      <Version title="Now saved" text={theirs} />
      <Version title="Yours" text={mine} />
      <form method="dialog" class="row">
        <button type="submit" class="button danger" value="mine">
          Keep mine
        </button>
        <button type="submit" class="button" value="theirs">
          Take theirs
        </button>
        <button type="submit" class="button" value="cancel" ref={cancel}>
          Cancel
        </button>
      </form>
    </dialog>
  )
}

const Version = ({ title, text }: { title: string; text: string }) => (
  <div class="sample">
    <h3>{title}</h3>
    <pre tabIndex={0}>{text || '(empty)'}</pre>
  </div>
)
