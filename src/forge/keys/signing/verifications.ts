/** Verifies the signatures of commits and tags by the registered keys of their committer or tagger. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Store } from '../../../store/store.ts'
import { currentAccount } from '../../git/process/processor-accounting.ts'
import type { Signature } from '../../git/read/commit.ts'
import { maxSignedBytes, type Signed } from '../../git/read/signed-text.ts'
import type { People } from '../../people/people.ts'
import type { Person } from '../../person.ts'
import { isTooSlow, type Pgp } from './pgp.ts'
import type { PgpKey, PgpVerdict } from './pgp-worker.ts'
import { parseSshSignature, type SshSignature } from './ssh-signature.ts'

export type Reason =
  | 'valid'
  | 'unsigned'
  | 'unknown_signature_type'
  | 'malformed_signature'
  | 'no_user'
  | 'unknown_key'
  | 'bad_email'
  | 'invalid'
  | 'expired_key'
  | 'not_signing_key'
  | 'gpgverify_error'
  | 'gpgverify_unavailable'

export type Verification = {
  readonly reason: Reason
  readonly signed: Signed | undefined
  readonly kind: 'pgp' | 'ssh' | undefined
  readonly signer: Person | undefined
  /** The id of a PGP key, or the fingerprint of an SSH key. */
  readonly key: string | undefined
}

/** A commit or a tag. `by`: the committer or tagger. */
export type SignedObject = {
  readonly sha: string
  readonly signed: Signed | undefined
  readonly by: Signature | undefined
}

type Needs = { store: Store; clock: Clock; people: Pick<People, 'findByEmails'>; pgp: Pgp; maxMs?: number }
type PgpCandidate = { id: number; account_id: number; key_id: string; armored: string; details: string }
type Parsed =
  | { readonly kind: 'ssh'; readonly ssh: SshSignature }
  | { readonly kind: 'pgp'; readonly issuers: readonly string[] }
  | { readonly kind: undefined; readonly reason: Reason }

/** Results are kept for so many signatures: neither an object nor a registered key ever changes. */
const mostRemembered = 20_000
/** For all PGP signatures of one request, waits included; longer than one may take, so that a slow one is remembered. */
const maxMsPerRequest = 10_000

export type Verifications = ReturnType<typeof makeVerifications>

export const unsigned: Verification = {
  ...{ reason: 'unsigned', signed: undefined, kind: undefined, signer: undefined, key: undefined },
}

export function makeVerifications({ store, clock, people, pgp, maxMs = maxMsPerRequest }: Needs) {
  const { db } = store
  const issuersOf = new LRUCache<string, readonly string[]>({ max: mostRemembered })
  const sshVerdicts = new LRUCache<string, { readonly isRight: boolean }>({ max: mostRemembered })
  const pgpVerdicts = new LRUCache<string, PgpVerdict | 'unread' | 'slow'>({ max: mostRemembered })

  const deadlines = new WeakMap<object, AbortSignal>()

  /** GraphQL verifies object by object: all of a request share one deadline. */
  function deadlineOf(request: object = {}): AbortSignal {
    const deadline = deadlines.get(request) ?? AbortSignal.timeout(maxMs)
    deadlines.set(request, deadline)
    return deadline
  }

  async function parse({ sha, signed }: SignedObject, deadline: AbortSignal): Promise<Parsed> {
    const { signature, payload } = signed!
    if (payload.length > maxSignedBytes) return { kind: undefined, reason: 'gpgverify_error' }
    if (signature.startsWith('-----BEGIN SSH SIGNATURE-----')) {
      try {
        return { kind: 'ssh', ssh: parseSshSignature(signature) }
      } catch {
        return { kind: undefined, reason: 'malformed_signature' }
      }
    }
    if (!/^-----BEGIN PGP (?:SIGNATURE|MESSAGE)-----/.test(signature))
      return { kind: undefined, reason: 'unknown_signature_type' }
    const known = issuersOf.get(sha)
    try {
      const issuers = known ?? (await pgp.listIssuers(signature, deadline)) ?? []
      issuersOf.set(sha, issuers)
      return issuers.length > 0 ? { kind: 'pgp', issuers } : { kind: undefined, reason: 'malformed_signature' }
    } catch (error) {
      if (deadline.aborted) return { kind: undefined, reason: 'gpgverify_unavailable' }
      if (isTooSlow(error)) issuersOf.set(sha, [])
      return { kind: undefined, reason: reasonOf(error) }
    }
  }

  const findSshKeys = async (accounts: readonly number[], fingerprints: readonly string[]) =>
    accounts.length === 0 || fingerprints.length === 0
      ? []
      : db
          .selectFrom('ssh_signing_key')
          .select(['account_id', 'fingerprint'])
          .where('account_id', 'in', accounts)
          .where('fingerprint', 'in', fingerprints)
          .execute()

  const findPgpKeys = async (accounts: readonly number[], issuers: readonly string[]): Promise<PgpCandidate[]> =>
    accounts.length === 0 || issuers.length === 0
      ? []
      : db
          .selectFrom('gpg_key')
          .innerJoin('gpg_key_part', 'gpg_key_part.gpg_key_id', 'gpg_key.id')
          .select(['gpg_key.id', 'account_id', 'gpg_key_part.key_id', 'armored', 'details'])
          .where('account_id', 'in', accounts)
          .where('gpg_key_part.key_id', 'in', issuers)
          .execute()

  async function verifySsh({ sha, signed }: SignedObject, ssh: SshSignature): Promise<Reason> {
    const place = `${sha} ${ssh.fingerprint}`
    const verdict = sshVerdicts.get(place) ?? { isRight: await ssh.isOf(signed!.payload).catch(() => false) }
    sshVerdicts.set(place, verdict)
    return verdict.isRight ? 'valid' : 'invalid'
  }

  async function verifyPgp(
    { sha, signed, by }: SignedObject,
    { id, account_id: ownerId, armored, details }: PgpCandidate,
    deadline: AbortSignal,
  ): Promise<Reason> {
    const { emails, isRevoked }: PgpKey = JSON.parse(details)
    const place = `${sha} ${id}`
    let verdict = pgpVerdicts.get(place)
    try {
      verdict ??= (await pgp.verify({ armored, ownerId }, signed!, deadline)) ?? 'unread'
    } catch (error) {
      if (deadline.aborted) return 'gpgverify_unavailable'
      if (!isTooSlow(error)) return reasonOf(error)
      verdict = 'slow'
    }
    pgpVerdicts.set(place, verdict)
    if (verdict === 'slow') return 'gpgverify_error'
    if (verdict === 'unread') return 'malformed_signature'
    if (verdict.state === 'wrong' || isRevoked) return 'invalid'
    if (verdict.state === 'expired' || (verdict.expiresAt !== null && verdict.expiresAt <= clock.now()))
      return 'expired_key'
    if (verdict.state === 'not-signing') return 'not_signing_key'
    return emails.includes(by!.email.toLowerCase()) ? 'valid' : 'bad_email'
  }

  return {
    /** The results by object name. Unsigned objects are left out. */
    async verify(objects: readonly SignedObject[]): Promise<ReadonlyMap<string, Verification>> {
      const given = objects.filter(({ signed }) => signed !== undefined)
      if (given.length === 0) return none
      const found = await people.findByEmails(given.flatMap(({ by }) => by?.email ?? []))
      const deadline = deadlineOf(currentAccount())
      const parsed: { object: SignedObject; signer: Person | undefined; what: Parsed }[] = []
      for (const object of given) {
        const signer = object.by && found.get(object.by.email.toLowerCase())
        parsed.push({ object, signer, what: await parse(object, deadline) })
      }
      const accounts = [...new Set(parsed.flatMap(({ signer }) => signer?.id ?? []))]
      const prints = parsed.flatMap(({ what }) => (what.kind === 'ssh' ? [what.ssh.fingerprint] : []))
      const ids = parsed.flatMap(({ what }) => (what.kind === 'pgp' ? what.issuers : []))
      const sshKeys = await findSshKeys(accounts, [...new Set(prints)])
      const pgpKeys = await findPgpKeys(accounts, [...new Set(ids)])
      const verified = new Map<string, Verification>()
      for (const { object, signer, what } of parsed) {
        const told = { signed: object.signed, kind: what.kind, signer }
        if (what.kind === undefined || !signer) {
          const key = what.kind === 'ssh' ? what.ssh.fingerprint : what.kind === 'pgp' ? what.issuers[0] : undefined
          verified.set(object.sha, { ...told, key, reason: what.kind === undefined ? what.reason : 'no_user' })
        } else if (what.kind === 'ssh') {
          const { fingerprint: key } = what.ssh
          const isKnown = sshKeys.some((row) => row.account_id === signer.id && row.fingerprint === key)
          verified.set(object.sha, {
            ...told,
            key,
            reason: isKnown ? await verifySsh(object, what.ssh) : 'unknown_key',
          })
        } else {
          const row = pgpKeys.find((one) => one.account_id === signer.id && what.issuers.includes(one.key_id))
          const reason = row ? await verifyPgp(object, row, deadline) : 'unknown_key'
          verified.set(object.sha, { ...told, key: row?.key_id ?? what.issuers[0], reason })
        }
      }
      return verified
    },
  }
}

const none: ReadonlyMap<string, Verification> = new Map()

const reasonOf = (error: unknown): Reason => {
  if (isTooSlow(error)) return 'gpgverify_error'
  if (error instanceof Failure) return 'gpgverify_unavailable'
  throw error
}
