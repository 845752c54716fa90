/** The side bar of an issue or a pull: assignees, labels, milestone, participants and actions. */
import type { ComponentChildren } from 'preact'
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Issue } from '../api/issue-types.ts'
import { Avatar, PersonLink } from '../parts/avatar.tsx'
import { readAssignable, readLabels, readMilestones } from './choices.ts'
import { LabelChip, LabelDot } from './label-chip.tsx'
import { formatDay } from './milestone-parts.tsx'
import { SideSection } from './side-section.tsx'
import { SubscriptionSection } from './subscription.tsx'

type Props = {
  readonly issue: Pick<Issue, 'labels' | 'assignees' | 'milestone' | 'number'>
  readonly repository: Repository
  readonly people: readonly { readonly id: number; readonly login: string }[]
  /** Above the others. */
  readonly before?: ComponentChildren
  readonly children?: ComponentChildren
  reload(): void
}

export const rightsOn = ({ permissions, archived }: Repository) => ({
  mayTriage: permissions?.triage === true && !archived,
  mayWrite: permissions?.push === true && !archived,
  mayAdminister: permissions?.admin === true && !archived,
})

export function IssueSide({ issue, repository, people, before, children, reload }: Props) {
  const place = { owner: repository.owner.login, repo: repository.name }
  const path = `/repos/${repository.full_name}/issues/${issue.number}`
  const { mayTriage } = rightsOn(repository)
  return (
    <aside class="issue-side" aria-label="About this">
      {before}
      <SideSection
        title="Assignees"
        what="people"
        mayChange={mayTriage}
        reload={reload}
        load={async () =>
          (await readAssignable(place)).map(({ login, id }) => ({
            value: login,
            text: login,
            sign: <Avatar id={id} />,
          }))
        }
        isChosen={(login) => issue.assignees.some((person) => person.login === login)}
        change={(login, isWanted) => send(isWanted ? 'POST' : 'DELETE', `${path}/assignees`, { assignees: [login] })}
      >
        {issue.assignees.length === 0 ? (
          <p class="small soft">Nobody</p>
        ) : (
          issue.assignees.map((person) => (
            <p key={person.id} class="small">
              <PersonLink user={person} />
            </p>
          ))
        )}
      </SideSection>
      <SideSection
        title="Labels"
        what="labels"
        mayChange={mayTriage}
        reload={reload}
        load={async () =>
          (await readLabels(place)).map(({ name, color, description }) => ({
            value: name,
            text: name,
            hint: description,
            sign: <LabelDot color={color} />,
          }))
        }
        isChosen={(name) => issue.labels.some((label) => label.name === name)}
        change={(name, isWanted) =>
          isWanted
            ? send('POST', `${path}/labels`, { labels: [name] })
            : send('DELETE', `${path}/labels/${encodeURIComponent(name)}`)
        }
      >
        {issue.labels.length === 0 ? (
          <p class="small soft">None</p>
        ) : (
          <p class="row label-row">
            {issue.labels.map((label) => (
              <LabelChip key={label.id} label={label} />
            ))}
          </p>
        )}
      </SideSection>
      <SideSection
        title="Milestone"
        what="milestones"
        mayChange={mayTriage}
        isSingle
        reload={reload}
        load={async () =>
          (await readMilestones(place)).map(({ number, title, due_on: due }) => ({
            value: String(number),
            text: title,
            hint: due && `Due ${formatDay(due)}`,
          }))
        }
        isChosen={(number) => issue.milestone?.number === Number(number)}
        change={(number, isWanted) => send('PATCH', path, { milestone: isWanted ? Number(number) : null })}
      >
        {issue.milestone ? (
          <p class="small">
            <a href={`/${repository.full_name}/milestone/${issue.milestone.number}`}>{issue.milestone.title}</a>
          </p>
        ) : (
          <p class="small soft">None</p>
        )}
      </SideSection>
      <SubscriptionSection repository={repository} number={issue.number} />
      <section class="side-section">
        <h2>Participants</h2>
        <p class="row">
          {people.slice(0, 30).map(({ id, login }) => (
            <a key={id} href={`/${login}`} title={login} aria-label={login}>
              <Avatar id={id} size={26} />
            </a>
          ))}
        </p>
      </section>
      {children}
    </aside>
  )
}
