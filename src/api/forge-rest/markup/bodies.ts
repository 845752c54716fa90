/** User texts in the form that the media type requests: as written, as HTML, as plain text, or all three. */
import type { Autolinks } from '../../../forge/autolinks/autolinks.ts'
import type { Rendered } from '../../../forge/markup/plain.ts'
import type { Renderer } from '../../../forge/markup/renderer.ts'
import type { People } from '../../../forge/people/people.ts'
import type { RestAnswer } from '../rest-answer.ts'
import type { ForgeCall, Route } from '../route.ts'

type Needs = { autolinks: Autolinks; people: People; renderer: Renderer }

type Form = 'raw' | 'text' | 'html' | 'full'

/** `application/vnd.platform.html+json`, also with a version before the form. */
export const readBodyForm = (accept: string): Form =>
  (/\bapplication\/vnd\.(?:platform|github)(?:\.v\d)?\.(raw|text|html|full)\b/i.exec(accept)?.[1]?.toLowerCase() ??
    'raw') as Form

/**
 * Lets a route's responses contain texts in the requested form, without the presenters' help: every object with a
 * `body`, in the response itself, in its list, or one level inside (the issue of an event, the items of a search), gets
 * `body_html` and `body_text`, rendered together.
 */
export const makeBodyForms =
  (needs: Needs) =>
  (route: Route): Route => ({
    ...route,
    async handle(call) {
      const answer = await route.handle(call)
      const form = readBodyForm(call.accept)
      return form === 'raw' || typeof answer.body !== 'object' ? answer : reform(needs, call, answer, form)
    },
  })

type Shown = Record<string, unknown> & { body: string | null }

async function reform(
  { autolinks, people, renderer }: Needs,
  call: ForgeCall,
  answer: RestAnswer,
  form: Exclude<Form, 'raw'>,
): Promise<RestAnswer> {
  const { body, shown: all } = copyShown(answer.body)
  const byPlace = Map.groupBy(all, placeOf)
  const names = await renderer.findLogins(
    call.caller.key,
    all.map((shown) => shown.body ?? ''),
  )
  const logins = new Set(await people.listKnown(names.slice(0, maxNames)))
  const forms = form === 'full' ? (['html', 'text'] as const) : [form]
  for (const [repository, group] of byPlace) {
    const rules = repository ? ((await autolinks.rulesOf(repository)) ?? []) : []
    const place = repository && { repository, autolinks: rules }
    const context = { origin: call.view.origin, breaks: true, logins, ...place }
    const texts = group.map((shown) => shown.body ?? '')
    const rendered = await renderer.render(call.caller.key, texts, forms, context)
    for (const [index, each] of rendered.entries()) change(group[index]!, each, form)
  }
  return { ...answer, body }
}

/** A query takes only so many parameters. */
const maxNames = 5_000

function change(shown: Shown, { html, text }: Rendered, form: Form): void {
  if (text !== undefined) shown.body_text = text
  if (html !== undefined) shown.body_html = html
  if (form !== 'full') delete (shown as Partial<Shown>).body
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const inner = ['issue', 'comment', 'items', 'source'] as const

/** Copies the objects that have a text, since presenters may show one object twice; all other parts are shared. */
function copyShown(body: unknown): { body: unknown; shown: Shown[] } {
  const shown: Shown[] = []
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isObject(value)) return value
    const own = { ...value }
    if ('body' in own && (typeof own.body === 'string' || own.body === null)) shown.push(own as Shown)
    for (const name of inner) if (name in own) own[name] = copy(own[name])
    return own
  }
  return { body: copy(body), shown }
}

/** `owner/name`, read from the object's own address. */
const placeOf = ({ url, issue_url: issueUrl }: Shown): string =>
  /\/repos\/([^/?]+\/[^/?]+)/.exec(String(url ?? issueUrl ?? ''))?.[1] ?? ''
