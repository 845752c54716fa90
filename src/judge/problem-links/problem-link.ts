/** A problem link: the file of a repository that is handed in to a problem when a push changes it. */
import { Failure } from '../../lib/failure.ts'

export type ProblemLink = {
  readonly repository: string
  readonly uuid: string
  readonly displayName: string
  readonly path: string
  /** Null: the default branch. */
  readonly branch: string | null
  readonly language: string
}

export type ProblemLinkDraft = {
  readonly repository: string
  readonly uuid: string
  readonly path: string
  readonly branch: string | null
  /** Undefined: that of the file's ending. */
  readonly language: string | undefined
}

const languages: Readonly<Record<string, string>> = {
  c: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  'c++': 'cpp',
  java: 'java',
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  go: 'go',
  rs: 'rust',
}

/** The built-in languages go by the file's ending; of others the name is needed. */
export function chooseLanguage({ path, language }: Pick<ProblemLinkDraft, 'path' | 'language'>): string {
  const found = language ?? languages[/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '']
  if (found) return found
  throw invalidLink('Language', 'must be given: the ending of Path tells none')
}

/** As git names files: from the root, by steps that are not empty, and none that leads elsewhere. */
export function demandPath(path: string): void {
  const isPlain = path.split('/').every((step) => step !== '' && step !== '.' && step !== '..' && step !== '.git')
  if (!isPlain || /[\u0000-\u001f\u007f]/.test(path)) throw invalidLink('Path', 'must be a path such as src/main.py')
}

export function demandBranch(branch: string | null): void {
  if (branch === null || !/[\u0000- \u007f~^:?*[\\]|^refs\//.test(branch)) return
  throw invalidLink('Branch', 'must be the name of a branch, such as main')
}

const invalidLink = (field: string, reason: string) =>
  new Failure('invalid', 'invalid-problem-link', `${field} ${reason}.`, { faults: [{ field, reason }] })
