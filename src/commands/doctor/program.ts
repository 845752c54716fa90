/** Runs a program of the machine, and answers its output or why it failed. */
import { execFile } from 'node:child_process'

export type ProgramAnswer = { readonly isWell: boolean; readonly text: string; readonly isMissing: boolean }

const patienceMs = 10_000

export function askProgram(file: string, words: readonly string[]): Promise<ProgramAnswer> {
  return new Promise((resolve) => {
    execFile(file, [...words], { timeout: patienceMs, encoding: 'utf8' }, (error, stdout, stderr) => {
      // Some programs (java) print their version to the standard error.
      const text = (stdout.trim() || stderr.trim()).split('\n')[0] ?? ''
      const isMissing = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT'
      resolve({ isWell: error === null, text: text || (error?.message.split('\n')[0] ?? ''), isMissing })
    })
  })
}
