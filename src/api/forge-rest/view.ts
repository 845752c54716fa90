/** The viewer of an answer and the address it was asked at: presenters need nothing else. */
import type { SshPlace } from '../../forge/keys/ssh-place.ts'
import type { Version } from './pipeline/versions.ts'

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
  readonly ssh: Readonly<SshPlace>
}

/** `2026-03-10T12:00:00Z`. */
export const formatTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`

export { nodeId } from '../node-id.ts'
