/** Lists of issues: a repository's, and one's own across repositories, with the filters and orders that clients use. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Schema } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import { type OpenRepository, readRepositories } from '../access/repository.ts'
import { isGrantedTo } from '../access/required-grant.ts'
import type { SelfAccess } from '../access/self-access.ts'
import { invalidField } from '../failures.ts'
import { accountKey } from '../person.ts'
import { type RepositoryWhere, relatedTo, visibleTo } from '../repositories/repository-lists.ts'
import type { Issue } from './issue.ts'
import { type IssueOrder, readIssuePage, selectIssueIds } from './issue-reading.ts'
import { demandIssuesOn } from './issue-rights.ts'
import { labelKey, labelledWithAny, maxLabelsAsked } from './labels/label-rows.ts'

export type IssueFilter = IssueOrder & {
  readonly state: 'open' | 'closed' | 'all'
  /** An issue must have all of these. */
  readonly labels?: readonly string[]
  readonly since?: Date | undefined
  readonly kind?: 'issue' | 'pull' | undefined
}

export type RepositoryIssueFilter = IssueFilter & {
  /** An issue must have at least one of these. */
  readonly anyLabels?: readonly string[] | undefined
  /** A login, `none`, or `*` for anyone. */
  readonly assignee?: string | undefined
  readonly creator?: string | undefined
  readonly mentioned?: string | undefined
  /** A number, `none`, or `*` for any. */
  readonly milestone?: number | 'none' | '*' | undefined
  readonly isPinned?: true
}

/** How the user is involved in an issue; `all` and `repos` only require that the repository is theirs. */
export const involvements = ['assigned', 'created', 'mentioned', 'subscribed', 'repos', 'all'] as const
export type Involvement = (typeof involvements)[number]

export type IssueInRepository = { readonly issue: Issue; readonly repository: OpenRepository }

type Joined = 'issue' | 'repository'
type Eb = ExpressionBuilder<Schema, Joined>
type Where = (eb: Eb) => Expression<SqlBool>

export type IssueLists = ReturnType<typeof makeIssueLists>

export function makeIssueLists({ store: { db } }: { store: Store }) {
  async function findUser(login: string, field: string): Promise<number> {
    const row = await db.selectFrom('account').select('id').where('name_key', '=', accountKey(login)).executeTakeFirst()
    const kind = login.startsWith('app/') ? 'app' : 'user'
    if (!row) throw invalidField(field, 'invalid', `There is no ${kind} ${login.replace(/^app\//, '')}.`)
    return row.id
  }

  function page(wheres: readonly Where[], filter: IssueFilter, request: PageRequest): Promise<Page<Issue>> {
    let found = selectIssueIds(db)
    for (const where of [...wheres, ...common(filter)]) found = found.where(where)
    return readIssuePage(db, found, filter, request)
  }

  async function inRepositories(actor: Actor, found: Page<Issue>): Promise<Page<IssueInRepository>> {
    const ids = found.items.map(({ repositoryId }) => repositoryId)
    const byId = await readRepositories(db, actor, ids)
    const items = found.items.flatMap((issue) => {
      const repository = byId.get(issue.repositoryId)
      return repository ? [{ issue, repository }] : []
    })
    return { total: found.total, items }
  }

  async function ofRepository(filter: RepositoryIssueFilter): Promise<Where[]> {
    const { assignee, creator, mentioned, milestone } = filter
    const wheres: Where[] = []
    if (assignee === 'none') wheres.push((eb) => eb.not(eb.exists(assignments(eb))))
    else if (assignee === '*') wheres.push((eb) => eb.exists(assignments(eb)))
    else if (assignee !== undefined) wheres.push(involves('assigned', await findUser(assignee, 'assignee')))
    if (creator !== undefined) wheres.push(involves('created', await findUser(creator, 'creator')))
    if (mentioned !== undefined) wheres.push(involves('mentioned', await findUser(mentioned, 'mentioned')))
    if (milestone === 'none') wheres.push((eb) => eb('issue.milestone_id', 'is', null))
    else if (milestone === '*') wheres.push((eb) => eb('issue.milestone_id', 'is not', null))
    else if (milestone !== undefined) wheres.push(hasMilestone(milestone))
    if (filter.isPinned) wheres.push((eb) => eb('issue.pinned_at', 'is not', null))
    return wheres
  }

  return {
    async list(
      actor: Actor,
      repository: OpenRepository,
      filter: RepositoryIssueFilter,
      request: PageRequest,
    ): Promise<Page<Issue>> {
      demandIssuesOn(repository)
      const wheres: Where[] = [(eb) => eb('issue.repository_id', '=', repository.id), ...(await ofRepository(filter))]
      const { anyLabels } = filter
      if (anyLabels) wheres.push((eb) => eb('issue.id', 'in', labelledWithAny(db, repository.id, anyLabels)))
      // A token without the permission for pulls sees none of a private repository.
      const mayPulls = !repository.isPrivate || isGrantedTo(actor, pullsRead, repository.owner)
      if (!mayPulls) wheres.push((eb) => eb('issue.is_pull', '=', 0))
      return page(wheres, filter, request)
    },

    /** The user's own issues, in repositories that they own, were added to, or have through an organisation. */
    async listOwn({ actor }: SelfAccess, involvement: Involvement, filter: IssueFilter, request: PageRequest) {
      const { id } = actor.account
      const isNear = involvement === 'repos' || involvement === 'all'
      const wheres = [asWhere(visibleTo(actor)), isNear ? asWhere(relatedTo(id)) : involves(involvement, id)]
      return inRepositories(actor, await page([...wheres, issuesOn], filter, request))
    },

    async listInOrganisation(
      { actor, organisation }: OrganisationAccess<'member'>,
      involvement: Involvement,
      filter: IssueFilter,
      request: PageRequest,
    ) {
      const wheres: Where[] = [
        (eb) => eb('repository.owner_id', '=', organisation.id),
        asWhere(visibleTo(actor)),
        involves(involvement, actor.account.id),
        issuesOn,
      ]
      return inRepositories(actor, await page(wheres, filter, request))
    },
  }
}

const pullsRead = { scopes: [], permissions: [{ name: 'pull_requests', level: 'read' }] } as const

const asWhere = (where: RepositoryWhere): Where => where as unknown as Where

/** If issues are switched off, only pulls are left. Only options that differ from the default are stored. */
const issuesOn: Where = (eb) =>
  eb.or([eb('issue.is_pull', '=', 1), eb('repository.options', 'not like', '%"hasIssues":false%')])

function common({ state, labels = [], since, kind }: IssueFilter): Where[] {
  if (labels.length > maxLabelsAsked)
    throw invalidField('labels', 'invalid', `Ask for ${maxLabelsAsked} labels at most.`)
  return [
    ...(state === 'all' ? [] : [((eb) => eb('issue.state', '=', state)) as Where]),
    ...(since ? [((eb) => eb('issue.updated_at', '>=', since.getTime())) as Where] : []),
    ...(kind ? [((eb) => eb('issue.is_pull', '=', kind === 'pull' ? 1 : 0)) as Where] : []),
    ...labels.map(hasLabel),
  ]
}

const hasLabel =
  (name: string): Where =>
  (eb) =>
    eb.exists(
      eb
        .selectFrom('issue_label')
        .innerJoin('label', 'label.id', 'issue_label.label_id')
        .select('label.id')
        .whereRef('issue_label.issue_id', '=', 'issue.id')
        .where('label.name_key', '=', labelKey(name)),
    )

const hasMilestone =
  (number: number): Where =>
  (eb) =>
    eb(
      'issue.milestone_id',
      'in',
      eb
        .selectFrom('milestone')
        .select('milestone.id')
        .whereRef('milestone.repository_id', '=', 'issue.repository_id')
        .where('milestone.number', '=', number),
    )

const assignments = (eb: Eb) =>
  eb.selectFrom('issue_assignee').select('issue_assignee.user_id').whereRef('issue_assignee.issue_id', '=', 'issue.id')

function involves(involvement: Involvement, userId: number): Where {
  const assigned: Where = (eb) =>
    eb('issue.id', 'in', eb.selectFrom('issue_assignee').select('issue_id').where('user_id', '=', userId))
  const created: Where = (eb) => eb('issue.author_id', '=', userId)
  const mentioned: Where = (eb) =>
    eb('issue.id', 'in', eb.selectFrom('issue_mention').select('issue_id').where('user_id', '=', userId))
  const commented: Where = (eb) =>
    eb(
      'issue.id',
      'in',
      eb.selectFrom('issue_comment').select('issue_comment.issue_id').where('author_id', '=', userId),
    )
  switch (involvement) {
    case 'assigned':
      return assigned
    case 'created':
      return created
    case 'mentioned':
      return mentioned
    // Everyone who takes part in an issue is subscribed to it.
    case 'subscribed':
      return (eb) => eb.or([assigned(eb), created(eb), mentioned(eb), commented(eb)])
    default:
      return () => sql<SqlBool>`1 = 1`
  }
}
