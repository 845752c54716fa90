/** JSON-RPC methods of contests and their scoreboards. */
import { type Static, Type } from 'typebox'
import type { ContestServices } from '../../../judge/contests/contest-services.ts'
import { defineMethod, type Method } from '../method.ts'
import { Empty, orNull, PageParams, Text, toPage, Uint64 } from '../shapes/basic-shapes.ts'
import {
  boardVersionOf,
  ContestID,
  ContestSchema,
  contestChange,
  contestDraft,
  nullableContestMembers,
  presentContest,
  presentScoreboard,
  ScoreboardSchema,
  toContestChange,
} from '../shapes/contest-shapes.ts'

const result = Type.Object({ Contest: ContestSchema })
const isTrue = Type.Optional(Type.Boolean())

export const contestMethods = ({ contests, scoreboards }: ContestServices): Method[] => [
  defineMethod({
    name: 'create_contest',
    summary: 'Creates a contest. Its creator and admins belong to its jury.',
    nullIsAbsent: { except: nullableContestMembers },
    params: Type.Object({ ID: ContestID, ...contestDraft }),
    result,
    async run({ actor }, { ID, ...given }) {
      const { Name, Style, Duration } = given
      const draft = { ...toContestChange(given), name: Name, style: Style, durationMs: Duration }
      return { Contest: presentContest(await contests.create(actor, ID, draft)) }
    },
  }),

  defineMethod({
    name: 'get_contest',
    summary: 'Reads one contest; its problems from the start on.',
    isOpen: true,
    params: Type.Object({ ID: ContestID }),
    result,
    async run({ actor }, { ID }) {
      return { Contest: presentContest(await contests.get(actor, ID)) }
    },
  }),

  defineMethod({
    name: 'get_contest_list',
    summary: 'Lists public contests and those that you take part in, newest first.',
    isOpen: true,
    params: Type.Object(PageParams),
    result: Type.Object({ TotalContestCount: Uint64, ContestList: Type.Array(ContestSchema) }),
    async run({ actor }, params) {
      const { total, items } = await contests.list(actor, toPage(params))
      return { TotalContestCount: total, ContestList: items.map(presentContest) }
    },
  }),

  defineMethod({
    name: 'update_contest',
    summary: 'Changes the given parts of a contest, until it is finalized.',
    nullIsAbsent: { except: nullableContestMembers },
    params: Type.Object({ ID: ContestID, ...contestChange }),
    result,
    async run({ actor }, { ID, ...given }) {
      return { Contest: presentContest(await contests.update(actor, ID, toContestChange(given))) }
    },
  }),

  defineMethod({
    name: 'delete_contest',
    summary: 'Deletes a contest without submissions.',
    params: Type.Object({ ID: ContestID }),
    result: Empty,
    async run({ actor }, { ID }) {
      await contests.delete(actor, ID)
      return {}
    },
  }),

  defineMethod({
    name: 'freeze_contest',
    summary: 'Freezes the scoreboard of a running contest from now on.',
    params: Type.Object({ ContestID }),
    result,
    async run({ actor }, params) {
      return { Contest: presentContest(await contests.freeze(actor, params.ContestID)) }
    },
  }),

  defineMethod({
    name: 'unfreeze_contest',
    summary: 'Reveals the frozen results to everyone; before the end only with Force.',
    nullIsAbsent: true,
    params: Type.Object({ ContestID, Force: isTrue }),
    result,
    async run({ actor }, { ContestID, Force = false }) {
      return { Contest: presentContest(await contests.unfreeze(actor, ContestID, Force)) }
    },
  }),

  defineMethod({
    name: 'finalize_contest',
    summary: 'Makes the results of a contest final. B is how many more bronze medals there are.',
    nullIsAbsent: true,
    params: Type.Object({ ContestID, B: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })) }),
    result,
    async run({ actor }, { ContestID, B = 0 }) {
      return { Contest: presentContest(await contests.finalize(actor, ContestID, B)) }
    },
  }),

  defineMethod({
    name: 'reopen_contest',
    summary: 'Reopens a finalized contest.',
    params: Type.Object({ ContestID }),
    result,
    async run({ actor }, params) {
      return { Contest: presentContest(await contests.reopen(actor, params.ContestID)) }
    },
  }),

  defineMethod({
    name: 'get_scoreboard',
    summary: 'The scoreboard: frozen until the thaw; the jury chooses.',
    isOpen: true,
    nullIsAbsent: true,
    params: Type.Object({
      ContestID,
      IsPublic: isTrue,
      GroupID: Type.Optional(ContestID),
      KnownVersion: Type.Optional(Text(1, 200)),
    }),
    result: Type.Object({
      Version: Type.String(),
      Scoreboard: orNull<Static<typeof ScoreboardSchema>>(ScoreboardSchema),
    }),
    async run({ actor }, { ContestID, IsPublic = false, GroupID, KnownVersion }) {
      const shown = await scoreboards.get(actor, ContestID, { isPublic: IsPublic, groupId: GroupID })
      const now = scoreboards.now()
      const Version = boardVersionOf(shown, now)
      // Readers poll every few seconds, and a board of thousands of teams takes megabytes.
      if (Version === KnownVersion) return { Version, Scoreboard: null }
      return { Version, Scoreboard: presentScoreboard(shown, now) }
    },
  }),
]
