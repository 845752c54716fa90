/** JSON-RPC methods that find problems by name and tag. */
import { Type } from 'typebox'
import type { Worth } from '../../../judge/problem-judging/judging-row.ts'
import type { ProblemJudgings } from '../../../judge/problem-judging/problem-judgings.ts'
import type { FoundProblem, ProblemSearch } from '../../../judge/problems/problem-search.ts'
import { defineMethod, type Method } from '../method.ts'
import { PageParams, Text, toPage, Uint64, Uuid } from '../shapes/basic-shapes.ts'
import { NullableScore, presentScore } from '../shapes/judging-shapes.ts'
import { ProblemSnippetSchema, presentProblemSnippet } from '../shapes/problem-shapes.ts'

const Tag = Text(1, 32)
const TagList = Type.Array(Tag, { maxItems: 20 })
const Found = Type.Object({
  ...ProblemSnippetSchema.properties,
  IsHeld: Type.Boolean(),
  TagList,
  IsScored: Type.Boolean(),
  /** Null if the problem is not scored, or has no maximum. */
  MaximumScore: NullableScore,
})

const presentFound = (problem: FoundProblem, worth: Worth | undefined) => ({
  ...presentProblemSnippet(problem),
  IsHeld: problem.isHeld,
  TagList: [...problem.tags],
  IsScored: worth?.isScored ?? false,
  MaximumScore: worth?.isScored ? presentScore(worth.maximumScore) : null,
})

type Services = { problemSearch: ProblemSearch; judgings: Pick<ProblemJudgings, 'readWorths'> }

export const problemSearchMethods = ({ problemSearch, judgings }: Services): Method[] => [
  defineMethod({
    name: 'find_problem_snippet_list',
    summary: 'Finds problems by a part of the name or a tag, newest first; your own also before they are released.',
    nullIsAbsent: true,
    params: Type.Object({
      ...PageParams,
      Text: Type.Optional(Text(0, 256)),
      Tag: Type.Optional(Tag),
      IsOwn: Type.Optional(Type.Boolean()),
    }),
    result: Type.Object({ TotalProblemCount: Uint64, ProblemSnippetList: Type.Array(Found) }),
    async run({ actor }, { Text: text = '', Tag: tag, IsOwn = false, ...params }) {
      const filter = { text: text.trim(), isOwn: IsOwn, ...(tag !== undefined && { tag: tag.trim().toLowerCase() }) }
      const { total, items } = await problemSearch.find(actor, filter, toPage(params))
      const worths = await judgings.readWorths(items.map(({ id }) => id))
      return { TotalProblemCount: total, ProblemSnippetList: items.map((one) => presentFound(one, worths.get(one.id))) }
    },
  }),

  defineMethod({
    name: 'get_problem_tag_list',
    summary: 'Lists the tags of released problems, most used first; with UUID those of one problem.',
    nullIsAbsent: true,
    params: Type.Object({ UUID: Type.Optional(Uuid) }),
    result: Type.Object({ TagList: Type.Array(Type.Object({ Tag, ProblemCount: Uint64 })) }),
    async run({ actor }, { UUID }) {
      const tags = await problemSearch.listTags(actor, UUID)
      return { TagList: tags.map(({ tag, count }) => ({ Tag: tag, ProblemCount: count })) }
    },
  }),

  defineMethod({
    name: 'put_problem_tags',
    summary: 'Replaces the tags of a problem.',
    params: Type.Object({ UUID: Uuid, TagList }),
    result: Type.Object({ TagList }),
    async run({ actor }, { UUID, TagList }) {
      return { TagList: await problemSearch.putTags(actor, UUID, TagList) }
    },
  }),
]
