/** The documents: a list, a search, and each one as a page. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Fault, unreachable } from '../api/fault.ts'
import { useLoad } from '../app/load.ts'
import { go, setQuery, usePlace } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { Heading } from '../parts/heading.tsx'
import { Rendered } from '../parts/rendered.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { readReference } from './operations.ts'

type Section = { readonly document: string; readonly id: string; readonly title: string; readonly text: string }
type Index = {
  readonly documents: readonly { readonly name: string; readonly title: string }[]
  readonly sections: readonly Section[]
}
type Document = {
  readonly title: string
  readonly html: string
  readonly headings: readonly { readonly id: string; readonly level: number; readonly title: string }[]
}

/** In the order of the list, with a sentence for readers who do not know the names. */
const about: Readonly<Record<string, string>> = {
  student: 'Signing in, solving a problem, reading a verdict.',
  teacher: 'Problems, tests, classes, results and grades.',
  organiser: 'Setting up a contest, running it, revealing its results.',
  judge: 'Every operation of the judge, with an example to try.',
  forge: 'Repositories, git, issues, webhooks, limits.',
  moving: 'Importing a repository by its address, mirrors, archives.',
  'forge-graphql': 'GraphQL mutations, and the gh command line.',
  'forge-tools': 'Checks, deployments, auto-merge, code owners, transfers.',
  'contest-api': 'Contests over the ICPC Contest API, with its event feed.',
  datasets: 'Pushing items, and exporting them in nine formats.',
  ssh: 'Git over SSH, keys, signatures.',
  executor: 'Languages, limits, verdicts, more machines.',
  sandbox: 'How programs are isolated, and what remains open.',
  operating: 'Services, proxies, backups, several machines, alerts.',
  settings: 'Every setting.',
  architecture: 'How the server is built.',
}

const references = [
  { name: 'judge', title: 'Judge: reference', text: 'Every operation with its parameters.' },
  { name: 'forge', title: 'Forge: reference', text: 'Every route, by area, each with a form to try it.' },
  { name: 'datasets', title: 'Data sets: reference', text: 'Every address with its parameters.' },
]

const placeOf = ({ name }: { readonly name: string }): number => {
  const place = Object.keys(about).indexOf(name)
  return place < 0 ? Number.POSITIVE_INFINITY : place
}

async function readFile<T>(name: string): Promise<T> {
  const read = async (path: string) => {
    const response = await fetch(path).catch(() => {
      throw unreachable()
    })
    if (!response.ok) throw new Fault(response.status, 'This document does not exist. The list shows all of them.')
    return response.json()
  }
  const { documents } = (await read('/-/manifest.json')) as { documents: Record<string, string> }
  const file = Object.hasOwn(documents, name) ? documents[name] : undefined
  if (!file) throw new Fault(404, 'This document does not exist. The list shows all of them.')
  return (await read(`/-/assets/${file}`)) as T
}

export function Documents() {
  const { query } = usePlace()
  const asked = query.get('q') ?? ''
  const [text, setText] = useState(asked)
  const loaded = useLoad('documents', () => readFile<Index>('index'))
  const isSearch = asked.trim() !== ''
  const operations = useLoad(`operations ${isSearch}`, () => (isSearch ? listOperations() : Promise.resolve([])))
  useEffect(() => {
    const timer = setTimeout(() => text !== asked && setQuery({ q: text }), 250)
    return () => clearTimeout(timer)
  }, [text, asked])
  return (
    <>
      <Heading title="Documents" />
      <search class="filters">
        <input
          class="input search"
          type="search"
          aria-label="Search the documents"
          placeholder="Search"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </search>
      <Ready of={loaded}>
        {({ documents, sections }) =>
          !isSearch ? (
            <div class="tiles">
              {[...documents]
                .sort((a, b) => placeOf(a) - placeOf(b))
                .map(({ name, title }) => (
                  <a class="card tile" key={name} href={`/-/docs/${name}`}>
                    <h2>{title}</h2>
                    <p>{about[name] ?? ''}</p>
                  </a>
                ))}
              {references.map(({ name, title, text }) => (
                <a class="card tile" key={title} href={`/-/docs/reference/${name}`}>
                  <h2>{title}</h2>
                  <p>{text}</p>
                </a>
              ))}
            </div>
          ) : (
            <Found sections={findSections([...sections, ...(operations.value ?? [])], asked)} words={asked} />
          )
        }
      </Ready>
    </>
  )
}

/** The judge's operations are headings of its document. */
async function listOperations(): Promise<Section[]> {
  const read = await Promise.all(['forge', 'datasets'].map(readReference))
  return read.flatMap(({ name, operations }) =>
    operations.map(({ id, title, method, path, summary }) => ({
      document: `reference/${name}`,
      id,
      title,
      text: `${method} ${path}: ${summary}`,
    })),
  )
}

const mostFound = 50

function findSections(sections: readonly Section[], asked: string): Section[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = ({ title, text }: Section) => {
    const inTitle = title.toLowerCase()
    const inText = text.toLowerCase()
    if (!words.every((word) => inTitle.includes(word) || inText.includes(word))) return 0
    return 1 + words.filter((word) => inTitle.includes(word)).length
  }
  return sections
    .map((section) => ({ section, points: rank(section) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, mostFound)
    .map(({ section }) => section)
}

function Found({ sections, words }: { sections: readonly Section[]; words: string }) {
  if (sections.length === 0)
    return (
      <div class="card">
        <Empty title={`No results for “${words}”`}>
          <p>Try fewer words.</p>
        </Empty>
      </div>
    )
  return (
    <ul class="found">
      {sections.map(({ document, id, title, text }) => (
        <li key={`${document} ${id}`}>
          <a href={`/-/docs/${document}#${encodeURIComponent(id)}`}>{title}</a> <span class="badge">{document}</span>
          <p class="soft small">{text.slice(0, 180)}</p>
        </li>
      ))}
    </ul>
  )
}

export function DocumentView({ params }: ViewProps) {
  const name = params.name!
  const loaded = useLoad(`document ${name}`, () => readFile<Document>(name))
  return (
    <>
      <p>
        <a href="/-/docs">All documents</a>
      </p>
      <Ready of={loaded}>{(document) => <Text name={name} document={document} />}</Ready>
    </>
  )
}

function Text({ name, document: { title, html, headings } }: { name: string; document: Document }) {
  useTitle(title)
  const { hash } = usePlace()
  useEffect(() => {
    if (!hash) return
    const id = decodeURIComponent(hash.slice(1))
    // `documentation_url` names routes as well, which are in the reference.
    if (name === 'forge' && headings.every((heading) => heading.id !== id))
      go(`/-/docs/reference/forge${hash}`, { replaces: true })
    else document.getElementById(id)?.scrollIntoView()
  }, [hash, name, headings])
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (html) void import('./trying.tsx').then(({ offerTrying }) => place.current && offerTrying(place.current))
  }, [html])
  const parts = headings.filter(({ level }) => level === 2)
  return (
    <div class="document" ref={place}>
      <nav aria-label="On this page" class="contents">
        <ul>
          {parts.map(({ id, title: text }) => (
            <li key={id}>
              <a href={`#${encodeURIComponent(id)}`}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
      <Rendered html={html} />
    </div>
  )
}
