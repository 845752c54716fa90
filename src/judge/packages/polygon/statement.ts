/** A Polygon package's statement as Markdown, from its TeX sections, in English if available. */
import type { Limits } from '../../limits.ts'
import { cut, cutSource } from '../kattis/statement.ts'
import { invalidPackage, readText } from '../package-files.ts'
import type { PackagedFile, PackageReading } from '../packaged-problem.ts'
import { texToMarkdown } from '../tex/tex-to-markdown.ts'
import { findAll, type XmlElement } from './xml.ts'

/** Room for the sections of a statement with each character escaped as six. */
const mostPropertiesBytes = 2 * 1024 * 1024

type Sections = Readonly<Record<string, unknown>>

const codes: Readonly<Record<string, string>> = {
  english: 'en',
  russian: 'ru',
  spanish: 'es',
  french: 'fr',
  german: 'de',
  ukrainian: 'uk',
  chinese: 'zh',
}
const headings: readonly [section: string, heading: string][] = [
  ['legend', ''],
  ['input', '## Input'],
  ['output', '## Output'],
  ['interaction', '## Interaction'],
  ['scoring', '## Scoring'],
  ['notes', '## Note'],
]

export async function readPolygonStatement(reading: PackageReading, problem: XmlElement, limits: Limits) {
  const { files, notes } = reading
  const named = findAll(problem, 'names/name').map(({ attributes }) => [
    attributes.language ?? '',
    attributes.value ?? '',
  ])
  const names = new Map(named as [string, string][])
  const languages = [
    ...new Set(
      files.paths.map((path) => /^statements\/([a-z]+)\/problem/.exec(path)?.[1]).filter((one) => one !== undefined),
    ),
  ]
  const language =
    languages.find((one) => one === 'english') ?? languages.sort()[0] ?? [...names.keys()][0] ?? 'english'
  const name = names.get(language) ?? [...names.values()][0] ?? problem.attributes['short-name'] ?? 'Imported problem'
  const found = await readSource(reading, language)
  if (found === undefined) notes.push('There is no statement in TeX: the description is empty.')
  const { text, unknown } = texToMarkdown(cutSource(found ?? '', notes))
  if (unknown.length > 0)
    notes.push(`The statement: ${unknown.slice(0, 20).join(', ')}: not known of TeX here, and left as written.`)
  for (const other of languages.filter((one) => one !== language))
    notes.push(`statements/${other}: kept; a problem has one statement here, in ${language}.`)
  return {
    name: name.trim() || 'Imported problem',
    text: cut(text, limits.descriptionLength, 'statement', notes),
    language: codes[language] ?? 'en',
    kept: listPictures(reading, language),
  }
}

/** The separate sections, if they exist; otherwise the whole statement, which includes the samples. */
async function readSource({ files }: PackageReading, language: string): Promise<string | undefined> {
  const properties = `statements/${language}/problem-properties.json`
  if (files.paths.includes(properties)) {
    const sections = parse((await readText(files, properties, mostPropertiesBytes)).toString(), properties)
    return headings
      .filter(([section]) => typeof sections[section] === 'string' && sections[section] !== '')
      .map(([section, heading]) => `${heading ? `\\section{${heading.slice(3)}}\n\n` : ''}${sections[section]}`)
      .join('\n\n')
  }
  const whole = `statements/${language}/problem.tex`
  return files.paths.includes(whole) ? (await readText(files, whole)).toString() : undefined
}

function parse(text: string, path: string): Sections {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Sections
  } catch {
    // Reported by the error below.
  }
  throw invalidPackage(`${path} is not JSON.`)
}

/** Pictures beside the statement, moved to where a statement looks for them. */
function listPictures({ files, used }: PackageReading, language: string): PackagedFile[] {
  const start = `statements/${language}/`
  return files.paths
    .filter(
      (path) =>
        path.startsWith(start) &&
        /\.(?:png|jpe?g|gif|webp|svg|pdf)$/i.test(path) &&
        !path.slice(start.length).includes('/'),
    )
    .map((source) => {
      used.add(source)
      return { path: `statement/${source.slice(start.length)}`, source }
    })
}
