/** Templates of issues and pulls, as the repository keeps them in its files. */
import { readIfThere, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { IssueForm, TemplateConfig } from './issue-forms.ts'

export type Template = {
  /** Its file, which names it in the address. */
  readonly file: string
  readonly name: string
  readonly about: string
  readonly title: string
  readonly labels: readonly string[]
  readonly assignees: readonly string[]
  readonly body: string
  readonly form?: IssueForm
}

/** What a new issue may begin with. */
export type IssueTemplates = TemplateConfig & { readonly templates: readonly Template[] }

type Entry = {
  readonly name: string
  readonly path: string
  readonly type: string
  readonly size: number
  readonly content?: string
}

/** More would be more than anybody chooses from. */
const mostTemplates = 20
const mostBytes = 64 * 1024
const folders = ['.github', '', 'docs'] as const

const decode = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64.replace(/\s/g, '')), (letter) => letter.charCodeAt(0)))

/** `key: value` lines between two lines of hyphens; a list is written with commas, in brackets, or a line an item. */
export function readTemplate(file: string, text: string): Template {
  const found = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text)
  const head = new Map<string, string[]>()
  let last = ''
  for (const line of (found?.[1] ?? '').split(/\r?\n/)) {
    const [, key, value = ''] = /^([a-z_]+):\s*(.*)$/i.exec(line) ?? []
    const item = /^\s*-\s+(.*)$/.exec(line)?.[1]
    if (key) {
      last = key.toLowerCase()
      head.set(last, value === '' ? [] : [value])
    } else if (item && last) head.get(last)?.push(item)
  }
  const bare = (value = '') => value.trim().replace(/^(['"])(.*)\1$/, '$2')
  const one = (key: string) => bare(head.get(key)?.[0])
  const list = (key: string) =>
    (head.get(key) ?? [])
      .flatMap((value) => value.replace(/^\[(.*)\]$/, '$1').split(','))
      .map(bare)
      .filter(Boolean)
  return {
    file,
    name: one('name') || file.replace(/\.md$/i, ''),
    about: one('about') || one('description'),
    title: one('title'),
    labels: list('labels'),
    assignees: list('assignees'),
    body: (found?.[2] ?? text).replace(/^\s*\n/, ''),
  }
}

type Found = { readonly file: string; readonly text: string }

/** Of each folder that may hold them the one file, and the folder of several, in one round; their texts in another. */
async function readFiles(repository: Repository, name: string, kinds: RegExp): Promise<readonly Found[]> {
  const { owner, name: repo } = repository
  const contents = (path: string) => repositoryPath(owner.login, repo, 'contents', ...(path ? [path] : []))
  const read = async (path: string): Promise<readonly Entry[]> => {
    const found = await readIfThere<readonly Entry[] | Entry>(contents(path))
    return Array.isArray(found) ? found : []
  }
  const isFor = (entry: Entry) => new RegExp(`^${name}(?:\\.md)?$`, 'i').test(entry.name)
  const listed = (await Promise.all([...folders, `.github/${name}`].map(read))).flat()
  const wanted = listed.filter(
    (entry) =>
      entry.type === 'file' &&
      entry.size <= mostBytes &&
      (isFor(entry) || (entry.path.startsWith(`.github/${name}/`) && kinds.test(entry.name))),
  )
  const texts = await Promise.all(
    wanted.slice(0, mostTemplates).map(async ({ name: file, path }) => {
      const entry = await readIfThere<Entry>(contents(path))
      return entry?.content === undefined ? undefined : { file, text: decode(entry.content) }
    }),
  )
  return texts.filter((found) => found !== undefined)
}

const isForm = ({ file }: Found) => /\.ya?ml$/i.test(file)
const isConfig = ({ file }: Found) => /^config\.ya?ml$/i.test(file)

export async function readIssueTemplates(repository: Repository): Promise<IssueTemplates> {
  const found = await readFiles(repository, 'ISSUE_TEMPLATE', /\.(?:md|ya?ml)$/i)
  const written = found.filter((one) => !isForm(one)).map(({ file, text }) => readTemplate(file, text))
  if (!found.some(isForm)) return { templates: written, isBlankOffered: true, links: [] }
  const { readConfig, readForm } = await import('./issue-form-reading.ts')
  const forms = found
    .filter((one) => isForm(one) && !isConfig(one))
    .flatMap(({ file, text }): Template[] => {
      const form = readForm(text)
      return form ? [{ ...form, file, body: '', form }] : []
    })
  const templates = [...forms, ...written]
  const config = readConfig(found.find(isConfig)?.text ?? '')
  // A repository whose forms can't be read must not keep everybody from opening an issue.
  return { ...config, templates, isBlankOffered: config.isBlankOffered || templates.length === 0 }
}

export const readPullTemplates = async (repository: Repository): Promise<readonly Template[]> =>
  (await readFiles(repository, 'PULL_REQUEST_TEMPLATE', /\.md$/i)).map(({ file, text }) => readTemplate(file, text))
