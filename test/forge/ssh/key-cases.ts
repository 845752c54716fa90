/** Requests about keys, to open git and to sign with, for the tables of routes. */
import { generateKey } from 'openpgp'
import { drawKeyPair } from '../../support/ssh.ts'
import type { Case } from '../route-cases.ts'

const draw = (): string => drawKeyPair('ed25519', '').public

const freshKey: NonNullable<Case['fresh']> = async ({ ann }) => {
  const { body } = await ann.post('/user/keys', { title: 'laptop', key: draw() })
  return { key_id: body.id }
}

const freshDeployKey: NonNullable<Case['fresh']> = async ({ ann }, { repo }) => {
  const { body } = await ann.post(`/repos/ann/${repo}/keys`, { title: 'machine', key: draw(), read_only: true })
  return { key_id: body.id }
}

const freshSigningKey: NonNullable<Case['fresh']> = async ({ ann }) => {
  const { body } = await ann.post('/user/ssh_signing_keys', { title: 'laptop', key: draw() })
  return { ssh_signing_key_id: body.id }
}

export const drawGpg = async (): Promise<string> =>
  (await generateKey({ userIDs: [{ name: 'Ann', email: 'ann@example.org' }] })).publicKey

const freshGpgKey: NonNullable<Case['fresh']> = async ({ ann }) => {
  const { body } = await ann.post('/user/gpg_keys', { name: 'laptop', armored_public_key: await drawGpg() })
  return { gpg_key_id: body.id }
}

const ofAnybody =
  (fresh: NonNullable<Case['fresh']>): NonNullable<Case['fresh']> =>
  async (world, names) => ({ key_ids: (await fresh(world, names)).key_id! })

export const keyCases: Record<string, Case> = {
  'list-public-keys': { fresh: freshKey },
  'delete-a-public-key': { fresh: ofAnybody(freshKey) },
  'delete-an-ssh-signing-key-of-a-user': { fresh: freshSigningKey },
  'delete-a-gpg-key-of-a-user': { fresh: freshGpgKey },
  'list-public-keys-for-a-user': { fresh: freshKey, params: () => ({ username: 'ann' }) },
  'list-public-ssh-keys-for-the-authenticated-user': { fresh: freshKey },
  'get-a-public-ssh-key-for-the-authenticated-user': { fresh: freshKey },
  'create-a-public-ssh-key-for-the-authenticated-user': { body: () => ({ title: 'laptop', key: draw() }) },
  'delete-a-public-ssh-key-for-the-authenticated-user': { fresh: freshKey },
  'list-deploy-keys': { fresh: freshDeployKey },
  'get-a-deploy-key': { fresh: freshDeployKey },
  'create-a-deploy-key': { body: () => ({ title: 'machine', key: draw(), read_only: false }) },
  'delete-a-deploy-key': { fresh: freshDeployKey },
  'list-ssh-signing-keys-for-a-user': { fresh: freshSigningKey, params: () => ({ username: 'ann' }) },
  'list-public-ssh-signing-keys-for-the-authenticated-user': { fresh: freshSigningKey },
  'get-an-ssh-signing-key-for-the-authenticated-user': { fresh: freshSigningKey },
  'create-an-ssh-signing-key-for-the-authenticated-user': { body: () => ({ title: 'laptop', key: draw() }) },
  'delete-an-ssh-signing-key-for-the-authenticated-user': { fresh: freshSigningKey },
  'list-gpg-keys-for-a-user': { fresh: freshGpgKey, params: () => ({ username: 'ann' }) },
  'list-gpg-keys-for-the-authenticated-user': { fresh: freshGpgKey },
  'get-a-gpg-key-for-the-authenticated-user': { fresh: freshGpgKey },
  'create-a-gpg-key-for-the-authenticated-user': {
    fresh: async () => ({ armored: await drawGpg() }),
    body: (_world, { armored = 'none' }) => ({ name: 'laptop', armored_public_key: armored }),
  },
  'delete-a-gpg-key-for-the-authenticated-user': { fresh: freshGpgKey },
}
