/** Parses the options of `token add`: kinds, scopes, permissions, repositories and times. */
import { explainWrongPermission } from '../../accounts/tokens/permissions.ts'
import { everyScope, explainUnknownScope, isScope } from '../../accounts/tokens/scopes.ts'
import type { AccessLevel } from '../../accounts/tokens/token.ts'
import { type TokenKind, tokenKinds } from '../../accounts/tokens/token-text.ts'
import { OperatorError } from '../../lib/failure.ts'

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const latestMs = Date.UTC(9999, 11, 31)

export function readKind(given: string): TokenKind {
  const kind = tokenKinds.find((one) => one === given)
  if (!kind) throw new OperatorError(`There is no kind of token ${given}: choose from ${tokenKinds.join(', ')}.`)
  return kind
}

/** Classic and OAuth tokens have scopes; the others have permissions and repositories. */
export const takesScopes = (kind: TokenKind): boolean => kind === 'classic' || kind === 'oauth'

/** Tokens of one installation or one workflow run expire after an hour. */
export const expiresByItself = (kind: TokenKind): boolean => kind === 'installation' || kind === 'workflow'

export function readScopes(given = ''): string[] {
  if (given === 'all') return [...everyScope]
  const scopes = splitList(given)
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown !== undefined) throw new OperatorError(explainUnknownScope(unknown))
  return scopes
}

export function readPermissions(given = ''): Record<string, AccessLevel> {
  const pairs = splitList(given).map((pair) => {
    const found = /^([a-z][a-z_]*)=(read|write|admin)$/.exec(pair)
    if (!found) throw new OperatorError(`${JSON.stringify(pair)} is not a permission: write one as in contents=read.`)
    const [name, level] = [found[1]!, found[2] as AccessLevel]
    const wrong = explainWrongPermission(name, level)
    if (wrong !== undefined) throw new OperatorError(wrong)
    return [name, level]
  })
  return Object.fromEntries(pairs)
}

export function readRepositories(given?: string): 'all' | 'none' | number[] {
  if (given === undefined) return 'none'
  if (given === 'all' || given === 'none') return given
  const ids = splitList(given)
  if (ids.length === 0 || !ids.every((id) => /^[1-9]\d{0,14}$/.test(id))) {
    throw new OperatorError('--repositories must be all, or the ids of repositories with commas between them.')
  }
  return [...new Set(ids.map(Number))]
}

export function readExpiry(given: string | undefined, nowMs: number): Date | undefined {
  if (given === undefined) return undefined
  const span = /^(\d{1,6})([mhd])$/.exec(given)
  const atMs = span ? nowMs + Number(span[1]) * unitMs[span[2] as keyof typeof unitMs] : readTime(given)
  if (!(atMs > nowMs && atMs <= latestMs)) {
    throw new OperatorError(
      '--expires must be a future time such as 2027-01-31T12:00:00Z, or a span such as 90m, 12h or 30d.',
    )
  }
  return new Date(atMs)
}

/** A date alone means its start in UTC; a time needs a zone, so that it means the same on every machine. */
const readTime = (given: string): number =>
  /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(given) ? Date.parse(given) : Number.NaN

const splitList = (given: string): string[] =>
  given
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
