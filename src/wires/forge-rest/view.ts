/** For whom and where an answer is spelled: presenters need nothing else. */
import { invitationLifetimeMs } from '../../forge/repositories/invitations.ts'
import type { Version } from './versions.ts'

export type View = {
  /** `https://guild.example.org`: what people open. */
  readonly origin: string
  /** The same, with `/api/v3` where the request came that way: what programs call. */
  readonly base: string
  readonly version: Version
  readonly isSignedIn: boolean
  /** The asking account's id; 0 for nobody. */
  readonly viewerId: number
  readonly isSiteAdmin: boolean
  readonly nowMs: number
}

/** `2026-03-10T12:00:00Z`. */
export const spellTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`

/** Opaque, stable, unique across types. */
export const nodeId = (type: string, id: number | string): string => Buffer.from(`${type}:${id}`).toString('base64url')

export const isExpired = (createdAt: Date, { nowMs }: View): boolean =>
  createdAt.getTime() + invitationLifetimeMs <= nowMs
