/** Words found in the whole of a file, also in lines that are not drawn: the browser’s own search finds only what is. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Lines, splitLines } from '../../parts/code-table.tsx'
import { findLines } from './find-lines.ts'

/** A shorter file is drawn as a whole, and the browser finds everything in it. */
const leastLines = 100

type Props = { readonly text: string; readonly selected: Lines | undefined; select(lines: Lines): void }

export function FindField({ text, selected, select }: Props) {
  const [words, setWords] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const lines = useMemo(() => splitLines(text), [text])
  const found = useMemo(() => findLines(lines, words), [lines, words])
  const isLong = lines.length > leastLines
  useEffect(() => {
    if (!isLong) return
    const press = (event: KeyboardEvent) => {
      const isFind = event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey
      // A second time it is the browser's own.
      if (!isFind || document.activeElement === field.current) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isLong])
  if (!isLong) return null
  const here = selected?.[0] ?? 0
  const step = (isBack: boolean) => {
    const next = isBack
      ? (found.findLast((line) => line < here) ?? found.at(-1))
      : (found.find((line) => line > here) ?? found[0])
    if (next !== undefined) select([next, next])
  }
  const at = found.indexOf(here)
  return (
    <form
      class="row tight-row find-field"
      onSubmit={(event) => {
        event.preventDefault()
        step(false)
      }}
    >
      <input
        class="input"
        type="search"
        ref={field}
        value={words}
        aria-label="Find in this file"
        aria-keyshortcuts="Control+F"
        placeholder="Find"
        size={12}
        title="Enter finds the next line, Shift+Enter the one before"
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !event.shiftKey) return
          event.preventDefault()
          step(true)
        }}
      />
      <span class="small soft nowrap" role="status">
        {words !== '' &&
          (found.length === 0
            ? 'Not found'
            : at >= 0
              ? `${at + 1} of ${found.length} lines`
              : `${found.length} ${found.length === 1 ? 'line' : 'lines'}`)}
      </span>
    </form>
  )
}
