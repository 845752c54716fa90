/**
 * Which pulls close which issues of their repository when they are merged: those whose text says so, and those that are
 * connected. A text counts in pulls into the default branch. What closes issues of other repositories is known at the
 * merge alone.
 */
import { mapInSlices } from '../../../lib/scheduling/slices.ts'
import type { Store } from '../../../store/store.ts'
import type { OpenRepository } from '../../access/repository.ts'
import { findReferences } from '../../markup/references.ts'
import type { Issue } from '../issue.ts'
import type { IssueReading } from '../issue-reading.ts'

/** The most that are listed; of pulls that mention an issue the newest are looked at. */
const maxListed = 50

/** Whether only what people connected by hand counts. */
type Choice = { readonly isByHand: boolean }

export type ClosingReferences = ReturnType<typeof makeClosingReferences>

type Needs = { store: Store; reading: IssueReading; origin: string | undefined }

export function makeClosingReferences({ store: { db }, reading, origin }: Needs) {
  /** The numbers of the repository's issues that a text says it closes. */
  function closedBy(text: string, { owner, name }: OpenRepository): Set<number> {
    const own = `${owner.login}/${name}`.toLowerCase()
    const found = findReferences(text).flatMap((one) =>
      one.kind === 'issue' &&
      one.closes &&
      (one.origin === undefined || one.origin === origin?.toLowerCase()) &&
      (!one.repository || `${one.repository.owner}/${one.repository.name}`.toLowerCase() === own)
        ? [one.number]
        : [],
    )
    return new Set(found)
  }

  return {
    /** The issues that a pull closes, the oldest first. */
    async issuesOf(repository: OpenRepository, pull: Issue, base: string, { isByHand }: Choice): Promise<Issue[]> {
      const isTextHeard = !isByHand && base === repository.defaultBranch
      const numbers = isTextHeard ? [...closedBy(pull.body ?? '', repository)] : []
      const rows = await db
        .selectFrom('issue')
        .select('id')
        .where('repository_id', '=', repository.id)
        .where('is_pull', '=', 0)
        .where('deleted_at', 'is', null)
        .where((eb) =>
          eb.or([
            eb(
              'id',
              'in',
              eb.selectFrom('issue_connection').select('issue_id').where('issue_connection.pull_id', '=', pull.id),
            ),
            ...(numbers.length > 0 ? [eb('number', 'in', numbers)] : []),
          ]),
        )
        .orderBy('id')
        .limit(maxListed)
        .execute()
      return inOrder(rows, await reading.readByIds(rows.map(({ id }) => id)))
    },

    /** The pulls that close an issue, as issues, the oldest first. */
    async pullsOf(repository: OpenRepository, issue: Issue, { isByHand }: Choice): Promise<Issue[]> {
      const connected = await db
        .selectFrom('issue_connection')
        .innerJoin('issue', 'issue.id', 'issue_connection.pull_id')
        .select('issue.id')
        .where('issue_connection.issue_id', '=', issue.id)
        .where('issue.deleted_at', 'is', null)
        .orderBy('issue.id', 'desc')
        .limit(maxListed)
        .execute()
      const mentioning = isByHand ? [] : await listMentioning(repository, issue)
      const certain = new Set(connected.map(({ id }) => id))
      const ids = [...new Set([...certain, ...mentioning])].sort((one, other) => one - other).map((id) => ({ id }))
      const pulls = inOrder(ids, await reading.readByIds(ids.map(({ id }) => id)))
      const closes = await mapInSlices(
        pulls,
        ({ id, body }) => certain.has(id) || closedBy(body ?? '', repository).has(issue.number),
      )
      return pulls.filter((_, at) => closes[at]).slice(-maxListed)
    },
  }

  async function listMentioning(repository: OpenRepository, issue: Issue): Promise<number[]> {
    const rows = await db
      .selectFrom('cross_reference')
      .innerJoin('issue', 'issue.id', 'cross_reference.source_id')
      .innerJoin('pull', 'pull.issue_id', 'issue.id')
      .select('issue.id')
      .where('cross_reference.target_id', '=', issue.id)
      .where('issue.repository_id', '=', repository.id)
      .where('pull.base_ref', '=', repository.defaultBranch)
      .where('issue.deleted_at', 'is', null)
      .orderBy('cross_reference.id', 'desc')
      .limit(maxListed)
      .execute()
    return rows.map(({ id }) => id)
  }
}

const inOrder = (rows: readonly { readonly id: number }[], byId: ReadonlyMap<number, Issue>): Issue[] =>
  rows.flatMap(({ id }) => byId.get(id) ?? [])
