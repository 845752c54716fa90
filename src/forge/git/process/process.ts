/** Runs the system's git within limits of memory and time, in an environment of our own. Only our own hook runs. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Failure } from '../../../lib/failure.ts'
import { findSystemCode } from '../../../lib/outages/outage.ts'
import { filesAway } from '../../failures.ts'
import { defaultGitLimits, type ProcessBounds, readBounds } from './git-limits.ts'
import { currentBill } from './processor-accounting.ts'
import { type StartedProgram, startProgram } from './spawner/spawner.ts'

/** The most output held in memory. Large files and archives are streamed. */
const maxOutputBytes = 32 * 1024 * 1024

const settings = {
  'core.hooksPath': '/dev/null',
  'safe.directory': '*',
  'transfer.fsckObjects': 'true',
  'protocol.allow': 'never',
  'gc.autoDetach': 'false',
  'receive.autogc': 'false',
  // Keep unreachable objects packed until they are removed: loose, each version of a file takes as much as the file.
  'gc.cruftPacks': 'true',
  // By default git syncs neither loose objects nor refs: an answered push could be lost in a power cut.
  'core.fsync': 'committed,reference',
  'core.fsyncMethod': 'batch',
  // Larger files are streamed, not held in memory and not compared for deltas: 200 MiB in four files took a minute.
  'core.bigFileThreshold': '8m',
  // Everything that git maps counts against its memory limit, and by default it maps whole packs.
  'core.packedGitWindowSize': '16m',
  'core.packedGitLimit': '256m',
  'core.deltaBaseCacheLimit': '64m',
  'pack.threads': '1',
  'pack.windowMemory': '128m',
  'pack.deltaCacheSize': '64m',
}

const settingWords = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

export type GitOptions = {
  readonly folder: string
  readonly config?: Readonly<Record<string, string | readonly string[]>>
  /** The wire protocol's version, as the client requested it (`version=2`). */
  readonly protocol?: string | undefined
  readonly bounds?: ProcessBounds | undefined
}

/**
 * Sets the system's own limits, which a process cannot lift, for git and its children: the shell sets them and becomes
 * git. Values are passed as arguments, never in the script's text. This costs 1 to 2 ms a process, as `prlimit` does,
 * which not every system has. Where the system lacks such a limit, git runs without it.
 */
const script = 'ulimit -v "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec git "$@"'
/** The shell's exit code for a missing program. */
const missingCode = 127

export async function startGit(
  words: readonly string[],
  { folder, config, protocol, bounds = readBounds(defaultGitLimits), hasInput }: GitOptions & { hasInput: boolean },
): Promise<StartedProgram> {
  const extra = Object.entries(config ?? {}).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => ['-c', `${name}=${value}`]),
  )
  const limits = [String(bounds.memoryMib * 1024), String(bounds.cpuSeconds)]
  const allWords = ['--git-dir', folder, ...settingWords, ...extra, ...words]
  const bill = currentBill()
  const child = await startProgram({
    file: '/bin/sh',
    words: ['-c', script, 'git', ...limits, ...allWords],
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
    hasInput,
  }).catch((error) => {
    throw asMissing(error, folder)
  })
  child.ended.then(
    ({ cpuMicros }) => bill(cpuMicros),
    () => {},
  )
  return child
}

export type GitResult = {
  readonly code: number
  readonly output: Buffer
  readonly complaint: string
  readonly isCut: boolean
}

export type RunOptions = GitOptions & {
  readonly input?: string | Buffer | undefined
  /** The process is killed after this time, so that a hard question does not hold its slot for years. */
  readonly limitMs?: number | undefined
  /** More output than this kills git, and either fails or is cut off (`cutsOff`). */
  readonly maxBytes?: number | undefined
  /** Reads only this many entries, each ended by a NUL, and drops the rest. */
  readonly maxEntries?: number | undefined
  readonly cutsOff?: boolean | undefined
  /** Makes the filter that each chunk passes before it is held. */
  readonly makeFilter?: (() => (chunk: Buffer) => Buffer) | undefined
}

/** Runs git to its end and returns its output, whatever the exit code. */
export async function runGit(words: readonly string[], options: RunOptions): Promise<GitResult> {
  const { limitMs = defaultGitLimits.readSeconds * 1000, maxBytes = maxOutputBytes, maxEntries, cutsOff } = options
  const child = await startGit(words, { ...options, hasInput: options.input !== undefined })
  const chunks: Buffer[] = []
  let size = 0
  let entries = 0
  let isLate = false
  let isCut = false
  const timer = setTimeout(() => {
    isLate = true
    child.end('SIGKILL')
  }, limitMs)
  const filter = options.makeFilter?.()
  child.stdout.on('data', (said: Buffer) => {
    if (isCut) return
    const chunk = filter ? filter(said) : said
    size += chunk.length
    if (size <= maxBytes || cutsOff) chunks.push(chunk)
    if (maxEntries !== undefined) entries += countNuls(chunk)
    isCut = size > maxBytes || (maxEntries !== undefined && entries > maxEntries)
    if (isCut) child.end('SIGKILL')
  })
  // Git may end before it has read all of it; its exit code tells.
  if (options.input !== undefined) child.stdin?.end(options.input)
  const [{ code, signal, complaint }] = await Promise.all([child.ended, once(child.stdout, 'close')]).finally(() =>
    clearTimeout(timer),
  )
  const output = Buffer.concat(chunks)
  const isWithin = size <= maxBytes || cutsOff
  if (isCut && isWithin) return { code: 0, output, complaint, isCut }
  const failure = isCut ? tooLarge() : findFailure(code, signal, complaint, isLate)
  if (failure) throw failure
  return { code: code ?? 1, output, complaint, isCut }
}

/** Why the process ended, if a limit or a missing git was the cause. */
export function findFailure(
  code: number | null,
  signal: NodeJS.Signals | null,
  complaint: string,
  isLate = false,
): Failure | undefined {
  if (isLate || signal === 'SIGXCPU' || signal === 'SIGKILL') return tooSlow()
  if (code === missingCode && complaint.includes('not found')) return missing()
  const hasNoMemory = code !== 0 && /out of memory|cannot allocate memory|mmap failed|failed to map/i.test(complaint)
  return hasNoMemory ? tooLarge() : undefined
}

const tooSlow = () => new Failure('unavailable', 'too-slow', 'This takes git too long: ask for less at once.')
const tooLarge = () => new Failure('precondition', 'too-large', 'This is too large to show.')
const missing = () => new Failure('unavailable', 'git-missing', 'This server has no git: install it and try again.')

function countNuls(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, at + 1)) count++
  return count
}

/** Runs git to its end and throws unless it succeeds. */
export async function demandGit(words: readonly string[], options: RunOptions): Promise<Buffer> {
  const { code, output, complaint } = await runGit(words, options)
  if (code !== 0) throw gitError(words, code, complaint)
  return output
}

/** If the machine is at fault (a full disk, say), the error carries the system's code, as a failure of ours would. */
export function gitError(words: readonly string[], code: number, complaint: string): Error {
  const systemCode = findSystemCode(complaint)
  const error = new Error(`git ${words[0]} ended with ${code}: ${complaint.trim()}`)
  return systemCode ? Object.assign(error, { code: systemCode }) : error
}

/** The system reports a missing program and a missing working folder alike. */
function asMissing(error: Error, folder: string): Error {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error
  if (!existsSync(folder)) return filesAway()
  return missing()
}
