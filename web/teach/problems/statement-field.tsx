/** The statement of a problem: its text with pictures, and how others will read it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain, Fault, unreachable } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import { formatBytes } from '../../parts/figures.ts'
import { FileButton } from '../../parts/file-button.tsx'
import { Field } from '../../parts/form.tsx'
import { Rendered } from '../../parts/rendered.tsx'
import { Problem } from '../../parts/state.tsx'

/** Before the problem is saved, a picture is part of the text, so it must be small. */
const mostInText = 60_000
const mostOfFile = 4 * 1024 * 1024

type FieldProps = { readonly uuid: string | undefined; readonly text: string; change(text: string): void }

export function StatementField({ uuid, text, change }: FieldProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [complaint, setComplaint] = useState('')
  const addPicture = async (file: File | undefined) => {
    if (!file) return
    const most = uuid ? mostOfFile : mostInText
    if (!/^image\/(?:png|jpeg|gif|webp)$/.test(file.type) || file.size > most) {
      const advice = uuid ? 'make it smaller.' : 'make it smaller, or add it once the problem is saved.'
      setComplaint(`A picture is a PNG, JPEG, GIF or WebP of at most ${formatBytes(most)}: ${advice}`)
      return
    }
    setComplaint('')
    try {
      const address = uuid ? await storePicture(uuid, file) : await readAddress(file)
      const at = field.current?.selectionStart ?? text.length
      change(`${text.slice(0, at)}\n\n![${plainName(file)}](${address})\n\n${text.slice(at)}`)
    } catch (error) {
      setComplaint(explain(error))
    }
  }
  return (
    <>
      <Field
        label="Statement"
        hint="Markdown, with tables, and maths between dollars: $n \le 10^5$, or $$…$$ for a line of its own."
      >
        <textarea
          ref={field}
          class="mono"
          rows={16}
          maxLength={100_000}
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </Field>
      <FileButton
        label="Add a picture"
        hint={`PNG, JPEG, GIF or WebP, up to ${formatBytes(uuid ? mostOfFile : mostInText)}${uuid ? '' : '; larger ones once the problem is saved'}.`}
        accept="image/png,image/jpeg,image/gif,image/webp"
        choose={([file]) => void addPicture(file)}
      />
      {complaint && <Problem message={complaint} />}
    </>
  )
}

const plainName = ({ name }: File): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '-')

function readAddress(file: File): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.readAsDataURL(file)
  })
}

/** Answers the name by which the statement shows it. */
async function storePicture(uuid: string, file: File): Promise<string> {
  const name = encodeURIComponent(plainName(file))
  const path = `/-/judge/problems/${uuid}/files/statement/${name}`
  const response = await fetch(path, { method: 'PUT', body: file }).catch(() => {
    throw unreachable()
  })
  if (response.ok) return name
  const { message = '' } = (await response.json().catch(() => ({}))) as { message?: string }
  throw new Fault(response.status, message || `The server answered ${response.status}. Try again in a moment.`)
}

/** Waits until one pauses: the server renders it, as it will for everybody. */
const pauseMs = 400

export function Preview({ uuid, text }: { uuid: string | undefined; text: string }) {
  const [html, setHtml] = useState('')
  const [complaint, setComplaint] = useState('')
  useEffect(() => {
    const controller = new AbortController()
    const timer = setTimeout(() => {
      call('preview_statement', { Description: text, ...(uuid && { UUID: uuid }) }, controller.signal).then(
        ({ HTML }) => {
          setHtml(HTML)
          setComplaint('')
        },
        (error) => controller.signal.aborted || setComplaint(explain(error)),
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text, uuid])
  return (
    <section class="card preview" aria-label="Preview">
      <p class="label soft">Preview</p>
      {complaint && <Problem message={complaint} />}
      {html ? <Rendered html={html} /> : <p class="soft">Your text appears here as others will see it.</p>}
    </section>
  )
}
