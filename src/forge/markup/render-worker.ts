/** A worker thread that renders: it is handed several texts of one place at a time, as a page of comments has them. */
import { performance } from 'node:perf_hooks'
import { type Rendered, type RenderForm, writePlainly } from './plain.ts'
import type { RenderContext } from './render-context.ts'
import { renderHtml, renderText } from './rendering.ts'

export type RenderTask = {
  readonly texts: readonly string[]
  readonly forms: readonly RenderForm[]
  readonly context: RenderContext
}

/**
 * Measured in processor time of a fresh thread: 64 KiB of prose full of names take 0.2 s, of the worst table 1.3 s; a
 * definition that is used often grows without end. A page of such texts is given so much time and so many characters; what is left of it then is shown as written.
 */
const maxMs = 2_000
const maxCharacters = 8 * 1024 * 1024

export default function render({ texts, forms, context }: RenderTask): Rendered[] {
  const until = performance.now() + maxMs
  let left = maxCharacters
  return texts.map((text) => {
    if (left < text.length || performance.now() > until) return writePlainly(text, forms)
    const rendered = {
      ...(forms.includes('html') && { html: renderHtml(text, context) }),
      ...(forms.includes('text') && { text: renderText(text, context) }),
    }
    const length = (rendered.html?.length ?? 0) + (rendered.text?.length ?? 0)
    if (length > left) return writePlainly(text, forms)
    left -= length
    return rendered
  })
}
