/** The lines that an address names (`#L10-L20`), chosen by a click on their numbers or by writing them. */
import { useState } from 'preact/hooks'
import { go, usePlace } from '../../app/location.ts'
import type { Lines } from '../../parts/code-table.tsx'

const readHash = (hash: string): Lines | undefined => {
  const found = /^#L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(hash)
  if (!found) return undefined
  const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])]
  return [Math.max(1, Math.min(first, last)), Math.max(first, last)]
}

const spell = ([first, last]: Lines): string => (first === last ? `L${first}` : `L${first}-L${last}`)

export function useLines(): { readonly lines: Lines | undefined; select(lines: Lines): void } {
  const { path, query, hash } = usePlace()
  return {
    lines: readHash(hash),
    select: (lines) => void go(`${path}${query.size > 0 ? `?${query}` : ''}#${spell(lines)}`, { replaces: true }),
  }
}

export function LineField({ select }: { select(lines: Lines): void }) {
  const [text, setText] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    const lines = readHash(`#L${text.trim().replace(/^L/i, '')}`)
    if (lines) select(lines)
  }
  return (
    <form onSubmit={submit} class="line-field">
      <input
        class="input"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        aria-label="Go to line"
        placeholder="Line"
        size={5}
        pattern="[Ll]?[0-9]+(-[Ll]?[0-9]+)?"
        title="A line, or lines as 10-20"
      />
    </form>
  )
}
