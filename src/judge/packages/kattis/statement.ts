/** A package's statement and name, in English if available, otherwise in any language. TeX becomes Markdown. */
import type { Limits } from '../../limits.ts'
import { readText } from '../package-files.ts'
import type { PackagedFile, PackageReading } from '../packaged-problem.ts'
import { texToMarkdown } from '../tex/tex-to-markdown.ts'
import { type Manifest, replaceConstants } from './manifest.ts'

const pattern = /^(?:problem_statement|statement)\/problem(?:\.([A-Za-z-]{2,}))?\.(md|tex|pdf)$/
/** TeX has much markup of its own; a longer source would be cut anyway. */
const longestSource = 150_000

export type Statement = {
  readonly name: string
  readonly text: string
  readonly language: string
  /** The original source, if it is kept beside the converted text. */
  readonly kept: readonly PackagedFile[]
}

export async function readStatement(reading: PackageReading, manifest: Manifest, limits: Limits): Promise<Statement> {
  const { files, used, notes } = reading
  const found = files.paths
    .map((path) => ({ path, match: pattern.exec(path)! }))
    .filter(({ match }) => match !== null)
    .sort((a, b) => rank(a.match) - rank(b.match) || (a.path < b.path ? -1 : 1))
  const [chosen, ...others] = found
  const language = chosen?.match[1] ?? 'en'
  const named = (text: string) => ({
    name: cut(findName(manifest, language, text), limits.problemNameLength, 'name', notes),
    language,
  })
  if (!chosen) {
    const whole = files.paths.find((path) => /^problem\.pdf$/.test(path))
    if (whole) return { ...named(''), text: `[The statement is a PDF.](../${whole})\n`, kept: [] }
    notes.push('There is no statement: the description is empty.')
    return { ...named(''), text: '', kept: [] }
  }
  for (const { path } of others)
    notes.push(`${path}: kept; a problem has one statement here, taken from ${chosen.path}.`)
  const fileName = chosen.path.split('/').at(-1)!
  if (chosen.match[2] === 'pdf')
    return {
      ...named(''),
      text: `[The statement is a PDF.](${fileName})\n`,
      kept: [{ path: `statement/${fileName}`, source: chosen.path }],
    }
  used.add(chosen.path)
  const source = cutSource((await readText(files, chosen.path)).toString(), notes)
  if (chosen.match[2] === 'md') {
    const text = replaceConstants(source, manifest.constants).replace(
      /\{\{(?:nextsample|remainingsamples)\}\}[ \t]*\n?/g,
      '',
    )
    return { ...named(text), text: cut(text, limits.descriptionLength, 'statement', notes), kept: [] }
  }
  const { text, unknown } = texToMarkdown(source, (name) => manifest.constants.get(name))
  if (unknown.length > 0)
    notes.push(`${chosen.path}: ${unknown.slice(0, 20).join(', ')}: not known of TeX here, and left as written.`)
  return {
    ...named(source),
    text: cut(text, limits.descriptionLength, 'statement', notes),
    kept: [{ path: `source/${fileName}`, source: chosen.path }],
  }
}

function rank([, language, format]: RegExpExecArray): number {
  const byLanguage = language === 'en' || language === undefined ? 0 : language.startsWith('en') ? 1 : 2
  return 4 * byLanguage + (language === undefined ? 1 : 0) + { md: 0, tex: 0, pdf: 2 }[format as 'md' | 'tex' | 'pdf']
}

function findName({ names }: Manifest, language: string, statement: string): string {
  const stated = names[language] ?? names.en ?? Object.values(names)[0]
  const plain = /^%%\s*plainproblemname:\s*(.*)$/m.exec(statement)?.[1]
  const inStatement = /^([^}]*)\}/.exec(statement.split('\\problemname{', 2)[1] ?? '')?.[1]
  const chosen = typeof stated === 'string' || typeof stated === 'number' ? String(stated) : (plain ?? inStatement)
  return chosen?.replaceAll('\0', '').trim() || 'Imported problem'
}

/** The text to convert: without NUL, and cut at the bound. */
export const cutSource = (text: string, notes: string[]): string =>
  cut(text.replaceAll('\0', ''), longestSource, 'source of the statement', notes)

export function cut(text: string, most: number, what: string, notes: string[]): string {
  if (text.length <= most) return text
  let count = 0
  let end = 0
  for (const character of text) if (count++ < most) end += character.length
  if (count <= most) return text
  notes.push(`The ${what} was cut to ${most} characters: it had ${count}.`)
  return text.slice(0, end)
}
