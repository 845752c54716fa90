/**
 * Failure: the one error by which a module refuses. Each interface maps the closed set of kinds to its own status
 * codes, once.
 */

export type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'precondition'
  | 'limited'
  | 'switched-off'
  | 'unavailable'

/** A fault in one field of a request. */
export type FieldFault = { readonly field: string; readonly reason: string; readonly code?: string }

/**
 * A failure's details besides its message. A module whose failures have more details declares those members by module
 * augmentation, beside the code that throws them: so they are typed where they are read, and this module need not know
 * the other.
 */
export interface FailureDetail {
  readonly faults?: readonly FieldFault[]
  readonly retryAfterSeconds?: number
}

/** `code` is stable and for programs; `message` is for people and says what to do next. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly kind: FailureKind
  readonly code: string
  readonly detail: FailureDetail

  constructor(kind: FailureKind, code: string, message: string, detail: FailureDetail = {}) {
    super(message)
    this.kind = kind
    this.code = code
    this.detail = detail
  }
}

/** Throws the failure unless the condition holds. */
export function demand(
  condition: unknown,
  kind: FailureKind,
  code: string,
  message: string,
  detail?: FailureDetail,
): asserts condition {
  if (!condition) throw new Failure(kind, code, message, detail)
}

/** An operator's mistake (a wrong setting, a busy port): shown as this one line, without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
