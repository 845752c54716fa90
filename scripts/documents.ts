/** The documents of `docs/` as the page shows them: HTML with its headings as places to go to, and one index to search in. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import MarkdownIt, { type Token } from 'markdown-it'

/** `body` is JSON. */
export type DocumentFile = { readonly name: string; readonly body: string }

type Section = { readonly document: string; readonly id: string; readonly title: string; readonly text: string }

const parser = new MarkdownIt({ html: false, linkify: false })
parser.renderer.rules.table_open = () => '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n'
parser.renderer.rules.table_close = () => '</table></div>\n'
/** A block of code may be wider than the page, and is then moved with the keyboard, too. */
parser.renderer.rules.fence = (tokens, at) =>
  `<pre tabindex="0" class="code">${parser.utils.escapeHtml(tokens[at]!.content)}</pre>\n`

/** `index` among them lists the documents and their sections. */
export async function renderDocuments(folder: string): Promise<DocumentFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3))
  const rendered = await Promise.all(
    names.sort().map(async (name) => render(name, await readFile(join(folder, `${name}.md`), 'utf8'))),
  )
  const documents = rendered.map(({ name, title }) => ({ name, title }))
  const sections = rendered.flatMap((each) => each.sections)
  return [
    ...rendered.map(({ name, title, headings, html }) => ({ name, body: JSON.stringify({ title, headings, html }) })),
    { name: 'index', body: JSON.stringify({ documents, sections }) },
  ]
}

function render(name: string, text: string) {
  const tokens = parser.parse(text.replace(/^<!--.*?-->\n/gms, ''), {})
  const headings: { id: string; level: number; title: string }[] = []
  const sections: Section[] = []
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open') {
      const title = plainText(tokens[at + 1]!)
      // The same as programs are told in `documentation_url`.
      const id = title.toLowerCase().replaceAll(' ', '-')
      token.attrSet('id', id)
      headings.push({ id, level: Number(token.tag.slice(1)), title })
      sections.push({ document: name, id, title, text: '' })
    } else if (sections.length > 0 && (token.type === 'inline' || token.type === 'fence')) {
      const isTitle = tokens[at - 1]?.type === 'heading_open'
      const last = sections.at(-1)!
      if (!isTitle) sections[sections.length - 1] = { ...last, text: `${last.text} ${token.content}`.slice(0, 2_000) }
    }
    for (const child of token.children ?? []) mendLink(child)
  })
  const title = headings[0]?.title ?? name
  return { name, title, headings, sections, html: parser.renderer.render(tokens, parser.options, {}) }
}

const plainText = ({ children, content }: Token): string => children?.map((child) => child.content).join('') || content

/** Documents link to each other as files do, so that they can be read beside the source; here they are views. */
function mendLink(token: Token): void {
  const href = token.type === 'link_open' ? token.attrGet('href') : null
  const [, name, hash = ''] = /^(?:docs\/)?([\w-]+)\.md(#.*)?$/.exec(String(href ?? '')) ?? []
  if (name) token.attrSet('href', `/-/docs/${name}${hash}`)
}
