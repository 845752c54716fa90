/** Errors in plain words, with the next step if there is one. */
export class Fault extends Error {
  /** The judge's code, or an HTTP status. */
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const unreachable = () =>
  new Fault(0, 'The server can’t be reached. Check your connection. Your text is still here.')

/** The judge's code for "sign in first", and HTTP's. */
export const needsSignIn = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 17 || error.code === 401)

export const isMissing = (error: unknown): boolean => error instanceof Fault && [6, 404, 410].includes(error.code)

export function explain(error: unknown): string {
  if (error instanceof Fault) return error.message
  return 'The page failed. Reload it. If that does not help, tell the people who run this server.'
}
