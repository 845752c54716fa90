/** Who asks the hosting interface, over REST or git: by Bearer or token, by login and token in Basic, or by the page's session. Wrong credentials are counted. */
import type { FastifyRequest } from 'fastify'
import { type Account, type Actor, anonymous } from '../accounts/actor.ts'
import type { Lockout } from '../accounts/lockout.ts'
import { hasTokenForm } from '../accounts/token-text.ts'
import type { Tokens } from '../accounts/tokens.ts'
import { type Awaitable, whenKnown } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import { demand, Failure } from '../base/failure.ts'
import { makeActorCache } from './actor-cache.ts'
import { type Authenticate, isSameOrigin } from './authenticate.ts'

type Needs = {
  authenticate: Authenticate
  tokens: Tokens
  lockout: Lockout
  clock: Clock
  changes(): number | undefined
  baseUrl: string | undefined
}

export type Identify = (request: FastifyRequest) => Awaitable<Actor>

export function makeIdentify({ authenticate, tokens, lockout, clock, changes, baseUrl }: Needs): Identify {
  const findCached = makeActorCache({ changes, clock })

  /** Counts one wrong credential; says so, or that there were too many. */
  async function refuse(key: string, message: string): Promise<never> {
    await lockout.settle(key, false)
    throw new Failure('unauthenticated', 'bad-credentials', message)
  }

  function admit(actor: Actor): Awaitable<Actor> {
    const { account, address } = actor
    if (!account) return actor
    const isFree = lockout.check(userKey(account.name), addressKey(address))
    return whenKnown(isFree, () => demandServed(actor, account))
  }

  function demandServed(actor: Actor, account: Account): Actor {
    demand(!account.isSuspended, 'forbidden', 'suspended', 'Sorry. Your account was suspended.', { actor })
    const isBanned = actor.credential.kind === 'token' && actor.credential.token.isBanned
    demand(
      !isBanned,
      'forbidden',
      'banned',
      'This token is banned for going on while limited: ask an admin to lift it.',
      {
        actor,
      },
    )
    return actor
  }

  async function byBasic(encoded: string, address: string): Promise<Actor> {
    const text = Buffer.from(encoded, 'base64').toString('utf8').replaceAll('\0', '')
    const colon = text.indexOf(':')
    const name = colon < 0 ? text : text.slice(0, colon)
    const secret = colon < 0 ? '' : text.slice(colon + 1)
    const isTokenFirst = secret === '' || secret === 'x-oauth-basic'
    const isNameless = isTokenFirst || anyName.has(name)
    const found = await tokens.find(isTokenFirst ? name : secret)
    const isOwn = found && (isNameless || name.toLowerCase() === found.account.name.toLowerCase())
    if (isOwn) {
      return admit({ account: found.account, credential: { kind: 'token', token: found.token }, address })
    }
    const isPassword = !isTokenFirst && !hasTokenForm(secret)
    const isNobodys = isNameless || name.length > longestName
    return refuse(isNobodys ? addressKey(address) : userKey(name), isPassword ? passwordMessage : 'Bad credentials')
  }

  function find(request: FastifyRequest, authorization: string | undefined, address: string): Awaitable<Actor> {
    const basic = authorization === undefined ? null : /^basic +(\S+) *$/i.exec(authorization)
    if (basic) return byBasic(basic[1]!, address)
    return whenKnown(authenticate.identify(request), ({ actor, via, isUnknown }) => {
      if (via === 'cookie') return isUnknown || !isSameOrigin(request, baseUrl) ? anonymous(address) : admit(actor)
      return isUnknown ? refuse(addressKey(address), 'Bad credentials') : admit(actor)
    })
  }

  return (request) => {
    const { authorization } = request.headers
    const address = request.ip
    if (authorization === undefined) return find(request, authorization, address)
    const { socket } = request.raw
    return findCached({ socket, authorization, address }, () => find(request, authorization, address))
  }
}

/** Longer ones are nobody's, and are not written down however many are made up. */
const longestName = 39

/** Names that stand for whoever the token belongs to. */
const anyName: ReadonlySet<string> = new Set(['', 'x-access-token', 'oauth2', 'git', 'token'])

const passwordMessage =
  'Password authentication is not supported: use a personal access token in place of the password.'

const userKey = (name: string) => `user:${name.toLowerCase()}`
const addressKey = (address: string) => `address:${address}`
