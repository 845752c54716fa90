/** The side bar of a new issue or pull: assignees, labels and milestone; of a pull its reviewers as well. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Repository } from '../api/forge-types.ts'
import type { Milestone } from '../api/issue-types.ts'
import { useSession } from '../app/session.ts'
import { Avatar } from '../parts/avatar.tsx'
import { readAssignable, readLabels, readMilestones } from './choices.ts'
import { LabelDot } from './label-chip.tsx'
import { SideSection } from './side-section.tsx'

export type Marks = {
  readonly labels: readonly string[]
  readonly assignees: readonly string[]
  readonly milestone: Pick<Milestone, 'number' | 'title'> | undefined
}

type Props = {
  readonly repository: Repository
  readonly mayChange: boolean
  readonly marks: Marks
  /** Above the others. */
  readonly before?: ComponentChildren
  change(marks: Marks): void
}

export const noMarks: Marks = { labels: [], assignees: [], milestone: undefined }

export const toggled = (list: readonly string[], value: string, isWanted: boolean): readonly string[] =>
  isWanted ? [...list, value] : list.filter((each) => each !== value)

export function NewSide({ repository, mayChange, marks, before, change }: Props) {
  const place = { owner: repository.owner.login, repo: repository.name }
  const { account } = useSession()
  const milestones = useRef<readonly Milestone[]>([])
  const nothing = () => {}
  if (!mayChange)
    return (
      <aside class="issue-side" aria-label="About this">
        {before}
        <p class="small soft">The repository’s maintainers add labels, people and a milestone.</p>
      </aside>
    )
  const name = account?.AccountName
  return (
    <aside class="issue-side" aria-label="About this">
      {before}
      <SideSection
        title="Assignees"
        what="people"
        mayChange
        reload={nothing}
        load={async () =>
          (await readAssignable(place)).map(({ login, id }) => ({
            value: login,
            text: login,
            sign: <Avatar id={id} />,
          }))
        }
        isChosen={(login) => marks.assignees.includes(login)}
        change={async (login, isWanted) => change({ ...marks, assignees: toggled(marks.assignees, login, isWanted) })}
      >
        <p class="small soft">{marks.assignees.join(', ') || 'Nobody'}</p>
        {name && !marks.assignees.includes(name) && (
          <button
            type="button"
            class="button quiet tight"
            onClick={() => change({ ...marks, assignees: [...marks.assignees, name] })}
          >
            Assign yourself
          </button>
        )}
      </SideSection>
      <SideSection
        title="Labels"
        what="labels"
        mayChange
        reload={nothing}
        load={async () =>
          (await readLabels(place)).map(({ name, color, description }) => ({
            value: name,
            text: name,
            hint: description,
            sign: <LabelDot color={color} />,
          }))
        }
        isChosen={(label) => marks.labels.includes(label)}
        change={async (label, isWanted) => change({ ...marks, labels: toggled(marks.labels, label, isWanted) })}
      >
        <p class="small soft">{marks.labels.join(', ') || 'None'}</p>
      </SideSection>
      <SideSection
        title="Milestone"
        what="milestones"
        mayChange
        isSingle
        reload={nothing}
        load={async () => {
          milestones.current = await readMilestones(place)
          return milestones.current.map(({ number, title }) => ({ value: String(number), text: title }))
        }}
        isChosen={(number) => marks.milestone?.number === Number(number)}
        change={async (chosen, isWanted) =>
          change({
            ...marks,
            milestone: isWanted ? milestones.current.find(({ number }) => number === Number(chosen)) : undefined,
          })
        }
      >
        <p class="small soft">{marks.milestone?.title ?? 'None'}</p>
      </SideSection>
    </aside>
  )
}
