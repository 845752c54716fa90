/** The languages of this machine: the built-in ones with a toolchain, and the operator's custom ones from a file. */
import { builtIns } from './built-in.ts'
import { compileLimits, type Language } from './language.ts'

/** Optional packages of Python, used if installed. */
const pythonPackages = ['numpy']

/** The locale of every box (`LANG`). */
const forAll = ['/usr/lib/locale/C.utf8']

export type LanguageSurvey = {
  readonly languages: readonly Language[]
  /** For doctor: the version of each language's toolchain, or what is missing. */
  readonly findings: readonly {
    readonly value: string
    readonly name: string
    readonly version: string | null
    readonly missing: string | null
  }[]
}

const describeOwn = (language: Language | null): string =>
  language?.runtime
    ? 'configured'
    : 'configured; its runs see all of the system’s folders: say what they need (`runtime`)'

/** A custom language replaces a built-in one of the same value. */
export async function surveyLanguages(configurationPath?: string): Promise<LanguageSurvey> {
  // Loaded only if there is such a file: the YAML parser and the schemas take longer to load than everything else.
  const configured = configurationPath
    ? (await import('./custom-languages.ts')).readConfiguration(configurationPath)
    : { own: [], pythonPackages: [] }
  const { own } = configured
  const wishes = { pythonPackages: [...new Set([...pythonPackages, ...configured.pythonPackages])] }
  const languages = new Map<string, Language>()
  const findings: LanguageSurvey['findings'][number][] = []
  await Promise.all(
    builtIns.map(async (builtIn) => {
      const { value, name } = builtIn
      if (own.some((each) => each.value === value)) return
      const located = await builtIn.locate(wishes)
      if ('missing' in located) {
        findings.push({ value, name, version: null, missing: located.missing })
        return
      }
      findings.push({ value, name, version: located.version, missing: null })
      languages.set(value, {
        value,
        name,
        folders: located.folders,
        files: located.files ?? [],
        ...compileLimits,
        runtime: {
          paths: [...(located.runtime ?? []), ...forAll],
          ...(builtIn.leavesOut && { leavesOut: builtIn.leavesOut }),
        },
        ...builtIn.describe(located),
      })
    }),
  )
  for (const { value, name, language, missing } of own) {
    findings.push({ value, name, version: missing ? null : describeOwn(language), missing })
    if (language) languages.set(value, language)
  }
  const order = [...builtIns.map((builtIn) => builtIn.value), ...own.map((each) => each.value)]
  const byOrder = <T extends { value: string }>(items: T[]) =>
    items.sort((one, other) => order.indexOf(one.value) - order.indexOf(other.value))
  return { languages: byOrder([...languages.values()]), findings: byOrder(findings) }
}
