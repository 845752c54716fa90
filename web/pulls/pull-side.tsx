/** The requested reviewers of a pull and their verdicts. */
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull, Review, TimelineItem } from '../api/issue-types.ts'
import { useSession } from '../app/session.ts'
import { readAssignable } from '../issues/choices.ts'
import { rightsOn } from '../issues/issue-side.tsx'
import { SideSection } from '../issues/side-section.tsx'
import { Avatar, PersonLink } from '../parts/avatar.tsx'

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
      what="people"
      mayChange={(mayTriage || isAuthor) && pull.state === 'open'}
      reload={reload}
      load={async () =>
        (await readAssignable(place))
          .filter(({ login }) => login !== pull.user?.login)
          .map(({ login, id }) => ({ value: login, text: login, sign: <Avatar id={id} /> }))
      }
      isChosen={(login) => asked.some((person) => person.login === login)}
      change={(login, isWanted) => send(isWanted ? 'POST' : 'DELETE', path, { reviewers: [login] })}
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
