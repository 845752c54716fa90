/** A reference: every operation of an interface, by area, with a filter and a button to try each. */
import { useEffect, useState } from 'preact/hooks'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import type { ViewProps } from '../app/view.ts'
import { Heading } from '../parts/heading.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { type Member, type Operation, type Reference, readReference } from './operations.ts'
import type { Request } from './requests.ts'

export function ReferenceView({ params }: ViewProps) {
  const name = params.name!
  const loaded = useLoad(`reference ${name}`, () => readReference(name))
  return (
    <>
      <p>
        <a href="/-/docs">All documents</a>
      </p>
      <Ready of={loaded}>{(reference) => <Listing reference={reference} />}</Ready>
    </>
  )
}

function Listing({ reference: { name, title, areas, operations } }: { reference: Reference }) {
  const [words, setWords] = useState('')
  const { hash } = usePlace()
  useEffect(() => {
    if (hash) document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView()
  }, [hash])
  const found = operations.filter((operation) => fits(operation, words))
  const shown = areas.filter((area) => found.some((operation) => operation.area === area.name))
  return (
    <>
      <Heading
        title={title}
        note={
          <>
            <a href={`/-/docs/${name}`}>The guide</a> explains how it works. Programs read{' '}
            <a href={`/-/openapi/${name}.json`} download>
              {name}.json
            </a>{' '}
            (OpenAPI).
          </>
        }
      />
      <search class="filters">
        <input
          class="input search"
          type="search"
          aria-label="Filter the operations"
          placeholder="Filter"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </search>
      <div class="document">
        <nav aria-label="On this page" class="contents">
          <ul>
            {shown.map((area) => (
              <li key={area.name}>
                <a href={`#${toAnchor(area.name)}`}>{area.name}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="prose">
          {shown.length === 0 && <Empty title="No operation matches. Try fewer words." />}
          {shown.map((area) => (
            <section key={area.name} aria-labelledby={toAnchor(area.name)}>
              <h2 id={toAnchor(area.name)}>{area.name}</h2>
              <p>{area.description}</p>
              {found
                .filter((operation) => operation.area === area.name)
                .map((operation) => (
                  <OperationPart key={operation.id} operation={operation} />
                ))}
            </section>
          ))}
        </div>
      </div>
    </>
  )
}

const toAnchor = (area: string): string => `area-${area.toLowerCase().replaceAll(' ', '-')}`

function fits({ id, title, path, summary }: Operation, words: string): boolean {
  const text = `${id} ${title} ${path} ${summary}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function OperationPart({ operation }: { operation: Operation }) {
  const { id, title, method, path, summary, facts, parameters, body } = operation
  const request = toRequest(operation)
  return (
    <article class="operation">
      <h3 id={id}>{title}</h3>
      <p>
        <code>{path === '/' ? id : `${method} ${path}`}</code>
        {request && (
          <button type="button" class="button tight try" onClick={() => void tryOut(request)}>
            Try it<span class="hidden-text"> {request.title}</span>
          </button>
        )}
      </p>
      <p>{summary}</p>
      {facts.length > 0 && (
        <ul class="small soft">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
      {parameters.length > 0 && <Members title="Parameters" members={parameters} />}
      {body.length > 0 && <Members title={path === '/' ? 'Params' : 'Body'} members={body} />}
    </article>
  )
}

function Members({ title, members }: { title: string; members: readonly Member[] }) {
  return (
    <details>
      <summary>
        {title}: {members.map(({ name }) => name).join(', ')}
      </summary>
      <ul class="small">
        {members.map(({ name, type, isRequired, text }) => (
          <li key={name}>
            <code>{name}</code> {type}
            {isRequired && ', required'}
            {text && `. ${text}`}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Git's own addresses and files are not for a form. */
function toRequest({ id, method, path, takesBody }: Operation): Request | undefined {
  if (path === '/') return { title: id, method, path, body: '{}' }
  return { title: `${method} ${path}`, method, path, body: takesBody ? '{}' : undefined }
}

async function tryOut(request: Request): Promise<void> {
  const { openTrial } = await import('./trying.tsx')
  openTrial(request)
}
