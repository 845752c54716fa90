/** The search box: results by kind as one types, chosen with the arrow keys and Enter. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { explain } from '../api/fault.ts'
import { go } from '../app/location.ts'
import { getSession } from '../app/session.ts'
import { findCommands, type Hit } from './commands.ts'
import { type Answer, type Group, searchAll } from './search.ts'

const waitMs = 250
const leastLength = 2

type Found = Answer & { readonly text: string }

/** `typed`: what was written while the box was being loaded. */
export function SearchBox({ typed, close }: { typed: string; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState(typed)
  const [found, setFound] = useState<Found>()
  const [isBusy, setBusy] = useState(false)
  const [at, setAt] = useState(0)
  const words = text.trim()
  // Before anything else is typed.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    setAt(0)
    if (words.length < leastLength) {
      setBusy(false)
      return
    }
    let isLatest = true
    setBusy(true)
    const timer = setTimeout(() => {
      void searchAll(words).then((answer) => {
        if (!isLatest) return
        setFound({ ...answer, text: words })
        setBusy(false)
      })
    }, waitMs)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [words])

  const commands = findCommands(words).slice(0, words === '' ? 8 : 5)
  const isFound = words.length >= leastLength && found !== undefined
  const canSearchCode = getSession().account !== undefined && words.length >= leastLength
  const groups: readonly Group[] = [
    ...(isFound ? found.groups : []),
    ...(commands.length > 0 ? [{ name: 'Go to', hits: commands }] : []),
    ...(canSearchCode ? [codeGroup(words)] : []),
  ]
  const hits = groups.flatMap((group) => group.hits)
  const count = hits.length
  const choose = (index: number) => {
    const hit = hits[index]
    if (hit && go(hit.href)) close()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((at + 1) % Math.max(1, count))
    else if (event.key === 'ArrowUp') setAt((at + count - 1) % Math.max(1, count))
    else if (event.key === 'Enter' && !event.isComposing) choose(at)
    else return
    event.preventDefault()
  }
  useEffect(() => dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at])
  const nothing = isFound && !isBusy && found.text === words && found.groups.length === 0
  return (
    <dialog class="search-box" ref={dialog} onClose={close} aria-label="Search">
      <div class="search-field">
        <input
          class="input"
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded={count > 0}
          aria-controls="search-found"
          aria-activedescendant={count > 0 ? `search-${at}` : undefined}
          aria-autocomplete="list"
          placeholder="Problems, repositories, issues, people, data sets …"
          maxLength={200}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={press}
        />
        <button type="button" class="button quiet tight" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      <div id="search-found" role="listbox" aria-label="Found">
        {listRows(groups).map(({ group, first }) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, no field sets
          <div key={group.name} role="group" aria-label={group.name}>
            <div class="search-group" aria-hidden="true">
              {group.name}
            </div>
            {group.hits.map((hit, place) => (
              <Option
                key={hit.href}
                hit={hit}
                index={first + place}
                isChosen={first + place === at}
                choose={() => choose(first + place)}
              />
            ))}
          </div>
        ))}
      </div>
      <p class="small soft search-note" role="status">
        {isBusy ? 'Searching …' : nothing ? 'No results.' : ''}
        {isFound && found.errors.length > 0 && ` ${explain(found.errors[0])}`}
      </p>
    </dialog>
  )
}

const codeGroup = (words: string): Group => ({
  name: 'Code',
  hits: [{ href: `/-/search?${new URLSearchParams({ q: words })}`, title: `Search code for “${words}”` }],
})

function listRows(groups: readonly Group[]): { group: Group; first: number }[] {
  let first = 0
  return groups.map((group) => {
    const row = { group, first }
    first += group.hits.length
    return row
  })
}

type OptionProps = { readonly hit: Hit; readonly index: number; readonly isChosen: boolean; choose(): void }

/** The field keeps the focus: the arrows move among these. */
const Option = ({ hit, index, isChosen, choose }: OptionProps) => (
  <div
    id={`search-${index}`}
    class="search-hit"
    role="option"
    tabIndex={-1}
    aria-selected={isChosen}
    onMouseDown={(event) => event.preventDefault()}
    onClick={choose}
    onKeyDown={(event) => event.key === 'Enter' && choose()}
  >
    <span class="side-name">{hit.title}</span>
    {hit.note && <span class="small soft side-name">{hit.note}</span>}
  </div>
)
