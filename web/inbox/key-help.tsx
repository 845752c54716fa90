/** The keys of the inbox, in a box of its own. */
import { useEffect, useRef } from 'preact/hooks'

const keys = [
  ['j', 'Next thread'],
  ['k', 'Previous thread'],
  ['Enter', 'Read it'],
  ['x', 'Select it'],
  ['e', 'Done'],
  ['r', 'Mark as read'],
  ['u', 'Mark as unread'],
  ['m', 'Mute until you comment or are mentioned'],
  ['i', 'Ignore'],
  ['z', 'Undo the last action'],
  ['/', 'Filter'],
  ['Esc', 'Deselect, or close the thread'],
  ['?', 'This help'],
] as const

export function KeyHelp({ close }: { close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <dl class="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </dialog>
  )
}
