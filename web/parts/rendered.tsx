/** HTML that the server made of Markdown: the one place where text becomes markup, behind the one policy that the shell allows. */
import { useEffect, useMemo, useRef } from 'preact/hooks'

type Policy = { createHTML(html: string): unknown }
type Types = { createPolicy(name: string, rules: { createHTML(html: string): string }): Policy }

const types = (globalThis as { trustedTypes?: Types }).trustedTypes
const policy: Policy = types?.createPolicy('guildhall', { createHTML: (html) => html }) ?? {
  createHTML: (html) => html,
}

type Props = {
  readonly html: string
  readonly class?: string
  /** Called with what was drawn, each time that it is; answers how to undo what it did. */
  whenDrawn?: ((place: HTMLElement) => () => void) | undefined
}

export function Rendered({ html, class: name = 'prose', whenDrawn }: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = place
    const blocks = current?.querySelectorAll('pre') ?? []
    // A block may be wider than the page, and is then moved with the keyboard, too.
    for (const block of blocks) block.tabIndex = 0
    for (const box of current?.querySelectorAll<HTMLInputElement>('.task-list-item-checkbox') ?? [])
      box.ariaLabel = box.parentElement?.textContent?.trim().split('\n', 1)[0] || 'Task'
    if (!html.includes('<code class="language-')) return
    // Colours are a nicety: where they can't be loaded, the code is read without.
    import('./highlight.ts').then(({ highlightBlocks }) => highlightBlocks(current!)).catch(() => {})
  }, [html])
  useEffect(() => (place.current ? whenDrawn?.(place.current) : undefined), [html, whenDrawn])
  // Made once: another object for the same text would be drawn anew, and what was done to it lost.
  const markup = useMemo(() => ({ __html: policy.createHTML(html) as string }), [html])
  return <div ref={place} class={name} dangerouslySetInnerHTML={markup} />
}
