/** JSON-RPC methods of repositories' problem links, students' copies of a sheet's template, and similarity. */
import { Type } from 'typebox'
import type { Judge } from '../../../judge/judge.ts'
import type { ProblemLink } from '../../../judge/problem-links/problem-link.ts'
import type { SheetCopy } from '../../../judge/sheets/sheet-copies.ts'
import type { BestSubmission } from '../../../judge/sheets/sheet-results.ts'
import type { AlikePair } from '../../../judge/similarity/similarity.ts'
import { defineMethod, type Method } from '../method.ts'
import { AccountName, Empty, orNull, Text, Uint64, Uuid } from '../shapes/basic-shapes.ts'

type Needs = Pick<Judge, 'problemLinks' | 'sheetCopies' | 'similarity' | 'limits'>

/** `owner/name`. */
const Repository = Text(1, 256)

const presentLink = ({ repository, uuid, displayName, path, branch, language }: ProblemLink) => ({
  Repository: repository,
  UUID: uuid,
  DisplayName: displayName,
  Path: path,
  Branch: branch,
  Language: language,
})

const presentCopy = ({ accountName, rosterName, repository }: SheetCopy) => ({
  AccountName: accountName,
  RosterName: rosterName,
  Repository: repository,
})

const SideSchema = Type.Object({ AccountName, RosterName: Type.String(), SubmissionID: Uint64 })
const Line = Type.Integer({ minimum: 1 })
const PairSchema = Type.Object({
  Similarity: Type.Number({ minimum: 0, maximum: 1 }),
  Left: SideSchema,
  Right: SideSchema,
  PartList: Type.Array(Type.Object({ LeftStart: Line, LeftEnd: Line, RightStart: Line, RightEnd: Line })),
})

const presentSide = ({ accountName, rosterName, submissionId }: BestSubmission) => ({
  AccountName: accountName,
  RosterName: rosterName,
  SubmissionID: submissionId,
})

const presentPair = ({ similarity, left, right, parts }: AlikePair) => ({
  Similarity: similarity,
  Left: presentSide(left),
  Right: presentSide(right),
  PartList: parts.map(({ leftStart, leftEnd, rightStart, rightEnd }) => ({
    LeftStart: leftStart,
    LeftEnd: leftEnd,
    RightStart: rightStart,
    RightEnd: rightEnd,
  })),
})

export function problemLinkMethods({ problemLinks, sheetCopies, similarity, limits }: Needs): Method[] {
  const Language = Text(1, limits.languageLength)
  const LinkSchema = Type.Object({
    Repository,
    UUID: Uuid,
    DisplayName: Type.String(),
    Path: Type.String(),
    Branch: orNull<string>(Type.String()),
    Language,
  })
  const CopySchema = Type.Object({ AccountName, RosterName: Type.String(), Repository })

  return [
    defineMethod({
      name: 'put_problem_link',
      summary: 'Links a file of a repository to a problem: a push that changes the file submits it.',
      nullIsAbsent: true,
      params: Type.Object({
        Repository,
        UUID: Uuid,
        Path: Text(1, 1_024),
        Branch: Type.Optional(Text(1, 244)),
        Language: Type.Optional(Language),
      }),
      result: Type.Object({ ProblemLink: LinkSchema }),
      async run({ actor }, { Repository, UUID, Path, Branch = null, Language }) {
        const draft = { repository: Repository, uuid: UUID, path: Path, branch: Branch, language: Language }
        return { ProblemLink: presentLink(await problemLinks.put(actor, draft)) }
      },
    }),

    defineMethod({
      name: 'get_problem_link_list',
      summary: 'Lists the problem links of a repository, except those to problems that you can’t see.',
      params: Type.Object({ Repository }),
      result: Type.Object({ ProblemLinkList: Type.Array(LinkSchema) }),
      async run({ actor }, { Repository }) {
        return { ProblemLinkList: (await problemLinks.list(actor, Repository)).map(presentLink) }
      },
    }),

    defineMethod({
      name: 'get_problem_repository_list',
      summary: 'Lists the newest links to a problem in the repositories that you may read, at most 100.',
      params: Type.Object({ UUID: Uuid }),
      result: Type.Object({ ProblemLinkList: Type.Array(LinkSchema) }),
      async run({ actor }, { UUID }) {
        return { ProblemLinkList: (await problemLinks.listOfProblem(actor, UUID)).map(presentLink) }
      },
    }),

    defineMethod({
      name: 'delete_problem_link',
      summary: 'Removes the link of a repository to a problem.',
      params: Type.Object({ Repository, UUID: Uuid }),
      result: Empty,
      async run({ actor }, { Repository, UUID }) {
        await problemLinks.delete(actor, Repository, UUID)
        return {}
      },
    }),

    defineMethod({
      name: 'accept_sheet',
      summary: 'Creates a private copy of the sheet’s template for the student; later calls answer the same copy.',
      params: Type.Object({ SheetID: Uint64 }),
      result: Type.Object({ Repository }),
      async run({ actor }, { SheetID }) {
        return { Repository: (await sheetCopies.accept(actor, SheetID)).fullName }
      },
    }),

    defineMethod({
      name: 'get_sheet_copy_list',
      summary: 'Lists the copies of the sheet’s template that students have; students get their own.',
      params: Type.Object({ SheetID: Uint64 }),
      result: Type.Object({ SheetCopyList: Type.Array(CopySchema) }),
      async run({ actor }, { SheetID }) {
        return { SheetCopyList: (await sheetCopies.list(actor, SheetID)).map(presentCopy) }
      },
    }),

    defineMethod({
      name: 'get_similarity',
      summary:
        'Lists pairs of students’ best submissions that share parts, most similar first, with the lines of both.',
      params: Type.Object({ SheetID: Uint64, UUID: Uuid }),
      result: Type.Object({ PairList: Type.Array(PairSchema), ComparedCount: Uint64, LeftOutCount: Uint64 }),
      async run({ actor }, { SheetID, UUID }) {
        const { pairs, compared, leftOut } = await similarity.get(actor, SheetID, UUID)
        return { PairList: pairs.map(presentPair), ComparedCount: compared, LeftOutCount: leftOut }
      },
    }),
  ]
}
