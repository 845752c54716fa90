/** The worker thread that renders. It receives a batch of texts in one context, such as a page of comments. */
import { performance } from 'node:perf_hooks'
import { findMentions } from './mentions.ts'
import { type Rendered, type RenderForm, writePlainly } from './plain.ts'
import type { RenderContext } from './render-context.ts'
import { renderHtml, renderText } from './rendering.ts'

/** The remaining budget of a page: time, and characters of output. */
export type Allowance = { readonly ms: number; readonly characters: number }

export type RenderTask =
  | { readonly act: 'find-logins'; readonly texts: readonly string[] }
  | { readonly act: 'write-plainly'; readonly texts: readonly string[]; readonly forms: readonly RenderForm[] }
  | {
      readonly act: 'render'
      readonly texts: readonly string[]
      readonly forms: readonly RenderForm[]
      readonly context: RenderContext
      readonly allowance: Allowance
    }

export type RenderResult = {
  readonly rendered?: readonly Rendered[]
  readonly logins?: readonly string[]
  readonly allowance?: Allowance
}

export default function act(task: RenderTask): RenderResult {
  switch (task.act) {
    case 'find-logins':
      return { logins: task.texts.flatMap((text) => findMentions(text).map(({ login }) => login)) }
    case 'write-plainly':
      return { rendered: task.texts.map((text) => writePlainly(text, task.forms)) }
    case 'render':
      return render(task)
  }
}

/** Texts that exceed the time or the characters left are shown as written. */
function render({ texts, forms, context, allowance }: Extract<RenderTask, { act: 'render' }>): RenderResult {
  const startedAt = performance.now()
  let left = allowance.characters
  const rendered = texts.map((text) => {
    if (left < text.length || performance.now() - startedAt > allowance.ms) return writePlainly(text, forms)
    const made = {
      ...(forms.includes('html') && { html: renderHtml(text, context) }),
      ...(forms.includes('text') && { text: renderText(text, context) }),
    }
    const length = (made.html?.length ?? 0) + (made.text?.length ?? 0)
    if (length > left) return writePlainly(text, forms)
    left -= length
    return made
  })
  return { rendered, allowance: { ms: allowance.ms - (performance.now() - startedAt), characters: left } }
}
