/** The system's own git as a client: a working folder and what its commands say. */
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startProgram } from '../../src/forge/git/process/spawner/spawner.ts'

export type GitAnswer = { readonly code: number; readonly output: string }

export type WorkingFolder = {
  readonly path: string
  /** Never throws: what git says is the answer. */
  git(...words: string[]): Promise<GitAnswer>
  /** Throws unless git succeeds; answers what it printed. */
  must(...words: string[]): Promise<string>
  drop(): Promise<void>
}

export async function makeWorkingFolder(): Promise<WorkingFolder> {
  const path = await mkdtemp(join(tmpdir(), 'guildhall-work-'))
  const git = (...words: string[]) => runGit(path, words)
  const must = async (...words: string[]) => {
    const { code, output } = await git(...words)
    if (code !== 0) throw new Error(`git ${words.join(' ')}: ${output}`)
    return output.trim()
  }
  await must('init', '--quiet', '--template=', '--initial-branch=main', '.')
  await appendFile(join(path, '.git', 'config'), '[user]\n\tname = Ann Example\n\temail = ann@example.org\n')
  return { path, git, must, drop: () => rm(path, { recursive: true, force: true }) }
}

/** Started by the spawner: from a test's own process, which is large, a start takes 20 to 40 ms. */
export async function runGit(folder: string, words: readonly string[]): Promise<GitAnswer> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const child = await startProgram({ file: 'git', words, cwd: folder, env, hasInput: false, maxComplaintBytes })
  const [output, { code, complaint }] = await Promise.all([text(child.stdout), child.ended])
  return { code: code ?? 1, output: output + complaint }
}

const maxComplaintBytes = 1024 * 1024

/** The address of a repository with the login and token that git is to send. */
export const remoteUrl = (url: string, fullName: string, login?: string, token?: string): string =>
  `${login ? url.replace('://', `://${login}:${token}@`) : url}/${fullName}.git`
