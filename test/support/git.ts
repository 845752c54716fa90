/** The system's own git as a client: a working folder and what its commands say. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
  await must('init', '--quiet', '--initial-branch=main', '.')
  await must('config', 'user.name', 'Ann Example')
  await must('config', 'user.email', 'ann@example.org')
  return { path, git, must, drop: () => rm(path, { recursive: true, force: true }) }
}

export function runGit(folder: string, words: readonly string[]): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
    const child = spawn('git', words, { cwd: folder, env })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** The address of a repository with the login and token that git is to send. */
export const remoteUrl = (url: string, fullName: string, login?: string, token?: string): string =>
  `${login ? url.replace('://', `://${login}:${token}@`) : url}/${fullName}.git`
