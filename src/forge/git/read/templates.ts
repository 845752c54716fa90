/** The files that a new issue or pull begins with, read from the default branch as the public platform does. */
import type { Repository } from '../../access/repository.ts'
import type { GitReading } from './git-reading.ts'
import type { TreeEntry } from './object-output.ts'

export type IssueTemplate = {
  readonly filename: string
  readonly name: string
  readonly about: string | null
  readonly title: string | null
  readonly body: string
}

export type PullTemplate = { readonly filename: string; readonly body: string }

const places = ['.github', '', 'docs']
/** The most templates read, and the most bytes of each. */
const mostTemplates = 20
const mostBytes = 64 * 1024
const mostEntries = 1_000

export type Templates = ReturnType<typeof makeTemplates>

export function makeTemplates({ reading }: { reading: GitReading }) {
  async function listFolder(repository: Repository, sha: string, path: string): Promise<readonly TreeEntry[]> {
    const head =
      path === '' ? await reading.head(repository, `${sha}^{tree}`) : await reading.headAt(repository, sha, path)
    if (head?.type !== 'tree') return []
    return (await reading.readTree(repository, head.sha, false, mostEntries)).entries
  }

  /** Markdown files of folders of this name, then single files of this name, whatever their case. */
  async function readTemplates(repository: Repository, name: string, withSingle: boolean): Promise<PullTemplate[]> {
    const sha = await reading.resolve(repository, repository.defaultBranch)
    if (!sha) return []
    const found: { inFolder: boolean; entry: TreeEntry }[] = []
    for (const place of places)
      for (const entry of await listFolder(repository, sha, place)) {
        if (entry.type === 'tree' && entry.path.toLowerCase() === name) {
          const inner = await listFolder(repository, sha, place === '' ? entry.path : `${place}/${entry.path}`)
          found.push(...inner.filter(isTemplate).map((one) => ({ inFolder: true, entry: one })))
        } else if (withSingle && isTemplate(entry) && entry.path.toLowerCase().replace(/\.(?:md|txt)$/, '') === name)
          found.push({ inFolder: false, entry })
      }
    const ordered = [...found.filter(({ inFolder }) => inFolder), ...found.filter(({ inFolder }) => !inFolder)]
    return Promise.all(
      ordered.slice(0, mostTemplates).map(async ({ entry }) => ({
        filename: entry.path,
        body: (await reading.blob(repository, entry.sha)).toString('utf8'),
      })),
    )
  }

  return {
    /** Those with a name of their own in their front matter; forms (`.yml`) are not read. */
    async issueTemplates(repository: Repository): Promise<IssueTemplate[]> {
      const files = await readTemplates(repository, 'issue_template', false)
      const read = await Promise.all(files.map(readIssueTemplate))
      return read.filter((template) => template !== undefined)
    },

    pullTemplates: (repository: Repository): Promise<PullTemplate[]> =>
      readTemplates(repository, 'pull_request_template', true),
  }
}

const isTemplate = ({ type, path, size }: TreeEntry): boolean =>
  type === 'blob' && /\.(?:md|txt)$|^[^.]+$/i.test(path) && (size ?? 0) <= mostBytes

async function readIssueTemplate({ filename, body: text }: PullTemplate): Promise<IssueTemplate | undefined> {
  const [, front, body] = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text) ?? []
  if (front === undefined || body === undefined) return undefined
  const { parse } = await import('yaml')
  const read = (): unknown => {
    try {
      return parse(front, { maxAliasCount: 0, logLevel: 'silent', schema: 'core' })
    } catch {
      return undefined
    }
  }
  const given = read()
  const member = (name: string): string | null => {
    const value = typeof given === 'object' && given !== null ? (given as Record<string, unknown>)[name] : undefined
    return typeof value === 'string' ? value : null
  }
  const name = member('name')
  if (!name) return undefined
  return { filename, name, about: member('about'), title: member('title'), body: body.replace(/^(?:\r?\n)+/, '') }
}
