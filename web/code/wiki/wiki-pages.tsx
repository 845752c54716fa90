/** All pages of a wiki, and where it is cloned from. */
import { useState } from 'preact/hooks'
import type { Repository } from '../../api/forge-types.ts'
import { Copy } from '../../parts/copy.tsx'
import type { WikiPage } from './wiki-data.ts'

/** Fewer are found with the eye. */
const leastSearched = 10

export function WikiPages({ pages, current }: { pages: readonly WikiPage[]; current: string | undefined }) {
  const [words, setWords] = useState('')
  const sought = words.trim().toLowerCase()
  return (
    <section>
      <h2>Pages</h2>
      {pages.length >= leastSearched && (
        <input
          class="input"
          type="search"
          aria-label="Find a page"
          placeholder="Find a page"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <ul class="plain-list menu-list">
        {pages
          .filter(({ name }) => name.toLowerCase().replace(/-/g, ' ').includes(sought.replace(/-/g, ' ')))
          .map((page) => (
            <li key={page.path}>
              <a
                href={new URL(page.html_url).pathname}
                {...(page.path === current && { 'aria-current': 'page' as const })}
              >
                <bdi>{page.name.replace(/-/g, ' ')}</bdi>
              </a>
            </li>
          ))}
      </ul>
    </section>
  )
}

export function WikiClone({ repository }: { repository: Repository }) {
  const address = repository.clone_url.replace(/\.git$/, '.wiki.git')
  return (
    <section>
      <h2>Clone</h2>
      <p class="row clone-row">
        <input class="input grow mono" readOnly value={address} aria-label="Address of the wiki" />
        <Copy text={address} what="the address" />
      </p>
    </section>
  )
}
