/** The viewer of a response and the requested address: presenters need nothing else. */
import type { SshPlace } from '../../forge/keys/ssh-place.ts'
import type { Version } from './pipeline/versions.ts'

export type View = {
  /** `https://guild.example.org`, for links that people open. */
  readonly origin: string
  /** The same, for programs: with `/api/v3` if the request used it. */
  readonly base: string
  readonly version: Version
  readonly isSignedIn: boolean
  /** The caller's account id; 0 if anonymous. */
  readonly viewerId: number
  readonly isSiteAdmin: boolean
  readonly ssh: Readonly<SshPlace>
}

/** `2026-03-10T12:00:00Z`. */
export const formatTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`

export { nodeId } from '../node-id.ts'
