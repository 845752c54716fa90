/** Problems by name and tag, and the tags that owners give them. */
import { sql } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { requireAct, requireReader } from '../access.ts'
import { type ProblemSnippet, problemSnippetColumns, toProblemSnippet } from './problem-row.ts'
import type { Problems } from './problems.ts'

export type ProblemFilter = { readonly text?: string; readonly tag?: string; readonly isOwn?: boolean }

export type FoundProblem = ProblemSnippet & { readonly tags: readonly string[] }

export type TagCount = { readonly tag: string; readonly count: number }

type Needs = { store: Store; switches: Switches; problems: Pick<Problems, 'find' | 'findOwn'> }

export type ProblemSearch = ReturnType<typeof makeProblemSearch>

/** A search covers only the newest problems; on a larger server older ones are not searched. */
const mostLookedAt = 20_000
const mostTags = 100

export function makeProblemSearch({ store, switches, problems }: Needs) {
  const { db } = store

  async function readTags(ids: readonly number[]): Promise<Map<number, string[]>> {
    const tags = new Map<number, string[]>()
    if (ids.length === 0) return tags
    const rows = await db
      .selectFrom('problem_tag')
      .select(['problem_id', 'tag'])
      .where('problem_id', 'in', ids)
      .orderBy('tag')
      .execute()
    for (const { problem_id, tag } of rows) tags.set(problem_id, [...(tags.get(problem_id) ?? []), tag])
    return tags
  }

  /** Released problems and the actor's own, newest first. */
  const selectFound = (actor: Actor, { text, tag, isOwn }: ProblemFilter) => {
    const ownId = actor.account!.id
    const looked = db
      .selectFrom('problem')
      .select(['id as looked_id', 'display_name'])
      .$if(isOwn === true, (query) => query.where('author_id', '=', ownId))
      .$if(isOwn !== true, (query) => query.where((eb) => eb.or([eb('is_held', '=', 0), eb('author_id', '=', ownId)])))
      .$if(tag !== undefined, (query) =>
        query.where('id', 'in', (eb) => eb.selectFrom('problem_tag').select('problem_id').where('tag', '=', tag!)),
      )
      .orderBy('id', 'desc')
      .limit(mostLookedAt)
    const pattern = `%${(text ?? '').toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
    return db.selectFrom(looked.as('looked')).$if(Boolean(text), (query) =>
      query.where(sql<boolean>`(lower(display_name) like ${pattern} escape '\\' or exists (select 1 from problem_tag
          where problem_tag.problem_id = looked_id and problem_tag.tag like ${pattern} escape '\\'))`),
    )
  }

  return {
    async find(actor: Actor, filter: ProblemFilter, { offset, limit }: PageRequest): Promise<Page<FoundProblem>> {
      requireReader(actor)
      const found = selectFound(actor, filter)
      const { count } = await found.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      const rows = await db
        .selectFrom(found.select('looked_id').orderBy('looked_id', 'desc').offset(offset).limit(limit).as('page'))
        .innerJoin('problem', 'problem.id', 'looked_id')
        .innerJoin('account', 'account.id', 'problem.author_id')
        .select(problemSnippetColumns)
        .orderBy('problem.id', 'desc')
        .execute()
      const tags = await readTags(rows.map(({ id }) => id))
      const items = rows.map((row) => ({ ...toProblemSnippet(row), tags: tags.get(row.id) ?? [] }))
      return { total: Number(count), items }
    },

    /** The tags of released problems, most frequent first; or those of one problem. */
    async listTags(actor: Actor, uuid?: string): Promise<TagCount[]> {
      requireReader(actor)
      if (uuid !== undefined) {
        const { id } = await problems.find(actor, uuid)
        return ((await readTags([id])).get(id) ?? []).map((tag) => ({ tag, count: 1 }))
      }
      const rows = await db
        .selectFrom('problem_tag')
        .innerJoin('problem', 'problem.id', 'problem_tag.problem_id')
        .select((eb) => ['tag', eb.fn.countAll<number>().as('count')])
        .where('problem.is_held', '=', 0)
        .groupBy('tag')
        .orderBy(sql`count(*)`, 'desc')
        .orderBy('tag')
        .limit(mostTags)
        .execute()
      return rows.map(({ tag, count }) => ({ tag, count: Number(count) }))
    },

    /** In lower case, without duplicates. */
    async putTags(actor: Actor, uuid: string, wished: readonly string[]): Promise<string[]> {
      requireAct(actor, 'updateProblem')
      await switches.demandProblemUpdate()
      const problem = await problems.findOwn(actor, uuid)
      const tags = [...new Set(wished.map((tag) => tag.trim().toLowerCase()).filter(Boolean))].sort()
      await store.write((trx) => replaceTags(trx, problem.id, tags))
      return tags
    },
  }
}

async function replaceTags(trx: Db, problemId: number, tags: readonly string[]): Promise<void> {
  await trx.deleteFrom('problem_tag').where('problem_id', '=', problemId).execute()
  if (tags.length === 0) return
  await trx
    .insertInto('problem_tag')
    .values(tags.map((tag) => ({ problem_id: problemId, tag })))
    .execute()
}
