/** A package's statement and name, in English if there is an English one, else in any language. */
import type { Limits } from '../limits.ts'
import { type Manifest, type PackageFiles, readText } from './package-files.ts'

const pattern = /^(?:problem_statement|statement)\/problem(?:\.([A-Za-z-]{2,}))?\.(md|tex)$/

export async function readStatement(files: PackageFiles, manifest: Manifest, limits: Limits, notes: string[]) {
  const found = files.paths
    .map((path) => ({ path, match: pattern.exec(path) }))
    .filter(({ match }) => match !== null)
    .sort((a, b) => rank(a.match!) - rank(b.match!) || (a.path < b.path ? -1 : 1))
  const [chosen, ...others] = found
  for (const { path } of others) notes.push(`${path}: a problem has one statement here, taken from ${chosen!.path}.`)
  const text = chosen ? (await readText(files, chosen.path)).toString().replaceAll('\0', '') : ''
  if (!chosen) notes.push('There is no statement in Markdown or LaTeX: the description is empty.')
  if (chosen?.path.endsWith('.tex')) notes.push(`${chosen.path} is LaTeX: its source became the description, as it is.`)
  const name = cut(findName(manifest, text), limits.problemNameLength, 'name', notes)
  return { name, text: cut(text, limits.descriptionLength, 'statement', notes) }
}

function rank([, language, format]: RegExpExecArray): number {
  const byLanguage = language === 'en' ? 0 : language?.startsWith('en') ? 1 : language === undefined ? 2 : 3
  return 2 * byLanguage + Number(format !== 'md')
}

function findName(manifest: Manifest, statement: string): string {
  const { name } = manifest
  const names = typeof name === 'object' && name !== null ? (name as Record<string, unknown>) : { en: name }
  const stated = names.en ?? Object.values(names)[0]
  const inStatement = /\\problemname\{([^}]*)\}/.exec(statement)?.[1]
  const chosen = typeof stated === 'string' || typeof stated === 'number' ? String(stated) : inStatement
  return chosen?.replaceAll('\0', '').trim() || 'Imported problem'
}

function cut(text: string, most: number, what: string, notes: string[]): string {
  const characters = [...text]
  if (characters.length <= most) return text
  notes.push(`The ${what} was cut to ${most} characters: it had ${characters.length}.`)
  return characters.slice(0, most).join('')
}
