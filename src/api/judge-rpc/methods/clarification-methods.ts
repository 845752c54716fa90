/** JSON-RPC methods of clarifications and balloons of contests. */
import { Type } from 'typebox'
import type { Balloon } from '../../../judge/contests/balloons.ts'
import { type Category, type Clarification, categories } from '../../../judge/contests/clarifications.ts'
import type { ContestServices } from '../../../judge/contests/contest-services.ts'
import { defineMethod, type Method } from '../method.ts'
import { NullableUint64, oneOf, orNull, PageParams, Text, toPage, Uint64 } from '../shapes/basic-shapes.ts'
import { Colour, ContestID, Time } from '../shapes/contest-shapes.ts'

const NullableID = orNull<string>(ContestID)
const IDs = Type.Array(ContestID, { maxItems: 1_000 })

const ClarificationSchema = Type.Object({
  ID: Uint64,
  /** Null if the jury sent it. */
  FromTeamID: NullableID,
  ToTeamIDList: Type.Array(ContestID),
  ToGroupIDList: Type.Array(ContestID),
  IsToAll: Type.Boolean(),
  ProblemID: NullableID,
  Category: orNull<string>(Type.String()),
  Text: Type.String(),
  ReplyTo: NullableUint64,
  /** A question without an answer. */
  IsOpen: Type.Boolean(),
  CreatedTime: Time,
})

const presentClarification = (one: Clarification) => ({
  ID: one.id,
  FromTeamID: one.fromTeamId,
  ToTeamIDList: [...one.toTeamIds],
  ToGroupIDList: [...one.toGroupIds],
  IsToAll: one.isToAll,
  ProblemID: one.problemId,
  Category: one.category,
  Text: one.text,
  ReplyTo: one.replyTo,
  IsOpen: one.isOpen,
  CreatedTime: one.createdAt,
})

const BalloonSchema = Type.Object({
  ID: Uint64,
  TeamID: ContestID,
  ProblemID: ContestID,
  Colour,
  IsFirst: Type.Boolean(),
  IsDone: Type.Boolean(),
  IsWithdrawn: Type.Boolean(),
  CreatedTime: Time,
})

const presentBalloon = (balloon: Balloon) => ({
  ID: balloon.id,
  TeamID: balloon.teamId,
  ProblemID: balloon.problemId,
  Colour: balloon.colour,
  IsFirst: balloon.isFirst,
  IsDone: balloon.isDone,
  IsWithdrawn: balloon.isWithdrawn,
  CreatedTime: balloon.createdAt,
})

type Needs = Pick<ContestServices, 'clarifications' | 'balloons'>

export const clarificationMethods = ({ clarifications, balloons }: Needs): Method[] => [
  defineMethod({
    name: 'create_clarification',
    summary: 'Asks the jury of a contest; or, as its jury, answers or tells teams something.',
    nullIsAbsent: true,
    params: Type.Object({
      ContestID,
      ProblemID: Type.Optional(ContestID),
      Category: Type.Optional(oneOf<Category>(categories)),
      Text: Text(1, 10_000),
      ReplyTo: Type.Optional(Uint64),
      ToTeamIDList: Type.Optional(IDs),
      ToGroupIDList: Type.Optional(IDs),
    }),
    result: Type.Object({ Clarification: ClarificationSchema }),
    async run({ actor }, { ContestID, ...given }) {
      const draft = {
        problemId: given.ProblemID ?? null,
        category: given.Category ?? null,
        text: given.Text,
        replyTo: given.ReplyTo ?? null,
        toTeamIds: given.ToTeamIDList,
        toGroupIds: given.ToGroupIDList,
      }
      return { Clarification: presentClarification(await clarifications.create(actor, ContestID, draft)) }
    },
  }),

  defineMethod({
    name: 'get_clarification_list',
    summary: 'Lists the clarifications of a contest that you can see, newest first.',
    isOpen: true,
    params: Type.Object({ ContestID, ...PageParams }),
    result: Type.Object({ TotalClarificationCount: Uint64, ClarificationList: Type.Array(ClarificationSchema) }),
    async run({ actor }, { ContestID, ...page }) {
      const { total, items } = await clarifications.list(actor, ContestID, toPage(page))
      return { TotalClarificationCount: total, ClarificationList: items.map(presentClarification) }
    },
  }),

  defineMethod({
    name: 'get_balloon_list',
    summary: 'Lists the balloons of a contest, newest first.',
    params: Type.Object({ ContestID, ...PageParams }),
    result: Type.Object({ TotalBalloonCount: Uint64, BalloonList: Type.Array(BalloonSchema) }),
    async run({ actor }, { ContestID, ...page }) {
      const { total, items } = await balloons.list(actor, ContestID, toPage(page))
      return { TotalBalloonCount: total, BalloonList: items.map(presentBalloon) }
    },
  }),

  defineMethod({
    name: 'update_balloon',
    summary: 'Marks a balloon as done, or not.',
    params: Type.Object({ ContestID, ID: Uint64, IsDone: Type.Boolean() }),
    result: Type.Object({ Balloon: BalloonSchema }),
    async run({ actor }, { ContestID, ID, IsDone }) {
      return { Balloon: presentBalloon(await balloons.update(actor, ContestID, ID, IsDone)) }
    },
  }),
]
