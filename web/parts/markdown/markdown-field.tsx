/** The field in which people write Markdown: with a preview, completed mentions and references, and pictures as they are pasted. */
import type { RefObject } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { request } from '../../api/forge.ts'
import { useLoad } from '../../app/load.ts'
import { Rendered } from '../rendered.tsx'
import { Failed, Ready } from '../state.tsx'
import { attach, placeholderFor } from './attaching.ts'
import { findTrigger, type Suggestion, suggest, type Trigger } from './completion.ts'
import { replaceText, tools } from './editing.ts'

type Props = {
  /** What the field is called; it is shown above it unless `isBare`. */
  readonly label: string
  readonly isBare?: boolean
  readonly value: string
  /** `owner/name`: what numbers and names are looked up in, and what keeps the pictures. */
  readonly repository: string
  /** Who takes part already: they are offered first. */
  readonly people?: readonly string[]
  readonly rows?: number
  readonly placeholder?: string
  readonly isFocused?: boolean
  change(text: string): void
  /** What Control and Enter do. */
  submit?(): void
}

export function MarkdownField(props: Props) {
  const { label, isBare = false, value, repository, rows = 6, placeholder, isFocused = false, submit } = props
  const id = useId()
  const [isPreview, setPreview] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const attaching = useAttaching(props)
  const completing = useCompleting(props, field, `${id}-list`)
  useEffect(() => {
    if (isFocused) field.current?.focus()
  }, [isFocused])
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && submit) {
      event.preventDefault()
      submit()
    } else completing.press(event)
  }
  return (
    <div class="markdown">
      <label for={id} class={isBare ? 'hidden-text' : 'label'}>
        {label}
      </label>
      <div class="markdown-bar">
        <div class="row">
          {(['Write', 'Preview'] as const).map((name) => (
            <button
              key={name}
              type="button"
              class="button quiet tight"
              aria-pressed={isPreview === (name === 'Preview')}
              onClick={() => setPreview(name === 'Preview')}
            >
              {name}
            </button>
          ))}
        </div>
        {!isPreview && <Tools field={field} choose={attaching.take} />}
      </div>
      {isPreview ? (
        <Preview text={value} repository={repository} />
      ) : (
        <textarea
          id={id}
          ref={field}
          rows={rows}
          value={value}
          placeholder={placeholder}
          spellcheck
          aria-autocomplete="list"
          {...completing.attributes}
          onInput={(event) => {
            props.change(event.currentTarget.value)
            completing.look()
          }}
          onKeyDown={press}
          onBlur={completing.close}
          onPaste={(event) => attaching.takeFrom(event, event.clipboardData)}
          onDrop={(event) => attaching.takeFrom(event, event.dataTransfer)}
        />
      )}
      {completing.list}
      {attaching.count > 0 && (
        <p class="small soft" role="status">
          <span class="spinner" aria-hidden="true" /> Uploading …
        </p>
      )}
      {attaching.error !== undefined && <Failed error={attaching.error} />}
    </div>
  )
}

type ToolsProps = { readonly field: RefObject<HTMLTextAreaElement | null>; choose(files: readonly File[]): void }

function Tools({ field, choose }: ToolsProps) {
  const id = useId()
  return (
    <div class="row markdown-tools">
      {tools.map(([name, sign, edit]) => (
        <button
          key={name}
          type="button"
          class="button quiet tight"
          aria-label={name}
          title={name}
          onClick={() => {
            const { current } = field
            if (!current) return
            const { value: text, selectionStart: start, selectionEnd: end } = current
            replaceText(current, edit({ text, start, end }))
          }}
        >
          <span aria-hidden="true">{sign}</span>
        </button>
      ))}
      <label class="button quiet tight attach" for={id}>
        Attach
        <input
          id={id}
          type="file"
          multiple
          class="hidden-text"
          aria-label="Attach files"
          onChange={(event) => {
            choose([...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
      </label>
    </div>
  )
}

function Preview({ text, repository }: { text: string; repository: string }) {
  const loaded = useLoad(`preview ${repository} ${text}`, async () => {
    if (text.trim() === '') return ''
    const body = { text, mode: 'gfm', context: repository }
    return (await request('/markdown', { method: 'POST', body, accept: 'text/html' })).text()
  })
  return (
    <div class="markdown-preview">
      <Ready of={loaded}>
        {(html) => (html ? <Rendered html={html} /> : <p class="soft">There is nothing to preview.</p>)}
      </Ready>
    </div>
  )
}

/** A place in the text is held for each file until it is there, so that one can go on writing meanwhile. */
function useAttaching({ value, repository, change }: Props) {
  const [state, setState] = useState<{ count: number; error?: unknown }>({ count: 0 })
  const latest = useRef({ value, change })
  latest.current = { value, change }
  const made = useRef(0)
  const write = (text: string) => {
    latest.current = { ...latest.current, value: text }
    latest.current.change(text)
  }
  async function add(file: File): Promise<void> {
    const place = placeholderFor(file, ++made.current)
    const { value: text } = latest.current
    write(`${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${place}\n`)
    setState(({ count }) => ({ count: count + 1 }))
    try {
      const shown = await attach(repository, file)
      const now = latest.current.value
      write(now.includes(place) ? now.replace(place, () => shown) : `${now}\n${shown}\n`)
      setState(({ count, error }) => ({ count: count - 1, error }))
    } catch (error) {
      write(latest.current.value.replace(`${place}\n`, ''))
      setState(({ count }) => ({ count: count - 1, error }))
    }
  }
  const take = (files: readonly File[]) => {
    for (const file of files) void add(file)
  }
  return {
    ...state,
    take,
    takeFrom(event: Event, data: DataTransfer | null) {
      const files = [...(data?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      take(files)
    },
  }
}

type Offered = { readonly trigger: Trigger; readonly list: readonly Suggestion[]; readonly at: number }

function useCompleting(
  { repository, people = [] }: Props,
  field: RefObject<HTMLTextAreaElement | null>,
  listId: string,
) {
  const [offered, offer] = useState<Offered>()
  const turn = useRef(0)
  const close = () => {
    turn.current++
    offer(undefined)
  }
  const choose = ({ text }: Suggestion) => {
    const { current } = field
    if (!current || !offered) return
    const { start } = offered.trigger
    replaceText(current, { start, end: current.selectionStart, text, select: start + text.length })
    close()
  }
  return {
    close,
    look() {
      const mine = ++turn.current
      const { current } = field
      const trigger = current ? findTrigger(current.value, current.selectionStart) : undefined
      if (!trigger) return offer(undefined)
      void suggest(repository, trigger, people).then((list) => {
        if (mine === turn.current) offer(list.length > 0 ? { trigger, list, at: 0 } : undefined)
      })
    },
    press(event: KeyboardEvent) {
      if (!offered) return
      const { list, at } = offered
      const step = { ArrowDown: 1, ArrowUp: list.length - 1 }[event.key]
      if (step !== undefined) offer({ ...offered, at: (at + step) % list.length })
      else if (event.key === 'Enter' || event.key === 'Tab') choose(list[at]!)
      else if (event.key === 'Escape') close()
      else return
      event.preventDefault()
    },
    attributes: offered ? { 'aria-controls': listId, 'aria-activedescendant': `${listId}-${offered.at}` } : {},
    list: offered && (
      <div class="suggestions" role="listbox" id={listId} aria-label="Suggestions">
        {offered.list.map((one, at) => (
          <div
            key={one.name}
            id={`${listId}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === offered.at}
            // The field keeps the focus.
            onMouseDown={(event) => {
              event.preventDefault()
              choose(one)
            }}
          >
            <b>{one.name}</b> {one.hint && <span class="soft">{one.hint}</span>}
          </div>
        ))}
      </div>
    ),
  }
}
