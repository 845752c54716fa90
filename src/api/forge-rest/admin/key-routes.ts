/** Routes for site admins: list everybody's SSH keys, and delete keys that are registered by somebody else than their owner. */
import type { AnyKey, KeyAdministration } from '../../../forge/keys/key-administration.ts'
import { siteAdmin } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { presentKey } from '../people/ssh-key-routes.ts'
import { readId } from '../query.ts'
import { type Route, route, usualPage } from '../route.ts'
import type { View } from '../view.ts'

const presentAnyKey = (key: AnyKey, view: View) => ({
  ...presentKey(key, view),
  ...{ user_id: key.userId, repository_id: key.repositoryId, read_only: key.isReadOnly, added_by: key.addedBy },
})

type Needs = { keyAdministration: KeyAdministration }

export const adminKeyRoutes = ({ keyAdministration }: Needs): readonly Route[] => [
  route('GET /admin/keys', {
    door: siteAdmin,
    resource: 'PublicKey',
    id: 'list-public-keys',
    summary: 'Lists the SSH keys of all users and repositories.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(keyAdministration.list(target, page), presentAnyKey, view),
  }),
  route('DELETE /admin/keys/:key_ids', {
    door: siteAdmin,
    resource: 'PublicKey',
    id: 'delete-a-public-key',
    summary: 'Deletes an SSH key of anybody, or of a repository: its owner can register it then.',
    handle: ({ target, params }) => done(keyAdministration.remove(target, readId(params.key_ids))),
  }),
  route('DELETE /admin/ssh_signing_keys/:ssh_signing_key_id', {
    door: siteAdmin,
    resource: 'SshSigningKey',
    id: 'delete-an-ssh-signing-key-of-a-user',
    summary: 'Deletes an SSH key that anybody signs with.',
    handle: ({ target, params }) =>
      done(keyAdministration.removeSigning(target, 'ssh_signing_key', readId(params.ssh_signing_key_id))),
  }),
  route('DELETE /admin/gpg_keys/:gpg_key_id', {
    door: siteAdmin,
    resource: 'GpgKey',
    id: 'delete-a-gpg-key-of-a-user',
    summary: 'Deletes a PGP key that anybody signs with.',
    handle: ({ target, params }) => done(keyAdministration.removeSigning(target, 'gpg_key', readId(params.gpg_key_id))),
  }),
]
