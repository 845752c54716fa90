/** Qualifiers of a search as conditions. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { StateReason } from '../../../store/schema/issue-tables.ts'
import type { Schema } from '../../../store/schema/schema.ts'
import { invalidField } from '../../failures.ts'
import { accountKey } from '../../person.ts'
import { labelKey } from '../labels/label-rows.ts'
import { isReviewedBy, reviewWhere } from './review-wheres.ts'
import { parseNumbers, parseTimes, type Qualifier, type Range, type SearchQuery } from './search-query.ts'
import { bodySource, titleSource } from './words.ts'

type Eb = ExpressionBuilder<Schema, 'issue' | 'repository'>
type Where = (eb: Eb) => Expression<SqlBool>

/** The ids of named people and repositories, by their name in lower case. */
export type Names = {
  readonly people: ReadonlyMap<string, number>
  readonly repositories: ReadonlyMap<string, number>
}

/** Several of these are alternatives; all other qualifiers must hold together. */
const alternatives: ReadonlySet<string> = new Set(['repo', 'user', 'org'])

export function toWheres({ qualifiers }: SearchQuery, names: Names): Where[] {
  const wanted = qualifiers.filter(({ name }) => name !== 'in' && name !== 'sort')
  const places = wanted.filter(({ name, isNegated }) => alternatives.has(name) && !isNegated)
  const others = wanted.filter((each) => !places.includes(each))
  return [
    ...(places.length > 0 ? [((eb) => eb.or(places.map((each) => toWhere(each, names)(eb)))) as Where] : []),
    ...others.map((each): Where => {
      const where = toWhere(each, names)
      return each.isNegated ? (eb) => eb.not(where(eb)) : where
    }),
  ]
}

/**
 * `in:title,body` restricts where the words are searched. All words are one condition: planning one for each of thirty
 * took a third of a second.
 */
export function wordsWhere({ qualifiers }: SearchQuery, words: readonly string[], areThere: boolean): Where {
  const places = qualifiers.filter(({ name }) => name === 'in').flatMap(({ value }) => value.toLowerCase().split(','))
  const sources = [
    ...(places.includes('title') ? [sql<SqlBool>`w.source = ${titleSource}`] : []),
    ...(places.includes('body') ? [sql<SqlBool>`w.source = ${bodySource}`] : []),
    ...(places.includes('comments') ? [sql<SqlBool>`w.source > ${bodySource}`] : []),
  ]
  const inPlaces =
    places.length === 0 ? sql`` : sql` and (${sources.length > 0 ? sql.join(sources, sql` or `) : sql`1 = 0`})`
  const found = sql<number>`(select count(distinct w.word) from issue_word w
    where w.repository_id = issue.repository_id and w.issue_id = issue.id and w.word in (${sql.join(words)})${inPlaces})`
  return () => (areThere ? sql<SqlBool>`${found} = ${words.length}` : sql<SqlBool>`${found} = 0`)
}

const unsearchable = () =>
  invalidField(
    'q',
    'invalid',
    'The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.',
  )

function toWhere({ name, value }: Qualifier, { people, repositories }: Names): Where {
  const word = value.toLowerCase()
  const person = () => {
    const id = people.get(accountKey(value))
    if (id === undefined) throw unsearchable()
    return id
  }
  switch (name) {
    case 'repo': {
      const id = repositories.get(word)
      if (id === undefined) throw unsearchable()
      return (eb) => eb('issue.repository_id', '=', id)
    }
    case 'user':
    case 'org': {
      const id = person()
      return (eb) => eb('repository.owner_id', '=', id)
    }
    case 'author':
      return by(person(), ['author'])
    case 'assignee':
      return by(person(), ['assignee'])
    case 'mentions':
      return by(person(), ['mentions'])
    case 'commenter':
      return by(person(), ['commenter'])
    case 'involves':
      return by(person(), ['author', 'assignee', 'mentions', 'commenter'])
    case 'is':
    case 'type':
    case 'state':
      return isWhere(name, word)
    case 'label':
      return (eb) => eb.or(word.split(',').map((label) => hasLabel(eb, label)))
    case 'milestone':
      return (eb) =>
        eb(
          'issue.milestone_id',
          'in',
          eb.selectFrom('milestone').select('milestone.id').where('milestone.title_key', '=', word),
        )
    case 'no':
      return noWhere(word)
    case 'created':
      return within('issue.created_at', parseTimes(name, value))
    case 'updated':
      return within('issue.updated_at', parseTimes(name, value))
    case 'closed':
      return within('issue.closed_at', parseTimes(name, value))
    case 'comments':
      return within('issue.comment_count', parseNumbers(name, value))
    case 'archived':
      return (eb) => eb('repository.is_archived', '=', readFlag(name, word) ? 1 : 0)
    case 'draft': {
      const isDraft = readFlag(name, word) ? 1 : 0
      return ofPulls((pulls) => pulls.where('pull.is_draft', '=', isDraft))
    }
    case 'head':
      return ofPulls((pulls) => pulls.where('pull.head_ref', '=', value))
    case 'base':
      return ofPulls((pulls) => pulls.where('pull.base_ref', '=', value))
    case 'review-requested':
      return isAskedForReview(person(), true)
    case 'user-review-requested':
      return isAskedForReview(person(), false)
    case 'merged': {
      const times = parseTimes(name, value)
      return ofPulls((pulls) =>
        pulls
          .where('pull.merged_at', 'is not', null)
          .$if(times.from !== undefined, (some) => some.where('pull.merged_at', '>=', times.from!))
          .$if(times.below !== undefined, (some) => some.where('pull.merged_at', '<', times.below!)),
      )
    }
    case 'review':
      return reviewWhere(word)
    case 'reviewed-by':
      return isReviewedBy(person())
    case 'reason': {
      const reason = word.replaceAll(/[ -]/g, '_')
      return (eb) => eb.and([eb('issue.state', '=', 'closed'), eb('issue.state_reason', '=', reason as StateReason)])
    }
    case 'language':
      return (eb) => eb(eb.fn<string>('lower', ['repository.language']), '=', word)
    case 'sort':
    case 'in':
      return () => sql<SqlBool>`1 = 1`
  }
}

function readFlag(name: string, word: string): boolean {
  if (word !== 'true' && word !== 'false') throw invalidField('q', 'invalid', `${name} is true or false.`)
  return word === 'true'
}

const selectPulls = (eb: Eb) => eb.selectFrom('pull').select('pull.issue_id')

const ofPulls =
  (narrow: (pulls: ReturnType<typeof selectPulls>) => ReturnType<typeof selectPulls>): Where =>
  (eb) =>
    eb('issue.id', 'in', narrow(selectPulls(eb)))

/** The user is asked directly, or through one of their teams. */
const isAskedForReview =
  (userId: number, withTeams: boolean): Where =>
  (eb) => {
    const ofTeams = eb.selectFrom('team_member').select('team_member.team_id').where('team_member.user_id', '=', userId)
    const asked = eb
      .selectFrom('review_request')
      .select('review_request.issue_id')
      .where((one) =>
        one.or([
          one('review_request.user_id', '=', userId),
          ...(withTeams ? [one('review_request.team_id', 'in', ofTeams)] : []),
        ]),
      )
    return eb('issue.id', 'in', asked)
  }

type Role = 'author' | 'assignee' | 'mentions' | 'commenter'

const by =
  (id: number, roles: readonly Role[]): Where =>
  (eb) => {
    const ways: Record<Role, () => Expression<SqlBool>> = {
      author: () => eb('issue.author_id', '=', id),
      assignee: () =>
        eb(
          'issue.id',
          'in',
          eb.selectFrom('issue_assignee').select('issue_assignee.issue_id').where('user_id', '=', id),
        ),
      mentions: () =>
        eb('issue.id', 'in', eb.selectFrom('issue_mention').select('issue_mention.issue_id').where('user_id', '=', id)),
      commenter: () =>
        eb(
          'issue.id',
          'in',
          eb.selectFrom('issue_comment').select('issue_comment.issue_id').where('author_id', '=', id),
        ),
    }
    return eb.or(roles.map((role) => ways[role]()))
  }

function isWhere(name: string, word: string): Where {
  switch (word) {
    case 'open':
    case 'closed':
      return (eb) => eb('issue.state', '=', word)
    case 'issue':
      return (eb) => eb('issue.is_pull', '=', 0)
    case 'pr':
    case 'pull-request':
      return (eb) => eb('issue.is_pull', '=', 1)
    case 'draft':
      return ofPulls((pulls) => pulls.where('pull.is_draft', '=', 1))
    case 'archived':
      return (eb) => eb('repository.is_archived', '=', 1)
    case 'public':
    case 'private':
      return (eb) => eb('repository.is_private', '=', word === 'private' ? 1 : 0)
    case 'locked':
    case 'unlocked':
      return (eb) => eb('issue.is_locked', '=', word === 'locked' ? 1 : 0)
    case 'merged':
    case 'unmerged':
      return (eb) => {
        const merged = eb.selectFrom('pull').select('pull.issue_id').where('pull.merged_at', 'is not', null)
        return eb.and([eb('issue.is_pull', '=', 1), eb('issue.id', word === 'merged' ? 'in' : 'not in', merged)])
      }
    default:
      throw invalidField('q', 'invalid', `${name}:${word} is not known.`)
  }
}

function noWhere(word: string): Where {
  switch (word) {
    case 'label':
      return (eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('issue_label')
              .select('issue_label.label_id')
              .whereRef('issue_label.issue_id', '=', 'issue.id'),
          ),
        )
    case 'assignee':
      return (eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('issue_assignee')
              .select('issue_assignee.user_id')
              .whereRef('issue_assignee.issue_id', '=', 'issue.id'),
          ),
        )
    case 'milestone':
      return (eb) => eb('issue.milestone_id', 'is', null)
    // There are no projects here.
    case 'project':
      return () => sql<SqlBool>`1 = 1`
    default:
      throw invalidField('q', 'invalid', `no:${word} is not known.`)
  }
}

const hasLabel = (eb: Eb, name: string) =>
  eb.exists(
    eb
      .selectFrom('issue_label')
      .innerJoin('label', 'label.id', 'issue_label.label_id')
      .select('label.id')
      .whereRef('issue_label.issue_id', '=', 'issue.id')
      .where('label.name_key', '=', labelKey(name)),
  )

type Column = 'issue.created_at' | 'issue.updated_at' | 'issue.closed_at' | 'issue.comment_count'

const within =
  (column: Column, { from, below }: Range): Where =>
  (eb) =>
    eb.and([
      ...(from === undefined ? [] : [eb(column, '>=', from)]),
      ...(below === undefined ? [] : [eb(column, '<', below)]),
    ])
