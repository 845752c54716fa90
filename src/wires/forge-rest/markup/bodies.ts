/** People's texts in the form that the media type asks for: as written, as HTML, as plain text, or all three. */
import { type Awaitable, whenKnown } from '../../../base/awaitable.ts'
import { findMentions } from '../../../forge/markup/mentions.ts'
import type { Rendered } from '../../../forge/markup/plain.ts'
import type { Call } from '../route.ts'

type Form = 'raw' | 'text' | 'html' | 'full'

/** What stands in an object in place of its text. */
export type ShownBody = {
  readonly body?: string | null
  readonly body_text?: string
  readonly body_html?: string
}

type Text = string | null

/** `application/vnd.platform.html+json`, with a version before the form, too. */
export const readBodyForm = (accept: string): Form =>
  (/\bapplication\/vnd\.(?:platform|github)(?:\.v\d)?\.(raw|text|html|full)\b/i.exec(accept)?.[1]?.toLowerCase() ??
    'raw') as Form

/** For each text what is shown of it, in their order. `repository`, `owner/name`, is what `#12` is a number of. */
export function showBodies(call: Call, repository: string, texts: readonly Text[]): Awaitable<readonly ShownBody[]> {
  const form = readBodyForm(call.accept)
  if (form === 'raw') return texts.map((body) => ({ body }))
  return renderBodies(call, repository, texts, form)
}

/** For an object that has one text. */
export const showBody = (call: Call, repository: string, text: Text): Awaitable<ShownBody> =>
  whenKnown(showBodies(call, repository, [text]), ([shown]) => shown!)

async function renderBodies(
  { forge, view, caller }: Call,
  repository: string,
  texts: readonly Text[],
  form: Exclude<Form, 'raw'>,
): Promise<ShownBody[]> {
  const written = texts.map((text) => text ?? '')
  const logins = await forge.people.listKnown(written.flatMap((text) => findMentions(text).map(({ login }) => login)))
  const context = { origin: view.origin, repository, breaks: true, logins: new Set(logins) }
  const forms = form === 'full' ? (['html', 'text'] as const) : [form]
  const rendered = await forge.renderer.render(caller.key, written, forms, context)
  return rendered.map((each, index) => present(each, texts[index]!, form))
}

const present = ({ html, text }: Rendered, body: Text, form: Form): ShownBody => ({
  ...(form === 'full' && { body }),
  ...(text !== undefined && { body_text: text }),
  ...(html !== undefined && { body_html: html }),
})
