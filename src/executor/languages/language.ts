/** A language: how its source is compiled, how the program is run, and a self-test of both. */
import { mebibyte } from '../../lib/text/bytes.ts'
import type { View, ViewRequest } from '../sandboxes/views/view.ts'

/**
 * Commands may contain `{source}`, `{program}`, `{heapMiB}` (the problem's memory limit; `{heapMiB+24}` is 24 more),
 * for generational heaps `{youngMiB}` and `{wholeHeapMiB}` (both together), and `{memoryMiB}` (twice the box's).
 */
export type Language = {
  /** The Language value of a submission. */
  readonly value: string
  readonly name: string
  /** The file name that the toolchain expects for the source. */
  readonly source: string
  /** Compiles `{source}` to `{program}`. Without it the source is the program. */
  readonly compile?: readonly string[]
  /** For a language without a compile step: checks whether a failed program was valid at all. */
  readonly check?: readonly string[]
  /** Matches stderr that only a running program can write: its source need not be checked. */
  readonly ran?: RegExp
  readonly run: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Folders of the host that the toolchain needs besides the system's. */
  readonly folders: readonly string[]
  /** Single files of the toolchain, each mounted at its own path. */
  readonly files: readonly { readonly from: string; readonly at: string }[]
  /** The host's files that a run needs. Without it a run sees all system folders. */
  readonly runtime?: RuntimeFiles
  /** These files, once they have been located. */
  readonly view?: View
  /** A file created by a command once at startup, and visible to every compilation. */
  readonly prepared?: PreparedFile
  /** The most memory for the runtime itself, in addition to a problem's limit. */
  readonly extraMemoryBytes: number
  /**
   * Matches the runtime's message for a program that needs more heap than `{heapMiB}`. It is no proof, since any
   * program can write it: the program is then run with an unlimited heap, and its memory is measured.
   */
  readonly heapExhausted?: RegExp
  /** How it is run without room for garbage; without it, memory is not measured again. */
  readonly tight?: TightRun
  readonly compileSeconds: number
  readonly compileMemoryBytes: number
  readonly selfTest: SelfTest
}

/** The loader finds the libraries of these files and of the compiled program. */
export type RuntimeFiles = Pick<ViewRequest, 'paths' | 'leavesOut'>

export type TightRun = {
  /** Without it the usual command, except for the young generation. */
  readonly run?: readonly string[]
  /** What a runtime needs more for a larger program than for its self-test: compiled code, classes, stacks. */
  readonly headroomBytes: number
  /** Matches the runtime's message for an insufficient heap in such a run. */
  readonly exhausted: RegExp
}

export type PreparedFile = {
  readonly name: string
  readonly source: string
  readonly at: string
  readonly words: readonly string[]
}
export type SelfTest = { readonly source: string; readonly input: string; readonly output: string }

/** The young generation of a heap: short-lived objects stay resident in it, besides what the program keeps. */
export const youngMiB = 24

export const heapValues = (heapMiB: number, young = youngMiB) => ({
  heapMiB,
  youngMiB: young,
  wholeHeapMiB: heapMiB + young,
})
export const compileLimits = { compileSeconds: 30, compileMemoryBytes: 1024 * mebibyte }

export const sourcePath = (language: Language) => `/program/${language.source}`
/** The path inside its box to which a compilation writes the program. */
export const compiledPath = '/box/program'
/** The path at which a run finds the program. A source keeps its name, since some runtimes depend on the extension. */
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
