/** A package of any format after reading: the problem, its judging settings, its tests, and the files to keep. */
import type { Judging } from '../problem-judging/judging.ts'
import type { ProblemDraft } from '../problems/problems.ts'
import type { TestJudging } from '../test-cases/test-judging.ts'
import { invalidPackage, type PackageFiles } from './package-files.ts'

/** `name`: the path below `data/` without an extension, such as `secret/group1/07`. */
export type PackagedTest = {
  readonly name: string
  /** Paths in the package. */
  readonly input: string
  readonly output: string
  readonly isHidden: boolean
  readonly judging: TestJudging
}

/** `path`: the file's path in a package of 2025-09. */
export type PackagedFile = { readonly path: string; readonly source: string }

/** YAML members without a place in a problem, by the file's path in a package of 2025-09. */
export type Extras = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export type PackagedProblem = {
  readonly draft: ProblemDraft
  readonly judging: Judging
  /** In judging order. */
  readonly tests: readonly PackagedTest[]
  readonly kept: readonly PackagedFile[]
  readonly extras: Extras
  /** The language of the statement used as the description. */
  readonly language: string
  /** One sentence about each thing that was left out or changed. */
  readonly notes: readonly string[]
}

export type ImportOverrides = {
  readonly timeLimitMs?: number
  readonly memoryLimitBytes?: number
  /** Only the author and admins may see the problem. */
  readonly isHeld?: boolean
}

/** The state of reading a package. */
export type PackageReading = {
  readonly files: PackageFiles
  /** Files whose content became part of the problem, so they are not kept separately. */
  readonly used: Set<string>
  readonly notes: string[]
}

export function demandCount(count: number, most: number, what: string): void {
  if (count > most) throw invalidPackage(`It has more than ${most} ${what}.`)
}

/** It can't be judged faithfully, so the import is refused. */
export const refuse = (file: string, key: string, why: string) => invalidPackage(`${file}: ${key}: ${why}`)
