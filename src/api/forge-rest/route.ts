/** The declaration of a route: its address, access, tokens, cost and handler. */
import type { Static, TSchema } from 'typebox'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { TokenKind } from '../../accounts/tokens/token-text.ts'
import { type Need, parsePermissions } from '../../forge/access/need.ts'
import type { FileLimits } from '../../forge/files/file-limits.ts'
import type { UploadedFile } from '../../forge/files/stored-files.ts'
import type { RateCaller, Resource } from '../../forge/limits/callers.ts'
import type { Charge, RateStatus } from '../../forge/limits/limits.ts'
import type { PageRequest } from '../../lib/page.ts'
import { compileLazily, type FindFaults } from '../json/json-schema.ts'
import type { Address, Method, Params } from './address.ts'
import type { Answer } from './answer.ts'
import type { Door, Open } from './doors.ts'
import type { PageSize, Query } from './query.ts'
import type { View } from './view.ts'

/** A question in GraphQL: who asks, on whose budget, and what. */
export type GraphqlQuestion = {
  readonly actor: SignedIn
  readonly caller: RateCaller
  readonly origin: string
  readonly body: unknown
  readonly hasLeft: () => boolean
}

/** Answers in GraphQL's own shape, errors included; a budget that is spent is a failure. */
export type AnswerGraphql = (
  question: GraphqlQuestion,
) => Promise<{ readonly body: object; readonly rateStatus: RateStatus | undefined; readonly cpuMicros?: number }>

// biome-ignore lint/complexity/noBannedTypes: a handler that names no params takes a call with any.
export type Call<T = unknown, B = unknown, P = {}> = {
  readonly actor: Actor
  readonly caller: RateCaller
  /** What the door opened: a repository, an organisation. */
  readonly target: T
  readonly params: P
  readonly query: Query
  readonly body: B
  readonly page: PageRequest
  readonly view: View
  /** The request's own address, absolute. */
  readonly address: string
  readonly accept: string
  header(name: string): string | undefined
  /** Of a polled list: the time that the client knows it by. */
  readonly modifiedSince: number | undefined
  /** Who asks, and what they may, decided anew: for answers that go on for long. Throws where they may no longer. */
  openAgain(): Promise<T>
  /** Whether the client is gone, so that nobody waits for the answer. */
  hasLeft(): boolean
  /** What the answer took of the processor, where that is known exactly. */
  spend(cpuMicros: number): void
}

/** Whether it does for who asks: what a user did is shown to others as far as it is public. */
type SpansOrganisations = (actor: Actor, params: Readonly<Record<string, string>>) => boolean

type Declaration<A extends Address, T, S extends TSchema> = {
  /** The heading in docs/forge.md, and the end of `documentation_url`. */
  id: string
  summary: string
  door: Door<T>
  /** What a validation error calls the thing. */
  resource?: string
  /** Where they differ from the door's. */
  tokens?: readonly TokenKind[]
  scopes?: readonly string[]
  /** For fine-grained and app tokens: `issues=read; pull_requests=read`. */
  permission?: string
  limit?: Resource
  points?: number
  isFree?: boolean
  /** Its answer depends on more than what is stored: on the time, or on what the caller has used. It is never cached. */
  isLive?: boolean | ((accept: string) => boolean)
  /** Its answer depends on what is stored and on the time: it is cached for the rest of a second. */
  isTimed?: boolean
  /** A list that clients poll: it takes If-Modified-Since, and says in X-Poll-Interval when to ask again. */
  isPolled?: boolean
  createsContent?: boolean
  /** A list over several organisations: those that the token lacks single sign-on for are left out, and named in a header. */
  spansOrganisations?: boolean | SpansOrganisations
  pageSize?: PageSize
  body?: S
  /** The body is text, whatever its type says; the handler sees it as `{ text }`. */
  takesText?: boolean
  /** Where a body may be longer than most. */
  maxBodyBytes?: number
  handle(call: Call<T, Static<S>, Params<A>>): Promise<Answer> | Answer
}

/** The body is a file, which is stored as it comes; the handler sees what became of it. */
type FileDeclaration<A extends Address, T> = Omit<Declaration<A, T, TSchema>, 'body' | 'handle'> & {
  /** How large it may be. */
  fileMib: (limits: FileLimits) => number
  handle(call: Call<T, UploadedFile, Params<A>>): Promise<Answer> | Answer
}

export type Route = {
  readonly method: Method
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly door: Door<unknown>
  readonly open: Open<unknown>
  readonly resource: string
  readonly need: Need
  readonly permission: string | undefined
  readonly charge: Charge
  /** A conditional request pays when its answer is news. */
  readonly laterCharge: Charge
  readonly isLive: (accept: string) => boolean
  readonly isTimed: boolean
  readonly isPolled: boolean
  readonly spansOrganisations: SpansOrganisations
  readonly pageSize: PageSize | undefined
  readonly takesArray: boolean
  readonly takesText: boolean
  readonly body: TSchema | undefined
  readonly maxBodyBytes: number
  readonly fileMib: ((limits: FileLimits) => number) | undefined
  readonly validation: FindFaults | undefined
  handle(call: Call): Promise<Answer> | Answer
}

/** Of a JSON body. */
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
  const isLive = declaration.isLive ?? false
  const spans = declaration.spansOrganisations ?? false
  const need: Need = {
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
    // What admins look at, such as who is locked out, depends on the time.
    isTimed: declaration.isTimed ?? door.kind === 'site-admin',
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
