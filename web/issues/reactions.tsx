/** Reactions to what somebody wrote: how many of each, and one's own by a click. */
import { useState } from 'preact/hooks'
import { request } from '../api/forge.ts'
import { type ReactionContent, type Reactions, reactionContents } from '../api/issue-types.ts'
import { useSession } from '../app/session.ts'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'

const signs: Readonly<Record<ReactionContent, readonly [sign: string, name: string]>> = {
  '+1': ['👍', 'Thumbs up'],
  '-1': ['👎', 'Thumbs down'],
  laugh: ['😄', 'Laugh'],
  hooray: ['🎉', 'Hooray'],
  confused: ['😕', 'Confused'],
  heart: ['❤️', 'Heart'],
  rocket: ['🚀', 'Rocket'],
  eyes: ['👀', 'Eyes'],
}

/** A second click removes the reaction: the interface answers 200 if it existed, and 201 if it is new. */
async function toggle(path: string, content: ReactionContent): Promise<void> {
  const answer = await request(path, { method: 'POST', body: { content } })
  if (answer.status === 201) return
  const { id } = (await answer.json()) as { id: number }
  await request(`${path}/${id}`, { method: 'DELETE' })
}

export function ReactionBar({ reactions, reload }: { reactions: Reactions; reload(): void }) {
  const { account } = useSession()
  const [isOpen, setOpen] = useState(false)
  const act = useAct()
  const react = (content: ReactionContent) =>
    void act.run(async () => {
      await toggle(new URL(reactions.url).pathname, content)
      setOpen(false)
      reload()
    })
  const shown = reactionContents.filter((content) => reactions[content] > 0)
  if (shown.length === 0 && !account) return null
  return (
    <div class="row reactions">
      {shown.map((content) => {
        const [sign, name] = signs[content]
        return (
          <button
            key={content}
            type="button"
            class="button tight"
            disabled={!account || act.isBusy}
            aria-label={`${name}: ${reactions[content]}`}
            onClick={() => react(content)}
          >
            <span aria-hidden="true">{sign}</span> {reactions[content]}
          </button>
        )
      })}
      {account && (
        <button
          type="button"
          class="button quiet tight"
          aria-label="React"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-hidden="true">☺</span>
        </button>
      )}
      {isOpen &&
        reactionContents.map((content) => (
          <button
            key={`add ${content}`}
            type="button"
            class="button quiet tight"
            disabled={act.isBusy}
            aria-label={`React with ${signs[content][1].toLowerCase()}`}
            onClick={() => react(content)}
          >
            <span aria-hidden="true">{signs[content][0]}</span>
          </button>
        ))}
      <FailedAct act={act} />
    </div>
  )
}
