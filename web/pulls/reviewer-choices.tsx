/** Who can be asked to review: people, and teams as `owner/team`. */
import { type Place, readAssignable, readTeams } from '../issues/choices.ts'
import { Avatar } from '../parts/avatar.tsx'
import type { Choice } from '../parts/picker.tsx'

export type Reviewers = { readonly reviewers: readonly string[]; readonly team_reviewers: readonly string[] }

export async function readReviewers(
  place: Place,
  author: string | undefined,
): Promise<readonly Omit<Choice, 'isChosen'>[]> {
  const [people, teams] = await Promise.all([readAssignable(place), readTeams(place)])
  return [
    ...people
      .filter(({ login }) => login !== author)
      .map(({ login, id }) => ({ value: login, text: login, sign: <Avatar id={id} /> })),
    ...teams.map(({ slug, name }) => ({ value: `${place.owner}/${slug}`, text: name, hint: 'Team' })),
  ]
}

const isTeam = (value: string): boolean => value.includes('/')

/** As the interface takes them. */
export const toReviewers = (values: readonly string[]): Reviewers => ({
  reviewers: values.filter((value) => !isTeam(value)),
  team_reviewers: values.filter(isTeam).map((value) => value.slice(value.indexOf('/') + 1)),
})
