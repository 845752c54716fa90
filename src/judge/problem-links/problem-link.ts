/** A problem link: a file of a repository that is submitted to a problem when a push changes it. */
import { Failure } from '../../lib/failure.ts'

export type ProblemLink = {
  readonly repository: string
  readonly uuid: string
  readonly displayName: string
  readonly path: string
  /** Null means the default branch. */
  readonly branch: string | null
  readonly language: string
}

export type ProblemLinkDraft = {
  readonly repository: string
  readonly uuid: string
  readonly path: string
  readonly branch: string | null
  /** Undefined means the language of the file's extension. */
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

/** The file's extension determines a built-in language; others must be named. */
export function chooseLanguage({ path, language }: Pick<ProblemLinkDraft, 'path' | 'language'>): string {
  const found = language ?? languages[/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '']
  if (found) return found
  throw invalidLink('Language', 'must be given: the ending of Path tells none')
}

/** Relative to the root, as git names files, without empty or special segments. */
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
