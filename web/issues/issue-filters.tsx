/** Filters of a list of issues or pulls: each puts its qualifier into the search. */
import type { Repository } from '../api/forge-types.ts'
import { Avatar } from '../parts/avatar.tsx'
import { type Choice, Picker } from '../parts/picker.tsx'
import { readAssignable, readLabels, readMilestones } from './choices.ts'
import { LabelDot } from './label-chip.tsx'
import { toggleQualifier, valuesOf, withQualifier } from './search.ts'

type Props = {
  readonly repository: Repository
  readonly isPull: boolean
  readonly text: string
  show(text: string): void
}

const orders = [
  ['created-desc', 'Newest'],
  ['created-asc', 'Oldest'],
  ['comments-desc', 'Most commented'],
  ['comments-asc', 'Least commented'],
  ['updated-desc', 'Recently updated'],
  ['updated-asc', 'Least recently updated'],
] as const

const withoutAny = (name: string, text: string): Omit<Choice, 'isChosen'> => ({ value: `no:${name}`, text })

export function IssueFilters({ repository, isPull, text, show }: Props) {
  const place = { owner: repository.owner.login, repo: repository.name }
  const chosenOf = (name: string) => new Set(valuesOf(text, name).map((value) => value.toLowerCase()))
  const isWithout = (value: string) => value.startsWith('no:') && chosenOf('no').has(value.slice(3))

  /** One value of a qualifier, or none at all of it. */
  const chooseOne = (name: string) => (value: string, isWanted: boolean) => {
    const others = toggleQualifier(withQualifier(text, name, undefined), 'no', name, false)
    if (value.startsWith('no:')) show(toggleQualifier(others, 'no', name, isWanted))
    else show(withQualifier(others, name, isWanted ? value : undefined))
  }
  const people = async () =>
    (await readAssignable(place)).map(({ login, id }) => ({ value: login, text: login, sign: <Avatar id={id} /> }))
  const filter = (
    name: string,
    label: string,
    what: string,
    load: () => Promise<readonly Omit<Choice, 'isChosen'>[]>,
    choose = chooseOne(name),
    isSingle = true,
  ) => (
    <Picker
      label={label}
      what={what}
      class="button quiet tight"
      isSingle={isSingle}
      load={load}
      isChosen={(value) => isWithout(value) || chosenOf(name).has(value.toLowerCase())}
      choose={choose}
    />
  )
  const chooseLabel = (value: string, isWanted: boolean) =>
    show(
      value.startsWith('no:')
        ? toggleQualifier(withQualifier(text, 'label', undefined), 'no', 'label', isWanted)
        : toggleQualifier(toggleQualifier(text, 'no', 'label', false), 'label', value, isWanted),
    )
  return (
    <div class="row filter-bar">
      {filter('author', 'Author', 'people', people)}
      {filter(
        'label',
        'Label',
        'labels',
        async () => [
          withoutAny('label', 'No label'),
          ...(await readLabels(place)).map(({ name, color, description }) => ({
            value: name,
            text: name,
            hint: description,
            sign: <LabelDot color={color} />,
          })),
        ],
        chooseLabel,
        false,
      )}
      {filter('milestone', 'Milestone', 'milestones', async () => [
        withoutAny('milestone', 'No milestone'),
        ...(await readMilestones(place, 'all')).map(({ title }) => ({ value: title, text: title })),
      ])}
      {filter('assignee', 'Assignee', 'people', async () => [withoutAny('assignee', 'Nobody'), ...(await people())])}
      {isPull && filter('review-requested', 'Reviewer', 'people', people)}
      {filter('sort', 'Sort', 'orders', async () => orders.map(([value, name]) => ({ value, text: name })))}
    </div>
  )
}
