/** The declaration of a route: its address, access, tokens, cost and handler. */
import type { Static, TSchema } from 'typebox'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { TokenKind } from '../../accounts/tokens/token-text.ts'
import { parsePermissions, type RequiredGrant } from '../../forge/access/required-grant.ts'
import type { FileLimits } from '../../forge/files/file-limits.ts'
import type { UploadedFile } from '../../forge/files/stored-files.ts'
import type { RateCaller, Resource } from '../../forge/limits/callers.ts'
import type { Charge, RateStatus } from '../../forge/limits/limits.ts'
import type { PageRequest } from '../../lib/page.ts'
import { compileLazily, type FindFaults } from '../json/json-schema.ts'
import type { Address, Method, Params } from './address.ts'
import type { Door, Open } from './doors.ts'
import type { PageSize, Query } from './query.ts'
import type { RestAnswer } from './rest-answer.ts'
import type { View } from './view.ts'

/** A GraphQL request: the caller, the budget that pays, and the query. */
export type GraphqlQuestion = {
  readonly actor: SignedIn
  readonly caller: RateCaller
  readonly origin: string
  readonly body: unknown
  readonly hasLeft: () => boolean
}

/** Answers in GraphQL's format, errors included; a spent budget is thrown as a failure. */
export type AnswerGraphql = (
  question: GraphqlQuestion,
) => Promise<{ readonly body: object; readonly rateStatus: RateStatus | undefined; readonly cpuMicros?: number }>

// biome-ignore lint/complexity/noBannedTypes: a handler that names no params takes a call with any.
export type ForgeCall<T = unknown, B = unknown, P = {}> = {
  readonly actor: Actor
  readonly caller: RateCaller
  /** The result of the door: a repository, an organisation. */
  readonly target: T
  readonly params: P
  readonly query: Query
  readonly body: B
  readonly page: PageRequest
  readonly view: View
  /** The request's own absolute address. */
  readonly address: string
  readonly accept: string
  header(name: string): string | undefined
  /** For a polled list: the modification time that the client has. */
  readonly modifiedSince: number | undefined
  /** Checks the caller and their access again, for long responses. Throws if they have lost it. */
  openAgain(): Promise<T>
  /** Whether the client has disconnected. */
  hasLeft(): boolean
  /** Records the processor time of the response, if it is known exactly. */
  spend(cpuMicros: number): void
}

/** Whether it does for this caller: others see of a user's activity only what is public. */
type SpansOrganisations = (actor: Actor, params: Readonly<Record<string, string>>) => boolean

type Declaration<A extends Address, T, S extends TSchema> = {
  /** The heading in docs/forge.md, and the end of `documentation_url`. */
  id: string
  summary: string
  door: Door<T>
  /** The name of the resource in validation errors. */
  resource?: string
  /** If they differ from the door's. */
  tokens?: readonly TokenKind[]
  scopes?: readonly string[]
  /** For fine-grained and app tokens: `issues=read; pull_requests=read`. */
  permission?: string
  limit?: Resource
  points?: number
  isFree?: boolean
  /**
   * The response depends on more than stored data, such as the time or the caller's usage. No 304 is answered for it
   * without making it. A presenter that reads the clock makes each of its routes live.
   */
  isLive?: boolean | ((accept: string) => boolean)
  /** A list that clients poll: it supports If-Modified-Since, and X-Poll-Interval says when to poll again. */
  isPolled?: boolean
  createsContent?: boolean
  /**
   * A list over several organisations: those whose single sign-on the token lacks are left out, and named in a header.
   */
  spansOrganisations?: boolean | SpansOrganisations
  pageSize?: PageSize
  body?: S
  /** The body is text, whatever its content type; the handler gets it as `{ text }`. */
  takesText?: boolean
  /** If a body may be longer than usual. */
  maxBodyBytes?: number
  handle(call: ForgeCall<T, Static<S>, Params<A>>): Promise<RestAnswer> | RestAnswer
}

/** The body is a file, which is stored as it arrives; the handler gets the stored file. */
type FileDeclaration<A extends Address, T> = Omit<Declaration<A, T, TSchema>, 'body' | 'handle'> & {
  /** The largest size. */
  fileMib: (limits: FileLimits) => number
  handle(call: ForgeCall<T, UploadedFile, Params<A>>): Promise<RestAnswer> | RestAnswer
}

export type Route = {
  readonly method: Method
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly door: Door<unknown>
  readonly open: Open<unknown>
  readonly resource: string
  readonly need: RequiredGrant
  readonly permission: string | undefined
  readonly charge: Charge
  /** A conditional request pays only if the response has changed. */
  readonly laterCharge: Charge
  readonly isLive: (accept: string) => boolean
  readonly isPolled: boolean
  readonly spansOrganisations: SpansOrganisations
  readonly pageSize: PageSize | undefined
  readonly takesArray: boolean
  readonly takesText: boolean
  readonly body: TSchema | undefined
  readonly maxBodyBytes: number
  readonly fileMib: ((limits: FileLimits) => number) | undefined
  readonly validation: FindFaults | undefined
  handle(call: ForgeCall): Promise<RestAnswer> | RestAnswer
}

/** The usual limit of a JSON body. */
export const usualBodyBytes = 1024 * 1024

export const usualPage: PageSize = { usual: 30, most: 100 }

export function route<const A extends Address, T, S extends TSchema>(
  address: A,
  declaration: Declaration<A, T, S>,
): Route {
  const [method, path] = address.split(' ') as [Method, string]
  const { id, summary, door, permission, body, handle } = declaration
  const charge: Charge = {
    resource: declaration.limit ?? 'core',
    endpoint: address,
    points: declaration.points ?? (method === 'GET' ? 1 : 5),
    createsContent: declaration.createsContent ?? false,
    primary: declaration.isFree ? 'free' : 'now',
  }
  // Data for site admins, such as lock-outs, depends on the time.
  const isLive = declaration.isLive ?? door.kind === 'site-admin'
  const spans = declaration.spansOrganisations ?? false
  const need: RequiredGrant = {
    tokens: declaration.tokens ?? door.tokens,
    scopes: declaration.scopes ?? door.scopes,
    permissions: parsePermissions(permission ?? ''),
  }
  return {
    method,
    path,
    id,
    summary,
    door: door as Door<unknown>,
    resource: declaration.resource ?? 'Repository',
    need,
    open: door.opener(need),
    permission,
    charge,
    laterCharge: declaration.isFree ? charge : { ...charge, primary: 'later' },
    isLive: typeof isLive === 'function' ? isLive : () => isLive,
    isPolled: declaration.isPolled ?? false,
    spansOrganisations: typeof spans === 'function' ? spans : () => spans,
    pageSize: declaration.pageSize,
    takesArray: body !== undefined && 'anyOf' in body,
    takesText: declaration.takesText ?? false,
    body,
    maxBodyBytes: declaration.maxBodyBytes ?? usualBodyBytes,
    fileMib: undefined,
    validation: body && compileLazily(body),
    handle: handle as Route['handle'],
  }
}

/** A route whose body is a file. */
export const fileRoute = <const A extends Address, T>(
  address: A,
  { fileMib, handle, ...declaration }: FileDeclaration<A, T>,
): Route => ({
  ...route<A, T, TSchema>(address, { ...declaration, handle: handle as Declaration<A, T, TSchema>['handle'] }),
  fileMib,
})
