/** The tables of keys: for git over SSH, and for verifying signatures. */
import type { Generated } from 'kysely'

/** A key of a user or a repository; the token in `token.key_id` states its rights. */
export type SshKeyTable = {
  id: Generated<number>
  /** SHA-256 of the key's bytes, in ssh-keygen's format: a key belongs to only one account or repository. */
  fingerprint: string
  /** Algorithm and base64, without a comment. */
  key_text: string
  title: string
  /** The key's owner; for a repository's key, the account that added it. */
  account_id: number
  repository_id: number | null
  is_read_only: number
  created_at: number
}

export type SshSigningKeyTable = {
  id: Generated<number>
  account_id: number
  fingerprint: string
  key_text: string
  title: string
  created_at: number
}

export type GpgKeyTable = {
  id: Generated<number>
  account_id: number
  name: string | null
  /** The last 16 digits of the primary key's fingerprint. */
  key_id: string
  fingerprint: string
  /** As it was uploaded, armored. */
  armored: string
  /** JSON: the parts of the key that are shown. */
  details: string
  created_at: number
  expires_at: number | null
}

/** The primary key and each subkey, by the id that a signature contains. */
export type GpgKeyPartTable = { gpg_key_id: number; key_id: string }

export type KeysSchema = {
  ssh_key: SshKeyTable
  ssh_signing_key: SshSigningKeyTable
  gpg_key: GpgKeyTable
  gpg_key_part: GpgKeyPartTable
}
