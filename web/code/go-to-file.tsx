/** A file of a branch is found by some letters of its path; `t` opens the field. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { read, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { Ready } from '../parts/state.tsx'
import { matchPaths } from './finding/match-paths.ts'
import { codePath } from './paths.ts'
import { type CodePlace, toRef } from './place.ts'

type Props = { readonly repository: Repository; readonly place: CodePlace }

const mostShown = 50

export function GoToFile(props: Props) {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && place.current?.open) {
        setOpen(false)
        place.current.querySelector('summary')?.focus()
      }
      if (event.key !== 't' || event.ctrlKey || event.metaKey || event.altKey) return
      if ((event.target as HTMLElement).closest('input, textarea, select, dialog, [contenteditable]')) return
      event.preventDefault()
      setOpen(true)
    }
    const turnAway = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('keydown', press)
    document.addEventListener('pointerdown', turnAway)
    return () => {
      document.removeEventListener('keydown', press)
      document.removeEventListener('pointerdown', turnAway)
    }
  }, [])
  return (
    <details
      class="menu file-finder"
      ref={place}
      open={isOpen}
      onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary class="button tight" aria-keyshortcuts="t">
        Go to file
      </summary>
      {isOpen && <Finder {...props} />}
    </details>
  )
}

type Tree = { readonly tree: readonly { readonly path: string; readonly type: string }[]; readonly truncated: boolean }

function Finder({ repository, place }: Props) {
  const [words, setWords] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const ref = toRef(place)
  const files = useLoad(`all paths ${repository.full_name} ${ref}`, async () => {
    const trees = repositoryPath(repository.owner.login, repository.name, 'git', 'trees')
    const { tree, truncated } = await read<Tree>(`${trees}/${encodeURIComponent(ref)}`, { recursive: 1 })
    return { paths: tree.filter(({ type }) => type !== 'tree').map(({ path }) => path), isCut: truncated }
  })
  useEffect(() => field.current?.focus(), [])
  const hrefOf = (path: string) => codePath(repository, 'blob', place.ref, path)
  const found = files.value ? matchPaths(files.value.paths, words.trim(), mostShown) : []
  const move = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const stops = [field.current, ...(field.current?.parentElement?.querySelectorAll('a') ?? [])]
    const at = stops.indexOf(document.activeElement as HTMLInputElement)
    const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)]
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrows move between the field and the links in it
    <div class="menu-box" onKeyDown={move}>
      <input
        class="input"
        type="search"
        ref={field}
        value={words}
        aria-label="Find a file"
        placeholder="Letters of its path"
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && found[0] !== undefined) go(hrefOf(found[0]))
        }}
      />
      <Ready of={files}>
        {({ isCut }) => (
          <ul class="plain-list menu-list">
            {found.map((path) => (
              <li key={path}>
                <a href={hrefOf(path)}>
                  <bdi>{path}</bdi>
                </a>
              </li>
            ))}
            {found.length === 0 && <li class="soft small">No files match.</li>}
            {isCut && <li class="soft small">This repository has too many files: not all of them are searched.</li>}
          </ul>
        )}
      </Ready>
    </div>
  )
}
