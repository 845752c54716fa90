/** State icons of issues and pulls, each with a text for screen readers. */
import type { Issue } from '../api/issue-types.ts'

type Subject = Pick<Issue, 'state' | 'draft' | 'pull_request'> & {
  readonly state_reason?: Issue['state_reason']
}

export type Standing = {
  readonly words: string
  readonly look: 'open' | 'done' | 'shut' | 'draft'
  readonly path: string
}

const circle = 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm0 1.5a5 5 0 1 1 0 10A5 5 0 0 1 8 3Z'
const dot = 'M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z'
const tick = 'M11.3 5.6 12.3 6.7 7.4 11.3 4.4 8.6 5.4 7.5 7.4 9.2Z'
const slash = 'M4.4 10.6 10.6 4.4 11.6 5.4 5.4 11.6Z'
const ring = (x: number, y: number) =>
  `M${x} ${y - 2.2}a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4Zm0 1.4a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6Z`
const branch = `${ring(4, 3.5)}${ring(4, 12.5)}${ring(12, 12.5)}M3.3 5.5h1.4v5H3.3ZM11.3 10.5V6a1.5 1.5 0 0 0-1.5-1.5H8V3.1h1.8A2.9 2.9 0 0 1 12.7 6v4.5Z`
const joined = `${ring(4, 3.5)}${ring(4, 12.5)}${ring(12, 8)}M3.3 5.5h1.4v5H3.3ZM4.4 5c1 2 2.8 2.6 5.6 2.6V9C7 9 5 8.200 4 6Z`

export function standingOf({ state, draft, pull_request: pull, state_reason: reason }: Subject): Standing {
  if (pull?.merged_at) return { words: 'Merged', look: 'done', path: joined }
  if (pull && state === 'closed') return { words: 'Closed', look: 'shut', path: branch }
  if (pull && draft) return { words: 'Draft', look: 'draft', path: branch }
  if (pull) return { words: 'Open', look: 'open', path: branch }
  if (state === 'open') return { words: 'Open', look: 'open', path: circle + dot }
  if (reason === 'not_planned') return { words: 'Closed as not planned', look: 'draft', path: circle + slash }
  if (reason === 'duplicate') return { words: 'Closed as duplicate', look: 'draft', path: circle + slash }
  return { words: 'Closed', look: 'done', path: circle + tick }
}

export const StandingIcon = ({ of, isSilent = false }: { of: Subject; isSilent?: boolean }) => {
  const { words, look, path } = standingOf(of)
  return (
    <span class={`standing ${look}`} title={isSilent ? undefined : words}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={path} fill="currentColor" fill-rule="evenodd" />
      </svg>
      {!isSilent && <span class="hidden-text">{words}</span>}
    </span>
  )
}

export const StandingBadge = ({ of }: { of: Subject }) => {
  const { words, look } = standingOf(of)
  return (
    <span class={`standing-badge ${look}`}>
      <StandingIcon of={of} isSilent /> {words}
    </span>
  )
}
