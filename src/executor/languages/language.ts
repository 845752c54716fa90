/** A language: how a source becomes a program, how the program is run, and a tiny program that proves both. */

/** Words may hold `{source}`, `{program}`, `{heapMiB}` (the problem's memory limit) and `{memoryMiB}` (with the allowance). */
export type Language = {
  /** What a submission's Language must say. */
  readonly value: string
  readonly name: string
  /** The file name under which the toolchain wants to see the source. */
  readonly source: string
  /** Makes `{program}` of `{source}`. Without it the source is the program. */
  readonly compile?: readonly string[]
  /** Says, for a language without a compile step, whether a program that failed was one at all. */
  readonly check?: readonly string[]
  readonly run: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The host's folders that the toolchain needs, beyond the system's. */
  readonly folders: readonly string[]
  /** Single files of the toolchain, shown under a place of their own. */
  readonly files: readonly { readonly from: string; readonly at: string }[]
  /** Made once at the start by running these words, then shown to every compilation. */
  readonly prepared?: PreparedFile
  /** Memory that the runtime takes for itself, granted on top of a problem's limit. */
  readonly extraMemoryBytes: number
  /** The runtime's own words for a program that needed more heap than the limit. */
  readonly heapExhausted?: RegExp
  readonly compileSeconds: number
  readonly compileMemoryBytes: number
  readonly selfTest: SelfTest
}

export type PreparedFile = {
  readonly name: string
  readonly source: string
  readonly at: string
  readonly words: readonly string[]
}
export type SelfTest = { readonly source: string; readonly input: string; readonly output: string }

export const mebibyte = 1024 * 1024
export const compileLimits = { compileSeconds: 30, compileMemoryBytes: 1024 * mebibyte }

export const sourcePath = (language: Language) => `/program/${language.source}`
/** Where a compilation leaves its program, inside its own box. */
export const compiledPath = '/box/program'
/** Where a run finds it. A source keeps its name, since some runtimes go by its ending. */
export const programPath = (language: Language) => (language.compile ? '/program/program' : sourcePath(language))

export function fillWords(words: readonly string[], values: Readonly<Record<string, string | number>>): string[] {
  return words.map((word) => word.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)))
}
