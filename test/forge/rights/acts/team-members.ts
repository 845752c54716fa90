/** Acts on who is in a team. */
import { type Act, drawPerson, drawTeam, loginsOf } from '../act.ts'
import type { Credential } from '../credential.ts'
import { complain, decide } from '../truth.ts'
import { descendants, isOwner, maintains, roleIn, siteAdmin } from '../world.ts'
import { findTeam, reading, unmaintained, unseen, writing } from './teams.ts'

export const teamMemberActs: readonly Act[] = [
  {
    name: 'list a team’s members',
    weight: 2,
    draw: drawTeam,
    expect(world, credential, params, names) {
      const found = findTeam(world, params)
      if (!found) return undefined
      const { organisation, team } = found
      const must = descendants(organisation, team.slug).flatMap(({ members }) =>
        [...members.keys()].filter((name) => roleIn(organisation, name) !== undefined),
      )
      return {
        statuses: decide([...reading(world, credential, organisation), unseen(organisation, team, credential)], 200),
        complain: ({ body }) => complain(loginsOf(names, body), must),
      }
    },
    request: ({ org, team }, names) => ({
      method: 'GET',
      path: `/orgs/${names.spell(org)}/teams/${team}/members?per_page=100`,
    }),
  },
  {
    name: 'put someone in a team',
    weight: 8,
    draw(world, random) {
      const found = drawTeam(world, random)
      const role = random.chance(0.3) ? 'maintainer' : 'member'
      return found && { ...found, user: drawPerson(world, random), role }
    },
    expect(world, credential, params) {
      const found = findTeam(world, params)
      if (!found) return undefined
      const { organisation, team } = found
      const owns = isOwner(organisation, credential.account)
      const known = organisation.members.get(params.user)
      return {
        statuses: decide(
          [
            ...writing(world, credential, organisation),
            unseen(organisation, team, credential),
            unmaintained(organisation, team, credential),
            // To the organisation its owners invite.
            [!known && !owns, 403],
            [known?.state === 'pending' && !owns ? 'unclear' : false, 403, 422],
          ],
          200,
        ),
        complain: ({ body }) => complain([body.state], [roleOfNew(credential, known?.state)]),
      }
    },
    request: ({ org, team, user, role }, names) => ({
      method: 'PUT',
      path: `/orgs/${names.spell(org)}/teams/${team}/memberships/${names.spell(user)}`,
      body: { role },
    }),
    apply(world, credential, params) {
      const { organisation, team } = findTeam(world, params)!
      team.members.set(params.user, params.role)
      if (organisation.members.has(params.user)) return
      const state = roleOfNew(credential, undefined)
      organisation.members.set(params.user, { role: 'member', state, isPublic: false })
    },
  },
  {
    name: 'take someone out of a team',
    weight: 2,
    draw(world, random) {
      const found = drawTeam(world, random)
      return found && { ...found, user: drawPerson(world, random) }
    },
    expect(world, credential, params) {
      const found = findTeam(world, params)
      if (!found) return undefined
      const { organisation, team } = found
      const isSelf = credential.account === params.user
      const isIn = team.members.has(params.user)
      return {
        statuses: decide(
          [
            ...writing(world, credential, organisation),
            unseen(organisation, team, credential),
            [!isSelf && !maintains(organisation, team, credential.account), 403],
            [!isIn, 404],
          ],
          204,
        ),
      }
    },
    request: ({ org, team, user }, names) => ({
      method: 'DELETE',
      path: `/orgs/${names.spell(org)}/teams/${team}/memberships/${names.spell(user)}`,
    }),
    apply(world, _credential, params) {
      findTeam(world, params)!.team.members.delete(params.user)
    },
  },
]

/** Who is new is invited, and by an admin of the server put in at once. */
const roleOfNew = ({ account }: Credential, known: 'active' | 'pending' | undefined): 'active' | 'pending' =>
  known ?? (account === siteAdmin ? 'active' : 'pending')
