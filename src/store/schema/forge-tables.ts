/** The basic tables of the forge: people, organisations, teams, repositories and access. */
import type { Generated } from 'kysely'

/** The profile of an account in the forge. An account without a row has the defaults. */
export type ProfileTable = {
  account_id: number
  email: string | null
  /** Whether everyone sees it. */
  is_email_public: Generated<number>
  bio: string | null
  company: string | null
  location: string | null
  website: string | null
  /** `free` or `enterprise` (organisations). */
  plan: 'free' | 'enterprise'
  /** The access rank that every member has on the organisation's repositories. */
  member_rank: number
  members_may_create: number
}

/** Addresses beside that of the profile. */
export type AccountEmailTable = { email: string; account_id: number; created_at: number }

export type OrganisationMemberTable = {
  organisation_id: number
  user_id: number
  /** An `admin` is an owner. */
  role: 'admin' | 'member'
  state: 'active' | 'pending'
  is_public: number
  created_at: number
}

export type TeamTable = {
  id: Generated<number>
  organisation_id: number
  parent_id: number | null
  name: string
  slug: string
  description: string | null
  /** `closed` (visible to all members) or `secret`. */
  privacy: 'closed' | 'secret'
  notification_setting: string
  created_at: number
  updated_at: number
}

/** Each team's ancestors, including itself: child teams have all rights of their parents. */
export type TeamAncestorTable = { team_id: number; ancestor_id: number }

export type TeamMemberTable = { team_id: number; user_id: number; role: 'member' | 'maintainer'; created_at: number }

export type TeamRepositoryTable = { team_id: number; repository_id: number; rank: number; created_at: number }

export type RepositoryTable = {
  id: Generated<number>
  owner_id: number
  name: string
  name_key: string
  description: string | null
  homepage: string | null
  is_private: number
  is_archived: number
  /** Since when a migration locks it: reads work, writes are refused. */
  locked_at: number | null
  /** The migration that locks it; of several the newest. */
  lock_migration_id: Generated<number | null>
  default_branch: string
  /** JSON array. */
  topics: string
  /** JSON object: the options that differ from their defaults. */
  options: string
  language: string | null
  size_kib: number
  subscriber_count: number
  open_issue_count: number
  /** Maintained by triggers. */
  star_count: Generated<number>
  /** Issues and pulls of a repository share one sequence of numbers. */
  last_issue_number: Generated<number>
  last_milestone_number: Generated<number>
  /** The parent of a fork, and the source of the whole network; null once that is deleted. */
  parent_id: Generated<number | null>
  source_id: Generated<number | null>
  /** What it was generated from; null once that is deleted. */
  template_id: Generated<number | null>
  /** Where a mirror fetches from; null for an ordinary repository. */
  mirror_url: Generated<string | null>
  /** The newest received push, which identifies the state of the git data. */
  last_push_id: number
  pushed_at: number
  created_at: number
  updated_at: number
}

/** A former name of a repository: requests for it are redirected. */
export type RepositoryFormerNameTable = { owner_id: number; name_key: string; repository_id: number }

/** Only for a wiki that was pushed to. */
export type WikiUsageTable = { repository_id: number; size_kib: number }

export type CollaboratorTable = { repository_id: number; user_id: number; rank: number; created_at: number }

export type RepositoryInvitationTable = {
  id: Generated<number>
  repository_id: number
  invitee_id: number
  inviter_id: number
  rank: number
  created_at: number
}

export type WatchTable = {
  repository_id: number
  user_id: number
  is_ignored: number
  created_at: number
}

/** A push is recorded before git moves any ref, so that none is lost, whenever the server dies. */
export type PushTable = {
  id: Generated<number>
  repository_id: number
  pusher_id: number
  /** When it becomes `received`, its activity is recorded. */
  state: 'receiving' | 'received' | 'refused'
  /** JSON: [{ref, before, after}]. */
  changes: string
  /** JSON: [option]; null if there are none. */
  options: string | null
  /** JSON: the credential of the push; null if unknown. */
  credential: string | null
  created_at: number
}

/** A deliberately deleted repository: the row exists until its folder is gone. */
export type RepositoryDeletionTable = { repository_id: number; deleted_at: number }

/** An event of the forge, with ids only. `told_at`: when its consumers were told. */
export type ActivityTable = {
  id: Generated<number>
  kind: string
  actor_id: number
  repository_id: number | null
  organisation_id: number | null
  subject_id: number | null
  /** JSON object. */
  data: string
  created_at: number
  told_at: number | null
}

export type ForgeSchema = {
  activity: ActivityTable
  profile: ProfileTable
  account_email: AccountEmailTable
  organisation_member: OrganisationMemberTable
  team: TeamTable
  team_ancestor: TeamAncestorTable
  team_member: TeamMemberTable
  team_repository: TeamRepositoryTable
  repository: RepositoryTable
  repository_deletion: RepositoryDeletionTable
  repository_former_name: RepositoryFormerNameTable
  wiki_usage: WikiUsageTable
  collaborator: CollaboratorTable
  repository_invitation: RepositoryInvitationTable
  watch: WatchTable
  push: PushTable
}
