/** A clear question before anything is lost. */
import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type Question = { readonly title: string; readonly text: string; readonly action: string }

/** Resolves with whether it is to be done. */
export function ask(question: Question): Promise<boolean> {
  const place = document.createElement('div')
  document.body.append(place)
  return new Promise((resolve) => {
    const close = (isSure: boolean) => {
      render(null, place)
      place.remove()
      resolve(isSure)
    }
    render(<Box question={question} close={close} />, place)
  })
}

function Box({ question, close }: { question: Question; close(isSure: boolean): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    keep.current?.focus()
  }, [])
  return (
    <dialog ref={dialog} onClose={() => close(dialog.current?.returnValue === 'yes')} aria-labelledby="question">
      <h2 id="question">{question.title}</h2>
      <p>{question.text}</p>
      <form method="dialog" class="row">
        <button type="submit" class="button danger" value="yes">
          {question.action}
        </button>
        <button type="submit" class="button" value="no" ref={keep}>
          Cancel
        </button>
      </form>
    </dialog>
  )
}
