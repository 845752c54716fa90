/** Requests about SSH keys for the tables of routes. */
import ssh2 from 'ssh2'
import type { Case } from '../route-cases.ts'

const draw = (): string => ssh2.utils.generateKeyPairSync('ed25519').public

const freshKey: NonNullable<Case['fresh']> = async ({ ann }) => {
  const { body } = await ann.post('/user/keys', { title: 'laptop', key: draw() })
  return { key_id: body.id }
}

const freshDeployKey: NonNullable<Case['fresh']> = async ({ ann }, { repo }) => {
  const { body } = await ann.post(`/repos/ann/${repo}/keys`, { title: 'machine', key: draw(), read_only: true })
  return { key_id: body.id }
}

export const keyCases: Record<string, Case> = {
  'list-public-keys-for-a-user': { fresh: freshKey, params: () => ({ username: 'ann' }) },
  'list-public-ssh-keys-for-the-authenticated-user': { fresh: freshKey },
  'get-a-public-ssh-key-for-the-authenticated-user': { fresh: freshKey },
  'create-a-public-ssh-key-for-the-authenticated-user': { body: () => ({ title: 'laptop', key: draw() }) },
  'delete-a-public-ssh-key-for-the-authenticated-user': { fresh: freshKey },
  'list-deploy-keys': { fresh: freshDeployKey },
  'get-a-deploy-key': { fresh: freshDeployKey },
  'create-a-deploy-key': { body: () => ({ title: 'machine', key: draw(), read_only: false }) },
  'delete-a-deploy-key': { fresh: freshDeployKey },
}
