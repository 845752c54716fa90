/** The requested reviewers of a pull and their verdicts. */
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull, Review, TimelineItem } from '../api/issue-types.ts'
import { useSession } from '../app/session.ts'
import { rightsOn } from '../issues/issue-side.tsx'
import { SideSection } from '../issues/side-section.tsx'
import { PersonLink } from '../parts/avatar.tsx'
import { readReviewers, toReviewers } from './reviewer-choices.tsx'

const signs: Readonly<Record<string, readonly [sign: string, words: string, look: string]>> = {
  APPROVED: ['✓', 'approved', 'good-text'],
  CHANGES_REQUESTED: ['±', 'requested changes', 'bad-text'],
  COMMENTED: ['…', 'commented', 'soft'],
  DISMISSED: ['…', 'was dismissed', 'soft'],
}

/** The last word of each reviewer: a comment takes no verdict back. */
export function latestReviews(items: readonly TimelineItem[], author: string | undefined): readonly Review[] {
  const found = new Map<string, Review>()
  for (const item of items) {
    if (item.event !== 'reviewed') continue
    const review = item as Review
    const login = review.user?.login
    if (!login || login === author || review.state === 'PENDING') continue
    if (review.state === 'COMMENTED' && found.has(login)) continue
    found.set(login, review)
  }
  return [...found.values()]
}

type Props = {
  readonly pull: Pull
  readonly repository: Repository
  readonly reviews: readonly Review[]
  reload(): void
}

export function Reviewers({ pull, repository, reviews, reload }: Props) {
  const { account } = useSession()
  const { mayTriage } = rightsOn(repository)
  const isAuthor = account !== undefined && pull.user?.login === account.AccountName
  const place = { owner: repository.owner.login, repo: repository.name }
  const path = `/repos/${repository.full_name}/pulls/${pull.number}/requested_reviewers`
  const asked = pull.requested_reviewers
  const spoken = reviews.filter(({ user }) => !asked.some(({ login }) => login === user?.login))
  return (
    <SideSection
      title="Reviewers"
      what="people and teams"
      mayChange={(mayTriage || isAuthor) && pull.state === 'open'}
      reload={reload}
      load={() => readReviewers(place, pull.user?.login)}
      isChosen={(value) =>
        asked.some(({ login }) => login === value) ||
        pull.requested_teams.some(({ slug }) => value === `${place.owner}/${slug}`)
      }
      change={(value, isWanted) => send(isWanted ? 'POST' : 'DELETE', path, toReviewers([value]))}
    >
      {asked.length + spoken.length + pull.requested_teams.length === 0 && <p class="small soft">Nobody</p>}
      {spoken.map(({ id, user, state }) => {
        const [sign, words, look] = signs[state] ?? ['', '', '']
        return (
          user && (
            <p key={id} class="small row">
              <PersonLink user={user} />
              <span class={look} title={words}>
                <span aria-hidden="true">{sign}</span> <span class="hidden-text">{words}</span>
              </span>
            </p>
          )
        )
      })}
      {asked.map((user) => (
        <p key={user.id} class="small row">
          <PersonLink user={user} /> <span class="soft">pending</span>
        </p>
      ))}
      {pull.requested_teams.map((team) => (
        <p key={team.id} class="small">
          {team.name} <span class="soft">pending</span>
        </p>
      ))}
    </SideSection>
  )
}
