/** Sign-on attempts: from the address given to a token, to the provider and back, to the token's authorization. */
import type { SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { generateSecret, hashSecret } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { notFound } from '../failures.ts'
import type { Person } from '../person.ts'
import { readAddress } from './addresses.ts'
import type { Authorizations } from './authorizations.ts'
import type { Identities, ProvenIdentity } from './identities.ts'
import { listFormerSubjects } from './name-id.ts'
import type { OpenIdConnect } from './openid-connect.ts'
import { addressesOf, type Departure, type ProvenAssertion, refusedAnswer } from './protocol.ts'
import { type SingleSignOn, toProvider } from './provider.ts'
import type { Providers } from './providers.ts'
import type { Saml } from './saml.ts'

/** Attempts per hour; more than any person begins. */
export const mostAttempts = 20

type Needs = {
  store: Store
  clock: Clock
  log: Log
  providers: Providers
  identities: Identities
  authorizations: Authorizations
  saml: Saml
  openId: OpenIdConnect
  findOrganisation(login: string): Promise<Person>
}

export type RequestedToken = {
  readonly organisation: Person
  readonly id: number
  readonly hint: string
  readonly note: string
}

export type Attempts = ReturnType<typeof makeAttempts>

export function makeAttempts(needs: Needs) {
  const { store, clock, log, providers, identities, authorizations, saml, openId, findOrganisation } = needs

  async function findSignOn(login: string): Promise<{ organisation: Person; signOn: SingleSignOn }> {
    const organisation = await findOrganisation(login)
    const signOn = await providers.find(organisation.id)
    if (!signOn) throw notFound()
    return { organisation, signOn }
  }

  /** The token that an address is for, if the caller is the token's own user and a member. */
  async function open(actor: SignedIn, login: string, text: string) {
    const { organisation, signOn } = await findSignOn(login)
    const address = readAddress(signOn, text)
    if (!address) throw notFound()
    demand(address.expiresAt > clock.now(), 'forbidden', 'address-expired', 'This address was good for an hour.')
    const token = await findToken(store.db, organisation.id, actor.account.id, address.tokenId)
    const other = 'This address is for a token of another account: sign in as its person.'
    demand(token, 'forbidden', 'not-yours', other)
    const used = await store.db
      .selectFrom('sign_on_attempt')
      .select('id')
      .where('address_hash', '=', hashSecret(address.nonce))
      .executeTakeFirst()
    demand(!used, 'forbidden', 'address-used', usedMessage)
    return { organisation, signOn, address, token }
  }

  /** The provider may have changed while the user was on the way: then the attempt does not belong to it. */
  async function insert(trx: Db, { signingKey }: SingleSignOn, values: AttemptDraft): Promise<void> {
    const now = clock.now()
    const current = await providers.find(values.organisation_id, trx)
    if (current?.signingKey !== signingKey) throw notFound()
    await trx.deleteFrom('sign_on_attempt').where('expires_at', '<=', now).execute()
    await trx.deleteFrom('sign_on_assertion').where('expires_at', '<=', now).execute()
    const { count } = await trx
      .selectFrom('sign_on_attempt')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('user_id', '=', values.user_id)
      .executeTakeFirstOrThrow()
    demand(
      Number(count) < mostAttempts,
      'limited',
      'too-many-attempts',
      `You have started ${mostAttempts} sign-ons within the hour: wait and try again.`,
    )
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('sign_on_attempt')
      .values({ ...values, created_at: now })
      .onConflict((conflict) => conflict.column('address_hash').doNothing())
      .executeTakeFirstOrThrow()
    demand(numInsertedOrUpdatedRows === 1n, 'forbidden', 'address-used', usedMessage)
  }

  const waiting = (on: Db, organisationId: number, reply: string) =>
    on
      .selectFrom('sign_on_attempt')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('reply_hash', '=', hashSecret(reply))
      .where('subject', 'is', null)
      .where('expires_at', '>', clock.now())

  /** Only one answer counts, right or wrong: the attempt then no longer waits. Undefined if it was not waiting. */
  const claim = (organisationId: number, reply: string) =>
    store.write(async (trx) => {
      const attempt = await waiting(trx, organisationId, reply).executeTakeFirst()
      if (!attempt) return undefined
      const { numUpdatedRows } = await trx
        .updateTable('sign_on_attempt')
        .set({ reply_hash: `answered:${attempt.id}` })
        .where('id', '=', attempt.id)
        .where('reply_hash', '=', attempt.reply_hash)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n ? attempt : undefined
    })

  /** Answers the ticket with which the user's own browser finishes. */
  async function prove(attemptId: number, { issuer, subject }: ProvenIdentity): Promise<string> {
    const ticket = generateSecret()
    const { numUpdatedRows } = await store.write((trx) =>
      trx
        .updateTable('sign_on_attempt')
        .set({ issuer, subject, ticket_hash: hashSecret(ticket) })
        .where('id', '=', attemptId)
        .executeTakeFirstOrThrow(),
    )
    if (numUpdatedRows !== 1n) throw refusedAnswer()
    return ticket
  }

  async function demandNew(organisationId: number, { assertionId, expiresAt }: ProvenAssertion): Promise<void> {
    const values = { organisation_id: organisationId, assertion_hash: hashSecret(assertionId), expires_at: expiresAt }
    await store.write(async (trx) => {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('sign_on_assertion')
        .values(values)
        .onConflict((conflict) => conflict.columns(['organisation_id', 'assertion_hash']).doNothing())
        .executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows !== 1n) throw new Error('the assertion was used before')
    })
  }

  /** A wrong answer of a provider is no bug: it is logged, and the user begins again. */
  function refuse(error: unknown, organisationId: number): never {
    if (error instanceof Failure) throw error
    log.info({ err: error, organisationId }, 'the answer of an identity provider was refused')
    throw refusedAnswer()
  }

  return {
    async describe(actor: SignedIn, login: string, text: string): Promise<RequestedToken> {
      const { organisation, token } = await open(actor, login, text)
      return { organisation, ...token }
    },

    /** Uses the address up; answers the provider's URL. */
    async begin(actor: SignedIn, login: string, text: string, origin: string): Promise<string> {
      const { organisation, signOn, address, token } = await open(actor, login, text)
      const provider = toProvider(signOn)
      demand(
        provider,
        'forbidden',
        'provider-unset',
        'The organization’s provider is not set up: ask an admin of this server.',
      )
      const addresses = addressesOf(origin, organisation.login)
      const leaving: Promise<Departure> =
        provider.kind === 'saml' ? saml.depart(provider, addresses) : openId.depart(provider, addresses.openIdCallback)
      const { url, reply, secrets } = await leaving.catch((error): never => {
        log.warn({ err: error, organisationId: organisation.id }, 'an identity provider can’t be reached')
        throw new Failure('unavailable', 'provider-away', 'The identity provider can’t be reached: try again later.')
      })
      const draft = {
        organisation_id: organisation.id,
        user_id: actor.account.id,
        token_id: token.id,
        address_hash: hashSecret(address.nonce),
        reply_hash: hashSecret(reply),
        secrets: JSON.stringify(secrets),
        expires_at: address.expiresAt,
      }
      await store.write((trx) => insert(trx, signOn, draft), {
        locks: [`sign-on:${actor.account.id}`],
        sharedLocks: [lockOf(organisation)],
      })
      return url
    },

    /** OpenID Connect: the provider has redirected the user to this address. Answers the ticket. */
    async takeCallback(login: string, callbackUrl: URL): Promise<string> {
      const { organisation, signOn } = await findSignOn(login)
      const provider = toProvider(signOn)
      const state = callbackUrl.searchParams.get('state') ?? ''
      if (provider?.kind !== 'oidc') throw notFound()
      const attempt = await claim(organisation.id, state)
      if (!attempt) throw refusedAnswer()
      const departure = { reply: state, secrets: JSON.parse(attempt.secrets) }
      const proven = await openId
        .arrive(provider, callbackUrl, departure)
        .catch((error) => refuse(error, organisation.id))
      return prove(attempt.id, proven)
    },

    /** SAML: the user's browser has posted this response. Answers the ticket. */
    async takeResponse(login: string, response: string, origin: string): Promise<string> {
      const { organisation, signOn } = await findSignOn(login)
      const provider = toProvider(signOn)
      if (provider?.kind !== 'saml') throw notFound()
      const findRequest = async (id: string) => {
        const attempt = await waiting(store.db, organisation.id, id).executeTakeFirst()
        return attempt && new Date(attempt.created_at)
      }
      const proven = await saml
        .arrive(provider, addressesOf(origin, organisation.login), response, findRequest)
        .catch((error) => refuse(error, organisation.id))
      await demandNew(organisation.id, proven).catch((error) => refuse(error, organisation.id))
      const attempt = await claim(organisation.id, proven.reply)
      if (!attempt) throw refusedAnswer()
      return prove(attempt.id, proven)
    },

    /** The ticket is used up, whoever brings it: only the user who began may finish. */
    async finish(actor: SignedIn, login: string, ticket: string): Promise<Person> {
      const organisation = await findOrganisation(login)
      const attempt = await store.write((trx) =>
        trx
          .updateTable('sign_on_attempt')
          .set({ ticket_hash: null })
          .where('ticket_hash', '=', hashSecret(ticket))
          .where('organisation_id', '=', organisation.id)
          .where('expires_at', '>', clock.now())
          .returningAll()
          .executeTakeFirst(),
      )
      if (!attempt || attempt.issuer === null || attempt.subject === null) throw refusedAnswer()
      const { issuer, subject, user_id: userId, token_id: tokenId } = attempt
      demand(userId === actor.account.id, 'forbidden', 'not-yours', 'This sign-on was started by another account.')
      await store.write(
        async (trx) => {
          // A change of the provider, which holds the organisation's lock, ends earlier attempts.
          if (!(await isKept(trx, attempt.id))) throw refusedAnswer()
          const token = await findToken(trx, organisation.id, userId, tokenId)
          demand(
            token,
            'forbidden',
            'not-a-member',
            'You are no longer a member of the organization, or the token is gone.',
          )
          const { kind } = (await providers.find(organisation.id, trx)) ?? {}
          const formerSubjects = kind === 'saml' ? listFormerSubjects(subject) : []
          const proven = { issuer, subject, formerSubjects }
          await identities.linkWithin(trx, actor, { organisationId: organisation.id, userId }, proven)
          await authorizations.addWithin(trx, actor, { organisationId: organisation.id, userId, tokenId })
        },
        { locks: [lockOf(organisation)] },
      )
      return organisation
    },

    async describeService(login: string, origin: string): Promise<string> {
      const { organisation, signOn } = await findSignOn(login)
      if (signOn.kind !== 'saml') throw notFound()
      return saml.describe(addressesOf(origin, organisation.login))
    },
  }
}

type AttemptDraft = {
  organisation_id: number
  user_id: number
  token_id: number
  address_hash: string
  reply_hash: string
  secrets: string
  expires_at: number
}

const usedMessage = 'This address was used already: ask again with the token for a new one.'

const lockOf = ({ id }: Person): string => `organisation:${id}`

const isKept = async (on: Db, attemptId: number): Promise<boolean> => {
  const query = on.selectFrom('sign_on_attempt').select('id').where('id', '=', attemptId)
  return (await query.executeTakeFirst()) !== undefined
}

/** A member's token: classic, of an SSH key, or made for the organisation. */
const findToken = (on: Db, organisationId: number, userId: number, tokenId: number) =>
  on
    .selectFrom('token')
    .innerJoin('organisation_member', 'organisation_member.user_id', 'token.account_id')
    .select(['token.id', 'token.hint', 'token.note'])
    .where('token.id', '=', tokenId)
    .where('token.account_id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('token.kind', 'in', ['classic', 'ssh-key']),
        eb.and([eb('token.kind', '=', 'fine-grained'), eb('token.resource_owner_id', '=', organisationId)]),
      ]),
    )
    .where('organisation_member.organisation_id', '=', organisationId)
    .where('organisation_member.state', '=', 'active')
    .executeTakeFirst()
