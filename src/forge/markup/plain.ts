/** Writes a text as it is, if rendering it would take too long or produce too much. */

export type RenderForm = 'html' | 'text'
export type Rendered = { readonly html?: string; readonly text?: string }

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const writePlainly = (text: string, forms: readonly RenderForm[]): Rendered => ({
  ...(forms.includes('html') && { html: `<pre>${text.replace(/[&<>"]/g, (mark) => entities[mark]!)}</pre>` }),
  ...(forms.includes('text') && { text }),
})
