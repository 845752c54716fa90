/** Builds and connects the services for profiles, organisations, memberships and teams. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Quotas } from '../../accounts/quotas.ts'
import type { Lockouts } from '../../accounts/sign-in/lockouts.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { makeEmailAddresses } from './email-addresses.ts'
import { makeFollowing } from './following.ts'
import { makeLockoutAdministration } from './lockout-administration.ts'
import { makeMemberships } from './memberships.ts'
import { makeOrganisations } from './organisations.ts'
import { makePeople } from './people.ts'
import { makeTeamChanges } from './team-changes.ts'
import { makeTeamMembers } from './team-members.ts'
import { makeTeams } from './teams.ts'

type Needs = {
  store: Store
  clock: Clock
  accounts: Accounts
  lockouts: Lockouts
  activity: ActivityRecord
  quotas: Quotas
  makesOrganisations: 'admins' | 'everyone'
}

export function makePeopleServices(needs: Needs) {
  const { store, clock, accounts, lockouts, activity } = needs
  const people = makePeople({ store, clock, accounts })
  const teamChanges = makeTeamChanges({ clock, activity })
  const teams = makeTeams({ store, clock, changes: teamChanges })
  const memberships = makeMemberships({ store, clock, people, activity })
  return {
    people,
    emailAddresses: makeEmailAddresses({ store, clock }),
    following: makeFollowing({ store, clock, people }),
    lockoutAdministration: makeLockoutAdministration({ lockouts }),
    memberships,
    organisations: makeOrganisations({ ...needs, people }),
    teams,
    teamChanges,
    teamMembers: makeTeamMembers({ store, clock, people, teams, memberships, changes: teamChanges }),
  }
}
