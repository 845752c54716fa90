/** An authorization request (RFC 6749, section 4.1.1; RFC 7636), checked against the app that it names. */
import { Failure } from '../../lib/failure.ts'
import type { App } from '../apps/app.ts'
import { isRegistered, withAnswer } from './redirect.ts'
import { readScopes } from './scope-request.ts'

export type AuthorizationRequest = {
  readonly app: App
  readonly redirectUri: string
  readonly isRedirectGiven: boolean
  /** Undefined if the request names none: then the user's earlier grant applies, or nothing. */
  readonly scopes: readonly string[] | undefined
  readonly state: string | undefined
  readonly challenge: string | undefined
  /** Ask the user even if nothing new is requested. */
  readonly isAskedAnew: boolean
}

/** The browser is redirected with the error. */
export type RefusedRequest = { readonly location: string }

/** Known parameters. RFC 6749, section 3.1: none may be repeated. */
const parameters = [
  ...['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method', 'prompt', 'login'],
] as const

/** An S256 challenge is a SHA-256 in base64url. */
const challengeForm = /^[\w-]{43}$/

/**
 * Throws errors that must be shown on our page: nobody is redirected to an address that is not the app's (RFC 6749,
 * section 4.1.2.1).
 */
export function readAuthorizationRequest(app: App, query: URLSearchParams): AuthorizationRequest | RefusedRequest {
  const redirectUri = readRedirect(app, query)
  const [state] = query.getAll('state')
  const refuse = (error: string, description: string): RefusedRequest => ({
    location: withAnswer(redirectUri, { error, error_description: description, state }),
  })
  const repeated = parameters.find((name) => query.getAll(name).length > 1)
  if (repeated) return refuse('invalid_request', `The parameter ${repeated} is there twice.`)
  const responseType = query.get('response_type')
  if (responseType !== null && responseType !== 'code')
    return refuse('unsupported_response_type', 'Only the response_type code is there.')
  const fault = findChallengeFault(app, query)
  if (fault) return refuse('invalid_request', fault)
  let scopes: string[] | undefined
  try {
    scopes = readAskedScopes(app, query.get('scope'))
  } catch (error) {
    if (error instanceof Failure) return refuse('invalid_scope', error.message)
    throw error
  }
  return {
    app,
    redirectUri,
    isRedirectGiven: query.has('redirect_uri'),
    scopes,
    state,
    challenge: query.get('code_challenge') ?? undefined,
    isAskedAnew: query.has('prompt'),
  }
}

/** An installable app has permissions instead of scopes. */
export const readAskedScopes = ({ kind }: App, text: string | null): string[] | undefined =>
  kind === 'app' ? [] : text === null ? undefined : readScopes(text)

function readRedirect({ callbackUrls }: App, query: URLSearchParams): string {
  const given = query.getAll('redirect_uri')
  const [first] = callbackUrls
  const refuse = (message: string) => new Failure('invalid', 'bad-request', message)
  if (given.length > 1) throw refuse('The parameter redirect_uri is there twice.')
  if (first === undefined) throw refuse('The app has no callback address: its owner must register one.')
  if (given.length === 0) return first
  if (isRegistered(given[0]!, callbackUrls)) return given[0]!
  throw refuse('The redirect_uri is none of the callback addresses that are registered for this app.')
}

function findChallengeFault({ isConfidential }: App, query: URLSearchParams): string | undefined {
  const challenge = query.get('code_challenge')
  const method = query.get('code_challenge_method')
  if (challenge === null && method === null)
    return isConfidential ? undefined : 'An app that can’t keep a secret must send a code_challenge (PKCE).'
  if (method !== 'S256') return 'The code_challenge_method must be S256.'
  return challengeForm.test(challenge ?? '') ? undefined : 'The code_challenge must be a SHA-256 in base64url.'
}
