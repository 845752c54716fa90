/** The tables of stars and followers. */
import type { Generated } from 'kysely'

export type StarTable = { id: Generated<number>; repository_id: number; user_id: number; created_at: number }

export type FollowTable = { id: Generated<number>; follower_id: number; followed_id: number; created_at: number }

/** Maintained by triggers. An account without a row has neither. */
export type FollowCountTable = { account_id: number; followers: number; following: number }

export type StarsSchema = { star: StarTable; follow: FollowTable; follow_count: FollowCountTable }
