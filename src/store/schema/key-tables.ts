/** The tables of keys: those that open git over SSH, and those that signatures are verified with. */
import type { Generated } from 'kysely'

/** Of a user, or of a repository; the token in `token.key_id` says what it may. */
export type SshKeyTable = {
  id: Generated<number>
  /** SHA-256 of the key's bytes, as ssh-keygen spells it: one key belongs to one account or one repository. */
  fingerprint: string
  /** Algorithm and base64, without a comment. */
  key_text: string
  title: string
  /** Whose key it is; of a repository's key, who added it. */
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
  /** As it was given, armored. */
  armored: string
  /** JSON: the parts of the key as they are shown. */
  details: string
  created_at: number
  expires_at: number | null
}

/** The primary key and each subkey, by which a signature names it. */
export type GpgKeyPartTable = { gpg_key_id: number; key_id: string }

export type KeysSchema = {
  ssh_key: SshKeyTable
  ssh_signing_key: SshSigningKeyTable
  gpg_key: GpgKeyTable
  gpg_key_part: GpgKeyPartTable
}
