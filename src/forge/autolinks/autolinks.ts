/** Autolinks of a repository: prefixes in texts that lead to another system. */
import type { Selectable } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { makeMemo } from '../../store/memo.ts'
import type { AutolinkTable } from '../../store/schema/deployment-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import { invalidField, notFound } from '../failures.ts'
import type { AutolinkRule } from '../markup/autolinks.ts'
import { readPage } from '../row-pages.ts'

export type Autolink = AutolinkRule & { readonly id: number; readonly updatedAt: Date }

const maxAutolinks = 100

export type Autolinks = ReturnType<typeof makeAutolinks>

export function makeAutolinks({ store, clock }: { store: Store; clock: Clock }) {
  const { db } = store
  const select = (on: Db, { id }: Pick<Repository, 'id'>) =>
    on.selectFrom('autolink').selectAll().where('repository_id', '=', id).orderBy('id')

  const remember = makeMemo<readonly AutolinkRule[]>(store, ['autolink', 'repository', 'account'], 1_000)

  return {
    list: (repository: Repository, page: PageRequest): Promise<Page<Autolink>> =>
      readPage(select(db, repository), page, toAutolink),

    async get(repository: Repository, id: number): Promise<Autolink> {
      const row = await select(db, repository).where('id', '=', id).executeTakeFirst()
      if (!row) throw notFound()
      return toAutolink(row)
    },

    /** For texts of a repository, `owner/name`, that whoever asks has read. */
    rulesOf: (fullName: string): Promise<readonly AutolinkRule[] | undefined> =>
      remember(fullName.toLowerCase(), async () => {
        const [owner = '', name = ''] = fullName.toLowerCase().split('/')
        const rows = await db
          .selectFrom('autolink')
          .innerJoin('repository', 'repository.id', 'autolink.repository_id')
          .innerJoin('account', 'account.id', 'repository.owner_id')
          .select(['prefix', 'template', 'is_alphanumeric'])
          .where('account.name_key', '=', owner)
          .where('repository.name_key', '=', name)
          .orderBy('autolink.id')
          .execute()
        return rows.map(({ prefix, template, is_alphanumeric }) => ({
          prefix,
          template,
          isAlphanumeric: is_alphanumeric === 1,
        }))
      }),

    create: ({ repository }: Access<'admin'>, rule: AutolinkRule): Promise<Autolink> => {
      demandRule(rule)
      return store.write(
        async (trx) => {
          const known = await select(trx, repository).execute()
          if (known.length >= maxAutolinks)
            throw new Failure('invalid', 'too-many-autolinks', `A repository has ${maxAutolinks} autolinks at most.`)
          const [mine, others] = [rule.prefix.toLowerCase(), known.map(({ prefix }) => prefix.toLowerCase())]
          // Which of two is meant would depend on what follows.
          if (others.some((other) => other.startsWith(mine) || mine.startsWith(other)))
            throw invalidField('key_prefix', 'already_exists', 'Another autolink begins alike.')
          const row = await trx
            .insertInto('autolink')
            .values({
              ...{ repository_id: repository.id, prefix: rule.prefix, template: rule.template },
              ...{ is_alphanumeric: rule.isAlphanumeric ? 1 : 0, created_at: clock.now() },
            })
            .returningAll()
            .executeTakeFirstOrThrow()
          return toAutolink(row)
        },
        { locks: [`autolinks:${repository.id}`] },
      )
    },

    async remove({ repository }: Access<'admin'>, id: number): Promise<void> {
      await store.write(async (trx) => {
        const gone = trx.deleteFrom('autolink').where('repository_id', '=', repository.id).where('id', '=', id)
        if (!(await gone.returning('id').executeTakeFirst())) throw notFound()
      })
    },
  }
}

function demandRule({ prefix, template }: AutolinkRule): void {
  if (!/^[A-Za-z0-9.\-_+=:/#]{1,32}$/.test(prefix))
    throw invalidField('key_prefix', 'invalid', 'A prefix has 1 to 32 letters, digits and . - _ + = : / #.')
  const isAddress = /^https?:\/\/[^\s<>"'/]+/.test(template) && template.includes('<num>')
  if (!isAddress || /[\s"']/.test(template))
    throw invalidField('url_template', 'invalid', 'An address begins with http:// or https:// and has <num> in it.')
}

const toAutolink = (row: Selectable<AutolinkTable>): Autolink => ({
  ...{ id: row.id, prefix: row.prefix, template: row.template, isAlphanumeric: row.is_alphanumeric === 1 },
  updatedAt: new Date(row.created_at),
})
