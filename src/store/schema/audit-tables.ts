/** The table of the audit log. Names are stored as they were, because what they name may be deleted. */
import type { Generated } from 'kysely'

export type AuditEntryTable = {
  id: Generated<number>
  document_id: string
  /** The public platform's name of the action: `org.add_member`. */
  action: string
  category: 'web' | 'git'
  actor_id: number | null
  actor_name: string | null
  address: string
  token_id: number | null
  /** The kind of the token, or `session`, or `house` for the command line and the server itself. */
  credential: string
  organisation_id: number | null
  organisation_name: string | null
  repository_id: number | null
  repository_name: string | null
  user_id: number | null
  user_name: string | null
  /** JSON object, without secrets. */
  data: string
  created_at: number
}

export type AuditSchema = { audit_entry: AuditEntryTable }
