/** Every act that the model knows. */
import type { Act } from '../act.ts'
import { administrationActs } from './administration.ts'
import { collaboratorActs } from './collaborators.ts'
import { dataSetActs } from './data-sets.ts'
import { gitActs } from './git.ts'
import { invitationActs } from './invitations.ts'
import { membershipActs } from './memberships.ts'
import { organisationActs } from './organisations.ts'
import { peopleActs } from './people.ts'
import { repositoryActs } from './repositories.ts'
import { teamMemberActs } from './team-members.ts'
import { teamRepositoryActs } from './team-repositories.ts'
import { teamActs } from './teams.ts'
import { toolActs } from './tools.ts'
import { watchingActs } from './watching.ts'

export const acts: readonly Act[] = [
  ...administrationActs,
  ...collaboratorActs,
  ...dataSetActs,
  ...gitActs,
  ...invitationActs,
  ...membershipActs,
  ...organisationActs,
  ...peopleActs,
  ...repositoryActs,
  ...teamMemberActs,
  ...teamRepositoryActs,
  ...teamActs,
  ...toolActs,
  ...watchingActs,
]

export const actByName: ReadonlyMap<string, Act> = new Map(acts.map((act) => [act.name, act]))
