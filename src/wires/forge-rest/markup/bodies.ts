/** People's texts in the form that the media type asks for: as written, as HTML, as plain text, or all three. */
import { setImmediate } from 'node:timers/promises'
import { findMentions } from '../../../forge/markup/mentions.ts'
import type { Rendered } from '../../../forge/markup/plain.ts'
import type { Answer } from '../answer.ts'
import type { Call, Route } from '../route.ts'

type Form = 'raw' | 'text' | 'html' | 'full'

/** `application/vnd.platform.html+json`, with a version before the form, too. */
export const readBodyForm = (accept: string): Form =>
  (/\bapplication\/vnd\.(?:platform|github)(?:\.v\d)?\.(raw|text|html|full)\b/i.exec(accept)?.[1]?.toLowerCase() ??
    'raw') as Form

/**
 * Lets a route's answers have their texts in the form that was asked for. Presenters know nothing of it: whatever has a
 * `body`, in the answer itself, in its list, or one step inside (the issue of an event, the items of a search), gets
 * `body_html` and `body_text`, rendered together.
 */
export function withBodyForms(route: Route): Route {
  return {
    ...route,
    async handle(call) {
      const answer = await route.handle(call)
      const form = readBodyForm(call.accept)
      return form === 'raw' || typeof answer.body !== 'object' ? answer : reform(call, answer, form)
    },
  }
}

type Shown = Record<string, unknown> & { body: string | null }

async function reform(call: Call, answer: Answer, form: Exclude<Form, 'raw'>): Promise<Answer> {
  const body = structuredClone(answer.body)
  const byPlace = Map.groupBy(findShown(body), placeOf)
  const all = [...byPlace.values()].flat()
  const names: string[] = []
  for (const { body: text } of all) {
    if (!text?.includes('@')) continue
    names.push(...findMentions(text).map(({ login }) => login))
    // A page of a hundred long texts takes half a second: others come in between.
    await setImmediate()
  }
  const logins = new Set(await call.forge.people.listKnown(names.slice(0, maxNames)))
  const forms = form === 'full' ? (['html', 'text'] as const) : [form]
  for (const [repository, group] of byPlace) {
    const context = { origin: call.view.origin, breaks: true, logins, ...(repository && { repository }) }
    const texts = group.map((shown) => shown.body ?? '')
    const rendered = await call.forge.renderer.render(call.caller.key, texts, forms, context)
    for (const [index, each] of rendered.entries()) change(group[index]!, each, form)
  }
  return { ...answer, body }
}

/** A query takes only so many values. */
const maxNames = 5_000

function change(shown: Shown, { html, text }: Rendered, form: Form): void {
  if (text !== undefined) shown.body_text = text
  if (html !== undefined) shown.body_html = html
  if (form !== 'full') delete (shown as Partial<Shown>).body
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const inner = ['issue', 'comment', 'items', 'source'] as const

function findShown(value: unknown): Shown[] {
  if (Array.isArray(value)) return value.flatMap(findShown)
  if (!isObject(value)) return []
  const own = 'body' in value && (typeof value.body === 'string' || value.body === null) ? [value as Shown] : []
  return [...own, ...inner.flatMap((name) => findShown(value[name]))]
}

/** `owner/name`, which every object tells by its own address. */
const placeOf = ({ url, issue_url: issueUrl }: Shown): string =>
  /\/repos\/([^/?]+\/[^/?]+)/.exec(String(url ?? issueUrl ?? ''))?.[1] ?? ''
