/** Finds the repository of a thing by its kind and id alone. */
import type { Store } from '../store/store.ts'

export type PlacedKind =
  | 'issue'
  | 'comment'
  | 'review'
  | 'review-comment'
  | 'label'
  | 'linked-branch'
  | 'milestone'
  | 'release'

/** `key`: the number of an issue, pull or milestone, or of a linked branch's issue; a label's name; otherwise the id. */
export type NodePlace = {
  readonly repositoryId: number
  readonly key: number | string
  /** For an issue: 1 if it is a pull. */
  readonly isPull?: number
}

export type NodePlaces = ReturnType<typeof makeNodePlaces>

/** Does not check access: callers must open the repository afterwards. */
export function makeNodePlaces({ store: { db } }: { store: Store }) {
  const queries: Record<PlacedKind, (id: number) => Promise<NodePlace | undefined>> = {
    issue: (id) =>
      db
        .selectFrom('issue')
        .select(['repository_id as repositoryId', 'number as key', 'is_pull as isPull'])
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
    comment: (id) =>
      db
        .selectFrom('issue_comment')
        .select(['repository_id as repositoryId', 'id as key'])
        .where('id', '=', id)
        .executeTakeFirst(),
    review: (id) =>
      db
        .selectFrom('review')
        .innerJoin('issue', 'issue.id', 'review.issue_id')
        .select(['review.repository_id as repositoryId', 'issue.number as key'])
        .where('review.id', '=', id)
        .executeTakeFirst(),
    'review-comment': (id) =>
      db
        .selectFrom('review_comment')
        .innerJoin('issue', 'issue.id', 'review_comment.issue_id')
        .select(['review_comment.repository_id as repositoryId', 'issue.number as key'])
        .where('review_comment.id', '=', id)
        .where('issue.deleted_at', 'is', null)
        .executeTakeFirst(),
    label: (id) =>
      db
        .selectFrom('label')
        .select(['repository_id as repositoryId', 'name as key'])
        .where('id', '=', id)
        .executeTakeFirst(),
    'linked-branch': (id) =>
      db
        .selectFrom('linked_branch')
        .innerJoin('issue', 'issue.id', 'linked_branch.issue_id')
        .select(['issue.repository_id as repositoryId', 'issue.number as key'])
        .where('linked_branch.id', '=', id)
        .where('issue.deleted_at', 'is', null)
        .executeTakeFirst(),
    milestone: (id) =>
      db
        .selectFrom('milestone')
        .select(['repository_id as repositoryId', 'number as key'])
        .where('id', '=', id)
        .executeTakeFirst(),
    release: (id) =>
      db
        .selectFrom('release')
        .select(['repository_id as repositoryId', 'id as key'])
        .where('id', '=', id)
        .executeTakeFirst(),
  }
  return {
    find: (kind: PlacedKind, id: number) => queries[kind](id),

    /** The team's slug and organisation. */
    findTeam: (id: number): Promise<{ organisationId: number; slug: string } | undefined> =>
      db
        .selectFrom('team')
        .select(['organisation_id as organisationId', 'slug'])
        .where('id', '=', id)
        .executeTakeFirst(),
  }
}
