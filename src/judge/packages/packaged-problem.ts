/** What a package comes to, whatever format it has: the problem, how it is judged, its tests, and the files that stay with it. */
import type { Judging } from '../problem-judging/judging.ts'
import type { ProblemDraft } from '../problems/problems.ts'
import type { TestJudging } from '../test-cases/test-judging.ts'
import { invalidPackage, type PackageFiles } from './package-files.ts'

/** `name`: its path from `data/` without an ending, as `secret/group1/07`. */
export type PackagedTest = {
  readonly name: string
  /** Paths in the package. */
  readonly input: string
  readonly output: string
  readonly isHidden: boolean
  readonly judging: TestJudging
}

/** `path`: where it lies in a package of 2025-09. */
export type PackagedFile = { readonly path: string; readonly source: string }

/** Members of YAML files that have no place in a problem, by the file's path in a package of 2025-09. */
export type Extras = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export type PackagedProblem = {
  readonly draft: ProblemDraft
  readonly judging: Judging
  /** In judging order. */
  readonly tests: readonly PackagedTest[]
  readonly kept: readonly PackagedFile[]
  readonly extras: Extras
  /** The language of the statement that became the description. */
  readonly language: string
  /** One sentence for everything that was left out or changed. */
  readonly notes: readonly string[]
}

export type ImportOverrides = {
  readonly timeLimitMs?: number
  readonly memoryLimitBytes?: number
  /** Only the author and admins are to see the problem. */
  readonly isHeld?: boolean
}

/** What reading a package needs beside its files. */
export type Reading = {
  readonly files: PackageFiles
  /** Files whose content became part of the problem: they are not kept beside it. */
  readonly used: Set<string>
  readonly notes: string[]
}

export function demandCount(count: number, most: number, what: string): void {
  if (count > most) throw invalidPackage(`It has more than ${most} ${what}.`)
}

/** It can't be judged faithfully, so that it is not imported as something else. */
export const refuse = (file: string, key: string, why: string) => invalidPackage(`${file}: ${key}: ${why}`)
