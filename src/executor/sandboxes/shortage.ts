/** Distinguishes a temporary shortage of the machine from a broken toolchain. */
import { SandboxFailure } from './sandbox.ts'

const shortageCodes = ['ENOSPC', 'EDQUOT', 'ENOMEM', 'EMFILE', 'ENFILE', 'EAGAIN', 'EIO', 'EROFS']
const shortageWords =
  /no space left|disk quota exceeded|cannot allocate memory|out of memory|resource temporarily unavailable|too many open files|input\/output error|read-only file system/i

/** Something took longer than it may on a machine with enough processor time. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow'
}

/**
 * The machine can't provide what a language needs for a while: nobody is to blame, and it does not count as a failure.
 */
export class LanguageShort extends Error {
  override readonly name = 'LanguageShort'
  constructor(language: string, cause?: unknown) {
    super(`This machine is short of something that ${language} needs; it is waited for.`, { cause })
  }
}

/** By the error's code, or by the message of a failed program. */
export const isShortage = (error: unknown): boolean =>
  shortageCodes.includes(String((error as NodeJS.ErrnoException)?.code)) ||
  shortageWords.test(error instanceof Error ? error.message : '')

/** Whether the machine is to blame, because it is short of something, too slow, or unable to create a box. */
export const isMachineFault = (error: unknown): boolean =>
  error instanceof SandboxFailure || error instanceof TooSlow || isShortage(error)
