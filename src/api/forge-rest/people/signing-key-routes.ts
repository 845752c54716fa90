/** Routes of the keys that users sign commits and tags with: SSH keys and PGP keys. */
import type { GpgKey, GpgKeys } from '../../../forge/keys/signing/gpg-keys.ts'
import { maxPgpKeyText } from '../../../forge/keys/signing/pgp.ts'
import type { PgpKeyPart } from '../../../forge/keys/signing/pgp-worker.ts'
import type { SshSigningKey, SshSigningKeys } from '../../../forge/keys/signing/ssh-signing-keys.ts'
import type { People } from '../../../forge/people/people.ts'
import { anyone, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'
import { formatTime, type View } from '../view.ts'

type Needs = { gpgKeys: GpgKeys; people: People; sshSigningKeys: SshSigningKeys }

const presentSshKey = (key: SshSigningKey) => ({
  ...{ id: key.id, key: key.text, title: key.title, created_at: formatTime(key.createdAt) },
})

const timeOf = (time: number | null) => (time === null ? null : formatTime(new Date(time)))

const presentPart = (part: PgpKeyPart) => ({
  key_id: part.keyId,
  public_key: part.publicKey,
  can_sign: part.canSign,
  can_encrypt_comms: part.canEncryptComms,
  can_encrypt_storage: part.canEncryptStorage,
  can_certify: part.canCertify,
  expires_at: timeOf(part.expiresAt),
  revoked: part.isRevoked,
})

/** Subkeys have no ids of their own: each gets its index after the key's. */
const presentGpgKey =
  (own: ReadonlySet<string>) =>
  ({ id, name, armored, createdAt, details }: GpgKey) => ({
    ...{ id, name, primary_key_id: null, ...presentPart(details), created_at: formatTime(createdAt) },
    emails: details.emails.map((email) => ({ email, verified: own.has(email) })),
    subkeys: details.subkeys.map((part, index) => ({
      ...{ id: index + 1, primary_key_id: id, ...presentPart(part), emails: [], subkeys: [], raw_key: null },
      created_at: formatTime(new Date(part.createdAt)),
    })),
    raw_key: armored,
  })

const ssh = { door: signedIn, scopes: ['read:ssh_signing_key'], permission: 'ssh_signing_keys=read' } as const
const changingSsh = { ...ssh, permission: 'ssh_signing_keys=write', resource: 'SshSigningKey' } as const
const gpg = { door: signedIn, scopes: ['read:gpg_key'], permission: 'gpg_keys=read' } as const
const changingGpg = { ...gpg, permission: 'gpg_keys=write', resource: 'GpgKey' } as const

const place = (view: View, path: string, id: number) => `${view.base}/user/${path}/${id}`

const sshRoutes = ({ people, sshSigningKeys }: Needs): readonly Route[] => [
  route('GET /users/:username/ssh_signing_keys', {
    id: 'list-ssh-signing-keys-for-a-user',
    summary: 'The SSH keys that a user signs with.',
    door: anyone,
    pageSize: usualPage,
    handle: async ({ params, page, view }) =>
      pageOf(sshSigningKeys.list(await people.get(params.username), page), presentSshKey, view),
  }),
  route('GET /user/ssh_signing_keys', {
    ...ssh,
    id: 'list-public-ssh-signing-keys-for-the-authenticated-user',
    summary: 'One’s own.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(sshSigningKeys.list(target.actor.account, page), presentSshKey, view),
  }),
  route('GET /user/ssh_signing_keys/:ssh_signing_key_id', {
    ...ssh,
    id: 'get-an-ssh-signing-key-for-the-authenticated-user',
    summary: 'One of them.',
    handle: async ({ target, params }) =>
      ok(presentSshKey(await sshSigningKeys.get(target.actor.account, readId(params.ssh_signing_key_id)))),
  }),
  route('POST /user/ssh_signing_keys', {
    ...changingSsh,
    id: 'create-an-ssh-signing-key-for-the-authenticated-user',
    summary: 'Adds an SSH key to sign with. It opens nothing.',
    scopes: ['write:ssh_signing_key'],
    body: Shape({ title: Optional(Text(255)), key: Text(16 * 1024, 1) }),
    async handle({ target, body, view }) {
      const key = presentSshKey(await sshSigningKeys.add(target, body.key, body.title))
      return created(key, place(view, 'ssh_signing_keys', key.id))
    },
  }),
  route('DELETE /user/ssh_signing_keys/:ssh_signing_key_id', {
    ...changingSsh,
    id: 'delete-an-ssh-signing-key-for-the-authenticated-user',
    summary: 'Removes one: what was signed by it is verified no more.',
    scopes: ['admin:ssh_signing_key'],
    handle: ({ target, params }) => done(sshSigningKeys.remove(target, readId(params.ssh_signing_key_id))),
  }),
]

const gpgRoutes = ({ gpgKeys, people }: Needs): readonly Route[] => {
  /** The email addresses of the user, by which those in keys are verified. */
  const readOwn = async (login: string) =>
    new Set((await people.addressesOf(login)).map((address) => address.toLowerCase()))
  return [
    route('GET /users/:username/gpg_keys', {
      id: 'list-gpg-keys-for-a-user',
      summary: 'The PGP keys that a user signs with.',
      door: anyone,
      pageSize: usualPage,
      async handle({ params, page, view }) {
        const user = await people.get(params.username)
        const isOwn = await readOwn(user.login)
        return pageOf(gpgKeys.list(user, page), presentGpgKey(isOwn), view)
      },
    }),
    route('GET /user/gpg_keys', {
      ...gpg,
      id: 'list-gpg-keys-for-the-authenticated-user',
      summary: 'One’s own.',
      pageSize: usualPage,
      async handle({ target: { actor }, page, view }) {
        const isOwn = await readOwn(actor.account.name)
        return pageOf(gpgKeys.list(actor.account, page), presentGpgKey(isOwn), view)
      },
    }),
    route('GET /user/gpg_keys/:gpg_key_id', {
      ...gpg,
      id: 'get-a-gpg-key-for-the-authenticated-user',
      summary: 'One of them.',
      async handle({ target: { actor }, params }) {
        const key = await gpgKeys.get(actor.account, readId(params.gpg_key_id))
        return ok(presentGpgKey(await readOwn(actor.account.name))(key))
      },
    }),
    route('POST /user/gpg_keys', {
      ...changingGpg,
      id: 'create-a-gpg-key-for-the-authenticated-user',
      summary: 'Adds a PGP key to sign with, as `gpg --armor --export` writes it.',
      scopes: ['write:gpg_key'],
      body: Shape({ name: Optional(Text(255)), armored_public_key: Text(maxPgpKeyText, 1) }),
      async handle({ target, body, view }) {
        const added = await gpgKeys.add(target, body.armored_public_key, body.name)
        const key = presentGpgKey(await readOwn(target.actor.account.name))(added)
        return created(key, place(view, 'gpg_keys', key.id))
      },
    }),
    route('DELETE /user/gpg_keys/:gpg_key_id', {
      ...changingGpg,
      id: 'delete-a-gpg-key-for-the-authenticated-user',
      summary: 'Removes one: what was signed by it is verified no more.',
      scopes: ['admin:gpg_key'],
      handle: ({ target, params }) => done(gpgKeys.remove(target, readId(params.gpg_key_id))),
    }),
  ]
}

export const signingKeyRoutes = (needs: Needs): readonly Route[] => [...sshRoutes(needs), ...gpgRoutes(needs)]
