/** Makes the tasks of a rendered text tickable, and gives the keyboard back its place when the text is drawn anew. */
type Tick = (line: number, isDone: boolean) => void

const boxes = (place: ParentNode) => place.querySelectorAll<HTMLInputElement>('input[data-line]')

/** Answers how to undo it. `focused` is the line whose box had the focus last. */
export function makeTickable(place: HTMLElement, focused: { line?: number | undefined }, tick: Tick): () => void {
  for (const box of boxes(place)) {
    box.disabled = false
    // Who has gone elsewhere meanwhile stays there.
    if (Number(box.dataset.line) === focused.line && document.activeElement === document.body) box.focus()
  }
  focused.line = undefined
  const changed = (event: Event) => {
    const box = event.target as HTMLInputElement
    const line = Number(box.dataset.line)
    focused.line = line
    // One at a time: the text is read again after each.
    for (const each of boxes(place)) each.disabled = true
    tick(line, box.checked)
  }
  place.addEventListener('change', changed)
  return () => place.removeEventListener('change', changed)
}
