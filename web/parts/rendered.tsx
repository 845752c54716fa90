/** HTML that the server made of Markdown: the one place where text becomes markup, behind the one policy that the shell allows. */
import { useEffect, useMemo, useRef } from 'preact/hooks'

type Policy = { createHTML(html: string): unknown }
type Types = { createPolicy(name: string, rules: { createHTML(html: string): string }): Policy }

const types = (globalThis as { trustedTypes?: Types }).trustedTypes
const policy: Policy = types?.createPolicy('guildhall', { createHTML: (html) => html }) ?? {
  createHTML: (html) => html,
}

export function Rendered({ html, class: name = 'prose' }: { html: string; class?: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = place
    const blocks = current?.querySelectorAll('pre') ?? []
    // A block may be wider than the page, and is then moved with the keyboard, too.
    for (const block of blocks) block.tabIndex = 0
    if (!html.includes('<code class="language-')) return
    // Colours are a nicety: where they can't be loaded, the code is read without.
    import('./highlight.ts').then(({ highlightBlocks }) => highlightBlocks(current!)).catch(() => {})
  }, [html])
  // Made once: another object for the same text would be drawn anew, and what was done to it lost.
  const markup = useMemo(() => ({ __html: policy.createHTML(html) as string }), [html])
  return <div ref={place} class={name} dangerouslySetInnerHTML={markup} />
}
