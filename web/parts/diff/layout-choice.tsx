/** How changes are laid out: as this person chose last, and one version below the other where there is no room for two. */
import { useEffect, useState } from 'preact/hooks'
import type { Layout } from './patch.ts'

const name = 'guildhall.diff-layout'
const roomy = '(min-width: 60rem)'

function readChoice(): Layout {
  try {
    return localStorage.getItem(name) === 'split' ? 'split' : 'unified'
  } catch {
    return 'unified'
  }
}

type Choice = { readonly layout: Layout; readonly isRoomy: boolean; choose(layout: Layout): void }

export function useLayout(): Choice {
  const [chosen, setChosen] = useState(readChoice)
  const [isRoomy, setRoomy] = useState(() => matchMedia(roomy).matches)
  useEffect(() => {
    const query = matchMedia(roomy)
    const look = () => setRoomy(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return {
    layout: isRoomy ? chosen : 'unified',
    isRoomy,
    choose(layout) {
      setChosen(layout)
      try {
        localStorage.setItem(name, layout)
      } catch {
        // It is kept for this view alone.
      }
    },
  }
}

const layouts = [
  ['unified', 'Unified'],
  ['split', 'Side by side'],
] as const

export const LayoutChoice = ({ layout, isRoomy, choose }: Choice) =>
  isRoomy ? (
    <fieldset class="plain switch">
      <legend class="hidden-text">Layout of the changes</legend>
      {layouts.map(([value, text]) => (
        <label key={value}>
          <input type="radio" name="diff-layout" checked={layout === value} onChange={() => choose(value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  ) : null
