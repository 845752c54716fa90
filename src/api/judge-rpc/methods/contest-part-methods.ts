/** JSON-RPC methods of the problems, teams, groups and organisations of contests. */
import { Type } from 'typebox'
import type { ContestServices } from '../../../judge/contests/contest-services.ts'
import { defineMethod, type Method } from '../method.ts'
import { Empty, PageParams, Text, toPage, Uint64 } from '../shapes/basic-shapes.ts'
import {
  ContestID,
  ContestProblemSchema,
  ListedTeamSchema,
  NamedSchema,
  presentContestProblem,
  presentListedTeam,
  presentNamed,
  presentTeam,
  problemPart,
  TeamSchema,
  teamPart,
} from '../shapes/contest-shapes.ts'

const ID = ContestID
const Name = Text(1, 256)
const { Label, Name: TeamName, ...others } = teamPart
const team = Type.Object({ Team: TeamSchema })
const place = Type.Object({ ContestID, ID })

export const contestPartMethods = ({ contestParts, contestTeams }: ContestServices): Method[] => [
  defineMethod({
    name: 'put_contest_problem',
    summary: 'Adds a problem to a contest, or changes its place in it.',
    params: Type.Object({ ContestID, ID, ...problemPart }),
    result: Type.Object({ Problem: ContestProblemSchema }),
    async run({ actor }, { ContestID, ID, Label, UUID, Ordinal, Colour }) {
      const draft = { id: ID, label: Label, uuid: UUID, ordinal: Ordinal, colour: Colour }
      const { id, ...put } = await contestParts.putProblem(actor, ContestID, draft)
      return { Problem: presentContestProblem({ ...put, publicId: id }) }
    },
  }),

  defineMethod({
    name: 'delete_contest_problem',
    summary: 'Removes a problem without submissions from a contest.',
    params: place,
    result: Empty,
    async run({ actor }, { ContestID, ID }) {
      await contestParts.deleteProblem(actor, ContestID, ID)
      return {}
    },
  }),

  defineMethod({
    name: 'put_contest_team',
    summary: 'Adds a team to a contest, or changes it. An account is in one team.',
    nullIsAbsent: { except: ['OrganisationID'] },
    params: Type.Object({
      ContestID,
      ID,
      Label: Type.Optional(Label),
      Name: TeamName,
      ...Type.Partial(Type.Object(others)).properties,
    }),
    result: team,
    async run({ actor }, { ContestID, ID, ...given }) {
      const draft = {
        id: ID,
        label: given.Label ?? ID,
        name: given.Name,
        accountNames: given.AccountNameList ?? [],
        organisationId: given.OrganisationID ?? null,
        groupIds: given.GroupIDList ?? [],
        extraPenalty: given.ExtraPenalty ?? 0,
        isHidden: given.IsHidden ?? false,
      }
      return { Team: presentTeam(await contestTeams.put(actor, ContestID, draft)) }
    },
  }),

  defineMethod({
    name: 'delete_contest_team',
    summary: 'Removes a team without submissions.',
    params: place,
    result: Empty,
    async run({ actor }, { ContestID, ID }) {
      await contestTeams.delete(actor, ContestID, ID)
      return {}
    },
  }),

  defineMethod({
    name: 'get_contest_team_list',
    summary: 'Lists the teams of a contest by label; their accounts for the jury.',
    isOpen: true,
    params: Type.Object({ ContestID, ...PageParams }),
    result: Type.Object({ TotalTeamCount: Uint64, TeamList: Type.Array(ListedTeamSchema) }),
    async run({ actor }, { ContestID, ...page }) {
      const { total, items } = await contestTeams.list(actor, ContestID, toPage(page))
      return { TotalTeamCount: total, TeamList: items.map(presentListedTeam) }
    },
  }),

  defineMethod({
    name: 'join_contest',
    summary: 'Joins an open contest as a team of one.',
    params: Type.Object({ ContestID }),
    result: team,
    async run({ actor }, params) {
      return { Team: presentTeam(await contestTeams.join(actor, params.ContestID)) }
    },
  }),

  ...(['group', 'organisation'] as const).flatMap((kind) => {
    const noun = kind === 'group' ? 'Group' : 'Organisation'
    return [
      defineMethod({
        name: `put_contest_${kind}`,
        summary: `Adds a ${kind} of teams to a contest, or renames it.`,
        params: Type.Object({ ContestID, ID, Name }),
        result: Type.Object({ [noun]: NamedSchema }),
        async run({ actor }, { ContestID, ID, Name }) {
          return { [noun]: presentNamed(await contestParts.putNamed(actor, ContestID, kind, { id: ID, name: Name })) }
        },
      }),
      defineMethod({
        name: `delete_contest_${kind}`,
        summary: `Removes a ${kind}; its teams stay.`,
        params: place,
        result: Empty,
        async run({ actor }, { ContestID, ID }) {
          await contestParts.deleteNamed(actor, ContestID, kind, ID)
          return {}
        },
      }),
    ]
  }),
]
