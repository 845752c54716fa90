/** Code to write or to read: a plain text field until the editor is loaded, and where it can't be. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CodeEditor } from './code-editor.ts'
import type { LineNote } from './line-notes.ts'

type Props = {
  readonly text: string
  readonly language: string
  readonly label: string
  readonly isReadOnly?: boolean
  /** Shown below their lines. */
  readonly notes?: readonly LineNote[] | undefined
  onChange?(text: string): void
  onSubmit?(): void
}

export function Code(props: Props) {
  const { text, language, label, isReadOnly = false, notes } = props
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor | undefined>(undefined)
  /** The editor owns its text: only a text that comes from elsewhere is put into it. */
  const held = useRef(text)
  const latest = useRef(props)
  latest.current = props
  const [isOpen, setOpen] = useState(false)

  useEffect(() => {
    let isHere = true
    import('./code-editor.ts').then(
      ({ openCodeEditor }) => {
        if (!isHere) return
        held.current = latest.current.text
        editor.current = openCodeEditor(place.current!, {
          text: latest.current.text,
          label,
          isReadOnly,
          onChange(next) {
            held.current = next
            latest.current.onChange?.(next)
          },
          ...(latest.current.onSubmit && { onSubmit: () => latest.current.onSubmit?.() }),
        })
        void editor.current.setLanguage(latest.current.language)
        setOpen(true)
      },
      () => {},
    )
    return () => {
      isHere = false
      editor.current?.close()
      editor.current = undefined
    }
  }, [label, isReadOnly])

  useEffect(() => {
    void editor.current?.setLanguage(language)
  }, [language])
  useEffect(() => {
    if (isOpen && notes) editor.current?.setNotes(notes)
  }, [isOpen, notes])
  // Synchronously, not after the next paint: more may be typed by then, and the editor's own text would look like an outside change.
  useLayoutEffect(() => {
    if (text === held.current) return
    held.current = text
    editor.current?.setText(text)
  }, [text])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) props.onSubmit?.()
  }
  return (
    <div class={isReadOnly ? 'code-place read-only' : 'code-place'}>
      {!isOpen && (
        <textarea
          class="mono"
          aria-label={label}
          value={text}
          readOnly={isReadOnly}
          spellcheck={false}
          onInput={(event) => props.onChange?.(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      )}
      <div ref={place} hidden={!isOpen} class="code-shadow" />
    </div>
  )
}
