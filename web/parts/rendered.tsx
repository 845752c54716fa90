/** HTML that the server made of Markdown: the one place where text becomes markup, behind the one policy that the shell allows. */

type Policy = { createHTML(html: string): unknown }
type Types = { createPolicy(name: string, rules: { createHTML(html: string): string }): Policy }

const types = (globalThis as { trustedTypes?: Types }).trustedTypes
const policy: Policy = types?.createPolicy('guildhall', { createHTML: (html) => html }) ?? {
  createHTML: (html) => html,
}

export const Rendered = ({ html, class: name = 'prose' }: { html: string; class?: string }) => (
  <div class={name} dangerouslySetInnerHTML={{ __html: policy.createHTML(html) as string }} />
)
