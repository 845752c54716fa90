/** Why a fetch from a source can't be done: a reason for whoever set it up, with the next step. */
import { Failure } from '../../lib/failure.ts'

export const sourceRefused = 'source-refused'

export const refuseSource = (message: string): Failure => new Failure('precondition', sourceRefused, message)

const longestQuote = 200

/** Another server's words, without characters that a terminal or a page would act upon. */
export const printable = (text: string): string =>
  text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longestQuote)
    .toWellFormed()

const cancelledCode = 'source-cancelled'

/** The import was cancelled or the mirror stopped, or another run has taken over: nobody is told. */
export const cancelled = (): Failure => new Failure('conflict', cancelledCode, 'The fetch was cancelled.')

export const isCancelled = (error: unknown): boolean => error instanceof Failure && error.code === cancelledCode
