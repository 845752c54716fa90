/** A language: how its source is compiled, how the program is run, and a self-test of both. */
import { mebibyte } from '../../lib/text/bytes.ts'
import type { View, ViewRequest } from '../sandboxes/views/view.ts'

/**
 * Commands may contain `{source}`, `{program}`, `{heapMiB}` (the problem's memory limit; `{heapMiB+24}` is 24 more), of a
 * heap in generations `{youngMiB}` and `{wholeHeapMiB}` (both together), and `{memoryMiB}` (twice what the box has).
 */
export type Language = {
  /** The value of a submission's Language. */
  readonly value: string
  readonly name: string
  /** The file name that the toolchain expects of the source. */
  readonly source: string
  /** Makes `{program}` of `{source}`. Without it the source is the program. */
  readonly compile?: readonly string[]
  /** For a language without a compile step: decides whether a program that failed was valid at all. */
  readonly check?: readonly string[]
  /** Matches stderr that only a program which ran can have left: its source need not be checked. */
  readonly ran?: RegExp
  readonly run: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The host's folders that the toolchain needs beside the system's. */
  readonly folders: readonly string[]
  /** Single files of the toolchain, mounted at a path of their own. */
  readonly files: readonly { readonly from: string; readonly at: string }[]
  /** What a run needs of the host's files. Absent: it sees all of the system's folders. */
  readonly runtime?: RuntimeFiles
  /** Those files, once they were found. */
  readonly view?: View
  /** A file that a command makes once at the start, and that every compilation sees. */
  readonly prepared?: PreparedFile
  /** Memory for the runtime itself, at most, granted in addition to a problem's limit. */
  readonly extraMemoryBytes: number
  /**
   * Matches the runtime's message for a program that needed more heap than `{heapMiB}`. It is no proof, since any program
   * can write it: the program is then run with a heap without bound, and what it takes is measured.
   */
  readonly heapExhausted?: RegExp
  /** How it is run where rubbish shall have no room; absent: its memory is not measured once more. */
  readonly tight?: TightRun
  readonly compileSeconds: number
  readonly compileMemoryBytes: number
  readonly selfTest: SelfTest
}

/** Libraries of what is listed, and of the compiled program, are found by the loader. */
export type RuntimeFiles = Pick<ViewRequest, 'paths' | 'leavesOut'>

export type TightRun = {
  /** Absent: as ever, but for the young generation. */
  readonly run?: readonly string[]
  /** For what a runtime takes more of for a larger program than for its self-test: compiled code, classes, stacks. */
  readonly headroomBytes: number
  /** Matches the runtime's message for a heap that did not suffice in such a run. */
  readonly exhausted: RegExp
}

export type PreparedFile = {
  readonly name: string
  readonly source: string
  readonly at: string
  readonly words: readonly string[]
}
export type SelfTest = { readonly source: string; readonly input: string; readonly output: string }

/** The young generation of a heap that has one: what is short-lived stays resident in it, beside what the program keeps. */
export const youngMiB = 24

export const heapValues = (heapMiB: number, young = youngMiB) => ({
  heapMiB,
  youngMiB: young,
  wholeHeapMiB: heapMiB + young,
})
export const compileLimits = { compileSeconds: 30, compileMemoryBytes: 1024 * mebibyte }

export const sourcePath = (language: Language) => `/program/${language.source}`
/** Where a compilation writes its program, inside its own box. */
export const compiledPath = '/box/program'
/** Where a run finds the program. A source keeps its name, since some runtimes go by its extension. */
export const programPath = (language: Language) => (language.compile ? '/program/program' : sourcePath(language))

export function fillTemplate(words: readonly string[], values: Readonly<Record<string, string | number>>): string[] {
  return words.map((word) =>
    word.replace(/\{(\w+)(?:\+(\d+))?\}/g, (whole, name: string, more: string | undefined) => {
      const value = values[name]
      if (value === undefined) return whole
      return more === undefined ? String(value) : String(Number(value) + Number(more))
    }),
  )
}
