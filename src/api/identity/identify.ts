/**
 * Identifies the actor of a forge, git or data set request: by a bearer token, by basic authentication if the API
 * accepts it, or by the page's session. Counts wrong credentials.
 */
import { type Account, type Actor, type AppIdentity, anonymous } from '../../accounts/actor.ts'
import type { Lockout } from '../../accounts/sign-in/lockout.ts'
import { bannedMessage } from '../../accounts/tokens/token.ts'
import { hasTokenForm } from '../../accounts/tokens/token-text.ts'
import type { Tokens } from '../../accounts/tokens.ts'
import { demand, Failure, type FailureDetail } from '../../lib/failure.ts'
import { type Authenticate, isSameOrigin, senderKey } from './authenticate.ts'
import type { CredentialRequest } from './credentials.ts'

type Needs = {
  authenticate: Authenticate
  tokens: Tokens
  lockout: Lockout
  baseUrl: string | undefined
  /**
   * Charges a wrong credential to its address as a request. Refuses if the address has used up its limit; returns its
   * rate status.
   */
  chargeAddress(address: string): Promise<NonNullable<FailureDetail['rateStatus']>>
  takesBasic: boolean
  /** Finds apps by their own credentials, for APIs that accept them. */
  apps?: AppFinder
}

/** `byWebToken` throws for a token that is no app's. */
export type AppFinder = {
  byWebToken(text: string): Promise<AppIdentity> | AppIdentity
  byClient(clientId: string, secret: string): Promise<AppIdentity | undefined>
  hasWebTokenForm(text: string): boolean
  hasClientIdForm(text: string): boolean
}

/** `key`: the key under which its wrong credentials are counted. */
type Sender = { readonly address: string; readonly key: string }

/** `queryToken` is for the API that accepts one. */
export type Identify = (request: CredentialRequest, queryToken?: string) => Promise<Actor>

export function makeIdentify(needs: Needs): Identify {
  const { authenticate, tokens, lockout, baseUrl, chargeAddress, takesBasic, apps } = needs

  /**
   * Counts a wrong credential and throws: wrong, or too many. An address without remaining requests can't lock anybody
   * out.
   */
  async function refuse({ address, key: ownKey }: Sender, message: string, key = ownKey): Promise<never> {
    const rateStatus = await chargeAddress(address)
    await lockout.settle(key, false).catch((error) => addDetail(error, { rateStatus }))
    throw new Failure('unauthenticated', 'bad-credentials', message, { rateStatus })
  }

  async function admit(actor: Actor, sender: Sender, blockedUntil: number): Promise<Actor> {
    const { account, credential } = actor
    if (!account) return actor
    // A refresh token can only be exchanged; it authenticates nothing.
    const isForRenewal = credential.kind === 'token' && credential.token.kind === 'refresh'
    if (isForRenewal) return refuse(sender, 'Bad credentials')
    try {
      lockout.refuseUntil(blockedUntil)
      return demandServed(actor, account)
    } catch (error) {
      return addDetail(error, { actor })
    }
  }

  function demandServed(actor: Actor, account: Account): Actor {
    demand(!account.isSuspended, 'forbidden', 'suspended', 'Sorry. Your account was suspended.')
    const isBanned = actor.credential.kind === 'token' && actor.credential.token.isBanned
    demand(!isBanned, 'forbidden', 'banned', bannedMessage)
    const isInstallationSuspended = actor.credential.kind === 'token' && actor.credential.token.app?.isSuspended
    demand(!isInstallationSuspended, 'forbidden', 'installation-suspended', 'This installation has been suspended')
    return actor
  }

  /** An app acts for no account: it may read public data and its own. */
  const asApp = (app: AppIdentity, address: string): Actor => ({
    account: undefined,
    credential: { kind: 'app', app },
    address,
  })

  /** A wrong token counts against the address alone, so that nobody can lock an app out from elsewhere. */
  async function byWebToken(finder: AppFinder, text: string, sender: Sender): Promise<Actor> {
    await lockout.check(sender.key)
    try {
      return asApp(await finder.byWebToken(text), sender.address)
    } catch (error) {
      const isWrong = error instanceof Failure && error.kind === 'unauthenticated'
      if (!isWrong) throw error
      return refuse(sender, error.message)
    }
  }

  async function byClient(finder: AppFinder, id: string, secret: string, sender: Sender): Promise<Actor> {
    await lockout.check(sender.key)
    const found = await finder.byClient(id, secret)
    return found ? asApp(found, sender.address) : refuse(sender, 'Bad credentials')
  }

  async function byBasic(encoded: string, sender: Sender): Promise<Actor> {
    const text = Buffer.from(encoded, 'base64').toString('utf8').replaceAll('\0', '')
    const colon = text.indexOf(':')
    const name = colon < 0 ? text : text.slice(0, colon)
    const secret = colon < 0 ? '' : text.slice(colon + 1)
    if (apps?.hasClientIdForm(name)) return byClient(apps, name, secret, sender)
    const isTokenFirst = secret === '' || secret === 'x-oauth-basic'
    const isNameless = isTokenFirst || anyName.has(name)
    const found = await tokens.find(isTokenFirst ? name : secret, sender.key)
    const isOwn = found && (isNameless || name.toLowerCase() === found.account.name.toLowerCase())
    if (isOwn) {
      const { account, token, blockedUntil } = found
      return admit({ account, credential: { kind: 'token', token }, address: sender.address }, sender, blockedUntil)
    }
    const isPassword = !isTokenFirst && !hasTokenForm(secret)
    const isNobodys = isNameless || name.length > longestName
    return refuse(sender, isPassword ? passwordMessage : 'Bad credentials', isNobodys ? sender.key : userKey(name))
  }

  return async (request, queryToken) => {
    const { authorization } = request.headers
    const { ip: address } = request
    const sender: Sender = { address, key: senderKey(request) }
    const basic = authorization === undefined || !takesBasic ? null : /^basic +(\S+) *$/i.exec(authorization)
    if (basic) return byBasic(basic[1]!, sender)
    const signed = authorization !== undefined && apps ? /^(bearer|token) +(\S+) *$/i.exec(authorization) : null
    if (signed && apps!.hasWebTokenForm(signed[2]!)) {
      const isBearer = signed[1]!.toLowerCase() === 'bearer'
      return isBearer
        ? byWebToken(apps!, signed[2]!, sender)
        : refuse(sender, 'A JSON web token must be sent as Bearer.')
    }
    const { actor, via, isUnknown, blockedUntil } = await authenticate.identify(request, queryToken)
    if (via === 'cookie')
      return isUnknown || !isSameOrigin(request, baseUrl) ? anonymous(address) : admit(actor, sender, blockedUntil)
    return isUnknown ? refuse(sender, 'Bad credentials') : admit(actor, sender, blockedUntil)
  }
}

/** Longer names are no account's. They are not recorded, however many are made up. */
const longestName = 39

/** User names that stand for the owner of the token. */
const anyName: ReadonlySet<string> = new Set(['', 'x-access-token', 'oauth2', 'git', 'token'])

const passwordMessage =
  'Password authentication is not supported: use a personal access token in place of the password.'

/** Rethrows the failure with the details that a response needs. */
function addDetail(error: unknown, more: FailureDetail): never {
  if (!(error instanceof Failure)) throw error
  throw new Failure(error.kind, error.code, error.message, { ...error.detail, ...more })
}

const userKey = (name: string) => `user:${name.toLowerCase()}`
