/** How a box ended, from its launch script's report on the control channel. */
import { constants as osConstants } from 'node:os'

export type Ending = { readonly exitCode: number | null; readonly signal: string | null; readonly cpuMs: number }

/** Why the launch script did not start the program, if it reported so before it was ready. */
export function readRefusal(said: string): string | null {
  const missing = /^missing (.*)$/m.exec(said)
  if (missing && !said.startsWith('ready')) return `${missing[1]} can't be run inside the box.`
  return /^unlimited$/m.test(said) && !said.startsWith('ready') ? 'The box could not enter its cgroup.' : null
}

/**
 * Parses the launch script's report: the signal's name as the shell prints it, the status, which is repeated if files
 * left the box meanwhile, and the CPU time from `times`.
 */
export function readEnding(said: string): Ending | null {
  const match = /^ready\n(|[\s\S]*?\n)(?:over|ended) (\d+)$([\s\S]*)/m.exec(said)
  if (!match) return null
  const status = Number(match[2])
  const remarks = match[1]!.trim()
  // The shell prints every signal except SIGINT and SIGPIPE, which only a program itself can have sent: those become
  // the exit codes 130 and 141, as in every shell.
  const isSignal = status > 128 && remarks !== ''
  return {
    exitCode: isSignal ? null : status,
    signal: isSignal ? signalName(status - 128) : null,
    cpuMs: readTimes(match[3]!.replace(/^ended \d+$/m, '')),
  }
}

const signalName = (number: number): string =>
  Object.entries(osConstants.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`

/** The second line of `times`: user and system time of the children. */
function readTimes(text: string): number {
  const line = text.trim().split('\n')[1] ?? ''
  let ms = 0
  for (const [, minutes, seconds] of line.matchAll(/(\d+)m([\d.]+)s/g))
    ms += (Number(minutes) * 60 + Number(seconds)) * 1e3
  return ms
}
