/** A wiki as the interface answers it: its pages, one of them, and the parts that are shown beside each. */
import { read, toPath } from '../../api/forge.ts'
import type { User } from '../../api/forge-types.ts'

export type WikiPage = {
  readonly name: string
  readonly title: string
  readonly path: string
  readonly sha: string
  readonly url: string
  readonly html_url: string
}

export type WikiText = WikiPage & { readonly text: string; readonly html: string }

export type Revision = {
  readonly sha: string
  readonly message: string
  readonly author: { readonly name: string; readonly date: string }
  readonly user: User | null
}

export type Wiki = {
  readonly pages: readonly WikiPage[]
  /** Undefined on the first page of a wiki without a Home. */
  readonly page: WikiText | undefined
  readonly sidebar: string | undefined
  readonly footer: string | undefined
}

const nameOf = ({ name }: WikiPage): string => name.toLowerCase()

/** Parts of every page are no pages of their own. */
export const isSpecial = (page: WikiPage): boolean => ['_sidebar', '_footer', '_header'].includes(nameOf(page))

const wikiPath = (fullName: string, ...rest: readonly string[]) =>
  toPath('repos', ...fullName.split('/'), 'wiki', ...rest)

/** Without a name: its Home. */
export async function openWiki(fullName: string, name: string, version: string | undefined): Promise<Wiki> {
  const readPage = (page: string, query = {}) => read<WikiText>(wikiPath(fullName, 'pages', page), query)
  const named = name === '' ? undefined : readPage(name, { version })
  // It is awaited below; its failure must not go unheard before.
  named?.catch(() => {})
  const pages = await read<readonly WikiPage[]>(wikiPath(fullName, 'pages'))
  const find = (wanted: string) => pages.find((page) => nameOf(page) === wanted)?.name
  const home = find('home')
  const part = async (wanted: string) => {
    const found = find(wanted)
    return found === undefined ? undefined : (await readPage(found)).html
  }
  const [page, sidebar, footer] = await Promise.all([
    named ?? (home === undefined ? undefined : readPage(home, { version })),
    part('_sidebar'),
    part('_footer'),
  ])
  return { pages, page, sidebar, footer }
}

export const readHistory = (fullName: string, name: string) =>
  read<readonly Revision[]>(wikiPath(fullName, 'history', name))
