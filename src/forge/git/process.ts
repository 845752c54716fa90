/** Running the system's git: arguments as a list, never a shell; an environment of our own; no hook ever runs. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Failure } from '../../base/failure.ts'
import { findSystemCode } from '../../base/outage.ts'
import { filesAway } from '../faults.ts'
import { billChild } from './billing.ts'

/** What a read may answer at most; a file of 100 MB is the most that is shown. */
const maxOutputBytes = 110 * 1024 * 1024

const settings = {
  'core.hooksPath': '/dev/null',
  'safe.directory': '*',
  'transfer.fsckObjects': 'true',
  'protocol.allow': 'never',
  'gc.autoDetach': 'false',
  'receive.autogc': 'false',
  // Of itself git syncs neither small objects nor refs: a push that was answered would not outlive a power cut.
  'core.fsync': 'committed,reference',
  'core.fsyncMethod': 'batch',
  // Larger files are streamed, neither held in memory nor searched for likeness: 200 MiB in four files took a minute.
  'core.bigFileThreshold': '8m',
}

const settingWords = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

export type GitOptions = {
  readonly folder: string
  readonly config?: Readonly<Record<string, string | readonly string[]>>
  /** The wire protocol's version, as the client asked (`version=2`). */
  readonly protocol?: string | undefined
}

export function spawnGit(
  words: readonly string[],
  { folder, config, protocol }: GitOptions,
): ChildProcessWithoutNullStreams {
  const extra = Object.entries(config ?? {}).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => ['-c', `${name}=${value}`]),
  )
  const child = spawn('git', ['--git-dir', folder, ...settingWords, ...extra, ...words], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      ...(protocol && { GIT_PROTOCOL: protocol }),
    },
  })
  billChild(child)
  return child
}

export type GitResult = { readonly code: number; readonly output: Buffer; readonly complaint: string }

export type RunOptions = GitOptions & {
  readonly input?: string | Buffer | undefined
  /** What takes longer is ended: a question that git is years at must not keep a place for as long. */
  readonly limitMs?: number | undefined
}

/** Runs to the end. Answers what it said, whatever its exit code. */
export function runGit(words: readonly string[], options: RunOptions): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawnGit(words, options)
    const chunks: Buffer[] = []
    let size = 0
    let complaint = ''
    let isLate = false
    const end = () => {
      isLate = true
      child.kill('SIGKILL')
    }
    const timer = options.limitMs === undefined ? undefined : setTimeout(end, options.limitMs)
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxOutputBytes) child.kill('SIGKILL')
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < 4_000) complaint += chunk.toString()
    })
    child.on('error', (error) => reject(asMissing(error, options.folder)))
    child.on('close', (code) => {
      clearTimeout(timer)
      if (isLate) reject(new Failure('unavailable', 'too-slow', 'This takes git too long: ask for less at a time.'))
      else if (size > maxOutputBytes) reject(new Failure('precondition', 'too-large', 'This is too large to be shown.'))
      else resolve({ code: code ?? 1, output: Buffer.concat(chunks), complaint })
    })
    // It may end before it has read all: its exit code tells.
    child.stdin.on('error', () => {})
    child.stdin.end(options.input ?? '')
  })
}

/** Runs to the end and takes nothing but success. */
export async function demandGit(words: readonly string[], options: RunOptions): Promise<Buffer> {
  const { code, output, complaint } = await runGit(words, options)
  if (code !== 0) throw gitError(words, code, complaint)
  return output
}

/** Where the machine is at fault (a full disk, say), the error has the system's own code, as if we had failed ourselves. */
export function gitError(words: readonly string[], code: number, complaint: string): Error {
  const systemCode = findSystemCode(complaint)
  const error = new Error(`git ${words[0]} ended with ${code}: ${complaint.trim()}`)
  return systemCode ? Object.assign(error, { code: systemCode }) : error
}

/** The system says the same of a program that is missing and of a folder to start it in. */
export function asMissing(error: Error, folder?: string): Error {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error
  if (folder !== undefined && !existsSync(folder)) return filesAway()
  return new Failure('unavailable', 'git-missing', 'This server has no git: install it and try again.')
}
