/** Routes of SSH keys: those of users, and those of repositories, which the public platform calls deploy keys. */
import type { SshKey } from '../../../forge/keys/ssh-key-row.ts'
import type { SshKeys } from '../../../forge/keys/ssh-keys.ts'
import type { People } from '../../../forge/people/people.ts'
import { anyone, changed, seen, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Flag, Optional, Shape, Text } from '../schemas.ts'
import { formatTime, type View } from '../view.ts'

type Needs = { sshKeys: SshKeys; people: People }

const KeyText = Text(16 * 1024, 1)

const timeOf = (time: Date | undefined): string | null => (time ? formatTime(time) : null)

export const presentKey = (key: SshKey, view: View) => ({
  ...{ id: key.id, key: key.text, url: `${view.base}/user/keys/${key.id}`, title: key.title },
  ...{ created_at: formatTime(key.createdAt), verified: true, read_only: false, last_used: timeOf(key.lastUsedAt) },
})

/** The public view. */
const presentPublicKey = (key: SshKey) => ({ id: key.id, key: key.text, created_at: formatTime(key.createdAt) })

const presentDeployKey = (repository: { owner: { login: string }; name: string }) => (key: SshKey, view: View) => ({
  ...presentKey(key, view),
  url: `${view.base}/repos/${repository.owner.login}/${repository.name}/keys/${key.id}`,
  read_only: key.isReadOnly,
  added_by: key.addedBy,
  enabled: true,
})

const own = { door: signedIn, scopes: ['read:public_key'], permission: 'git_ssh_keys=read' } as const
const changing = { ...own, permission: 'git_ssh_keys=write', resource: 'PublicKey' } as const
const ofRepository = { resource: 'PublicKey', scopes: ['repo'] } as const

export const sshKeyRoutes = ({ sshKeys, people }: Needs): readonly Route[] => [
  route('GET /users/:username/keys', {
    id: 'list-public-keys-for-a-user',
    summary: 'Lists the public SSH keys that a user signs in to git with.',
    door: anyone,
    pageSize: usualPage,
    async handle({ params, page, view }) {
      return pageOf(sshKeys.list(await people.get(params.username), page), presentPublicKey, view)
    },
  }),
  route('GET /user/keys', {
    ...own,
    id: 'list-public-ssh-keys-for-the-authenticated-user',
    summary: 'One’s own SSH keys.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(sshKeys.list(target.actor.account, page), presentKey, view),
  }),
  route('GET /user/keys/:key_id', {
    ...own,
    id: 'get-a-public-ssh-key-for-the-authenticated-user',
    summary: 'One of them.',
    async handle({ target, params, view }) {
      return ok(presentKey(await sshKeys.get(target.actor.account, readId(params.key_id)), view))
    },
  }),
  route('POST /user/keys', {
    ...changing,
    id: 'create-a-public-ssh-key-for-the-authenticated-user',
    summary: 'Adds an SSH key. The same key can’t belong to another account or to a repository.',
    scopes: ['write:public_key'],
    body: Shape({ title: Optional(Text(255)), key: KeyText }),
    async handle({ target, body, view }) {
      const key = presentKey(await sshKeys.add(target, body), view)
      return created(key, key.url)
    },
  }),
  route('DELETE /user/keys/:key_id', {
    ...changing,
    id: 'delete-a-public-ssh-key-for-the-authenticated-user',
    summary: 'Removes an SSH key: it stops working immediately.',
    scopes: ['admin:public_key'],
    handle: ({ target, params }) => done(sshKeys.remove(target, readId(params.key_id))),
  }),
  route('GET /repos/:owner/:repo/keys', {
    ...ofRepository,
    id: 'list-deploy-keys',
    summary: 'Lists the SSH keys of this repository (deploy keys).',
    door: seen('admin'),
    permission: 'administration=read',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(sshKeys.listOf(target, page), presentDeployKey(target.repository), view),
  }),
  route('GET /repos/:owner/:repo/keys/:key_id', {
    ...ofRepository,
    id: 'get-a-deploy-key',
    summary: 'One of them.',
    door: seen('admin'),
    permission: 'administration=read',
    async handle({ target, params, view }) {
      const key = await sshKeys.getOf(target, readId(params.key_id))
      return ok(presentDeployKey(target.repository)(key, view))
    },
  }),
  route('POST /repos/:owner/:repo/keys', {
    ...ofRepository,
    id: 'create-a-deploy-key',
    summary:
      'Adds an SSH key for this repository only (a deploy key), with read access or, unless `read_only` is true, write access.',
    door: changed('admin'),
    permission: 'administration=write',
    body: Shape({ title: Optional(Text(255)), key: KeyText, read_only: Optional(Flag) }),
    async handle({ target, body, view }) {
      const { title, key: given, read_only: isReadOnly = false } = body
      const added = await sshKeys.addTo(target, { title, key: given, isReadOnly })
      const key = presentDeployKey(target.repository)(added, view)
      return created(key, key.url)
    },
  }),
  route('DELETE /repos/:owner/:repo/keys/:key_id', {
    ...ofRepository,
    id: 'delete-a-deploy-key',
    summary: 'Removes a key. To change a key, remove it and add it again.',
    door: changed('admin', { evenArchived: true }),
    permission: 'administration=write',
    handle: ({ target, params }) => done(sshKeys.removeFrom(target, readId(params.key_id))),
  }),
]
