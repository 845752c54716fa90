/** Identifies the actor of a forge, git or data set request: by a bearer token, by basic authentication where it is allowed, or by the page's session. Wrong credentials are counted. */
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
  /** A wrong credential is a request of its address. Refuses it where the address has none left; answers how it stands. */
  chargeAddress(address: string): Promise<NonNullable<FailureDetail['rateStatus']>>
  takesBasic: boolean
  /** Finds apps by their own credentials, where the interface takes those. */
  apps?: AppFinder
}

/** `byWebToken` throws where it is none of an app's. */
export type AppFinder = {
  byWebToken(text: string): Promise<AppIdentity> | AppIdentity
  byClient(clientId: string, secret: string): Promise<AppIdentity | undefined>
  hasWebTokenForm(text: string): boolean
  hasClientIdForm(text: string): boolean
}

/** `key`: by what its wrong credentials are counted. */
type Sender = { readonly address: string; readonly key: string }

/** `queryToken` is for the interface that takes one. */
export type Identify = (request: CredentialRequest, queryToken?: string) => Promise<Actor>

export function makeIdentify(needs: Needs): Identify {
  const { authenticate, tokens, lockout, baseUrl, chargeAddress, takesBasic, apps } = needs

  /** Counts one wrong credential; says so, or that there were too many. An address that may ask no more locks nobody out. */
  async function refuse({ address, key: ownKey }: Sender, message: string, key = ownKey): Promise<never> {
    const rateStatus = await chargeAddress(address)
    await lockout.settle(key, false).catch((error) => addDetail(error, { rateStatus }))
    throw new Failure('unauthenticated', 'bad-credentials', message, { rateStatus })
  }

  async function admit(actor: Actor, sender: Sender, blockedUntil: number): Promise<Actor> {
    const { account, credential } = actor
    if (!account) return actor
    // It is for being exchanged, and opens nothing itself.
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

  /** It acts for no account: what is anyone's, and what is its own. */
  const asApp = (app: AppIdentity, address: string): Actor => ({
    account: undefined,
    credential: { kind: 'app', app },
    address,
  })

  /** A wrong one counts against the address alone: nobody locks an app out from elsewhere. */
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

/** Longer ones are nobody's, and are not written down however many are made up. */
const longestName = 39

/** Names that stand for whoever the token belongs to. */
const anyName: ReadonlySet<string> = new Set(['', 'x-access-token', 'oauth2', 'git', 'token'])

const passwordMessage =
  'Password authentication is not supported: use a personal access token in place of the password.'

/** The same failure, with what the interface needs to answer it. */
function addDetail(error: unknown, more: FailureDetail): never {
  if (!(error instanceof Failure)) throw error
  throw new Failure(error.kind, error.code, error.message, { ...error.detail, ...more })
}

const userKey = (name: string) => `user:${name.toLowerCase()}`
