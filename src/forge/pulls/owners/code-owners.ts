/** Code owners: whom a repository's CODEOWNERS file names for the files of a pull, as far as they may write. */
import { setImmediate as turnLoop } from 'node:timers/promises'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { rankOf } from '../../access/level.ts'
import { listHolders, type Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { Contents } from '../../git/read/contents.ts'
import type { GitReading } from '../../git/read/git-reading.ts'
import { isObjectId } from '../../git/ref-name.ts'
import type { People } from '../../people/people.ts'
import { listTeamsAmong } from '../../people/team.ts'
import type { Pull } from '../pull.ts'
import type { PullFigures } from '../pull-figures.ts'
import { findRule, type OwnerFault, type OwnerFile, parseOwners } from './owner-rules.ts'

export type CodeOwner = { readonly userId: number } | { readonly teamId: number }
type Owners = ReadonlyMap<string, CodeOwner>

const places = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS']
/** A longer file has no say. */
const maxBytes = 256 * 1024
/** Paths are looked up for so long at a time. */
const sliceMs = 10

type Needs = { store: Store; reading: GitReading; contents: Contents; people: People; figures: PullFigures }

export type CodeOwners = ReturnType<typeof makeCodeOwners>

export function makeCodeOwners({ store: { db }, reading, contents, people, figures }: Needs) {
  async function readFile(repository: Repository, sha: string) {
    for (const path of places) {
      const found = await contents.find(repository, sha, path).catch(unlessMissing)
      if (found?.kind !== 'file') continue
      if (found.size > maxBytes) return undefined
      return { path, ...parseOwners((await reading.blob(repository, found.sha)).toString()) }
    }
    return undefined
  }

  async function findUsers(repository: Repository, names: readonly string[]): Promise<Map<string, number>> {
    const logins = names.filter((name) => /^@[^/]+$/.test(name)).map((name) => name.slice(1).toLowerCase())
    const emails = names.filter((name) => !name.startsWith('@'))
    const rows = logins.length
      ? await db.selectFrom('account').select(['id', 'name_key']).where('name_key', 'in', logins).execute()
      : []
    const byEmail = await people.findByEmails(emails)
    const found = new Map(rows.map(({ id, name_key }) => [`@${name_key}`, id]))
    for (const email of emails) {
      const person = byEmail.get(email.toLowerCase())
      if (person) found.set(email.toLowerCase(), person.id)
    }
    const writers = await listHolders(db, repository.id, 'write', [...new Set(found.values())])
    return new Map([...found].filter(([, id]) => writers.has(id)))
  }

  /** Of the organisation that owns the repository, those that may write to it. */
  async function findTeams({ id, owner }: Repository, names: readonly string[]): Promise<Map<string, number>> {
    const prefix = `@${owner.login.toLowerCase()}/`
    const slugs = names.flatMap((name) => (name.toLowerCase().startsWith(prefix) ? [name.slice(prefix.length)] : []))
    if (slugs.length === 0) return new Map()
    const rows = await db
      .selectFrom('team')
      .innerJoin('team_ancestor', 'team_ancestor.team_id', 'team.id')
      .innerJoin('team_repository', 'team_repository.team_id', 'team_ancestor.ancestor_id')
      .select(['team.id', 'team.slug'])
      .where('team.organisation_id', '=', owner.id)
      .where('team.privacy', '=', 'closed')
      .where('team_repository.repository_id', '=', id)
      .where('team_repository.rank', '>=', rankOf('write'))
      .where(
        'team.slug',
        'in',
        slugs.map((slug) => slug.toLowerCase()),
      )
      .execute()
    return new Map(rows.map((row) => [prefix + row.slug, row.id]))
  }

  async function resolve(repository: Repository, names: readonly string[]): Promise<Owners> {
    const unique = [...new Set(names)]
    const users = await findUsers(repository, unique)
    const teams = await findTeams(repository, unique)
    return new Map(
      unique.flatMap((name): [string, CodeOwner][] => {
        const userId = users.get(name.toLowerCase())
        const teamId = teams.get(name.toLowerCase())
        if (userId !== undefined) return [[name, { userId }]]
        return teamId === undefined ? [] : [[name, { teamId }]]
      }),
    )
  }

  /** Of each file of the pull that somebody owns, the owners; each set once. */
  async function listSets(pull: Pull): Promise<readonly (readonly CodeOwner[])[]> {
    const { repository } = pull.base
    const file = await readFile(repository, pull.base.sha)
    if (!file) return []
    const named = await findNamed(file, pull)
    const owners = await resolve(repository, named.flat())
    return named.map((names) => names.flatMap((name) => owners.get(name) ?? [])).filter((found) => found.length > 0)
  }

  async function findNamed({ rules }: OwnerFile, pull: Pull): Promise<readonly (readonly string[])[]> {
    const found = new Set<readonly string[]>()
    let end = performance.now() + sliceMs
    for (const { path } of await figures.files(pull)) {
      found.add(findRule(rules, path)?.owners ?? [])
      if (performance.now() < end) continue
      await turnLoop()
      end = performance.now() + sliceMs
    }
    return [...found]
  }

  return {
    /** Everyone who owns a file of the pull, in the order of the files. */
    async list(pull: Pull): Promise<readonly CodeOwner[]> {
      const keys = new Map((await listSets(pull)).flat().map((owner) => [JSON.stringify(owner), owner]))
      return [...keys.values()]
    },

    /** Whether each file that somebody owns was approved by one of its owners. */
    async areContent(pull: Pull, approverIds: readonly number[], on: Db = db): Promise<boolean> {
      const sets = await listSets(pull)
      const teamIds = [...new Set(sets.flat().flatMap((owner) => ('teamId' in owner ? [owner.teamId] : [])))]
      const heard = new Set(approverIds.map((id) => `user:${id}`))
      for (const id of approverIds)
        for (const teamId of await listTeamsAmong(on, id, teamIds)) heard.add(`team:${teamId}`)
      const isHeard = (owner: CodeOwner) =>
        heard.has('userId' in owner ? `user:${owner.userId}` : `team:${owner.teamId}`)
      return sets.every((owners) => owners.some(isHeard))
    },

    /** What is wrong with the file of a commit; not found where it has none. */
    async listFaults(repository: Repository, ref: string): Promise<{ path: string; faults: readonly OwnerFault[] }> {
      const sha = isObjectId(ref) ? ref : await reading.resolve(repository, ref)
      const file = sha === undefined ? undefined : await readFile(repository, sha)
      if (!file) throw notFound()
      const names = file.rules.flatMap(({ owners }) => owners)
      const known = await resolve(repository, names)
      const unknown = file.rules.flatMap(({ line, owners }) =>
        owners
          .filter((owner) => !known.has(owner))
          .map(
            (owner): OwnerFault => ({
              line,
              column: 1,
              kind: 'Unknown owner',
              source: owner,
              suggestion: `Make sure that ${owner} exists and has write access to the repository.`,
            }),
          ),
      )
      const faults = [...file.faults, ...unknown].sort((a, b) => a.line - b.line)
      return { path: file.path, faults }
    },
  }
}

function unlessMissing(error: unknown): undefined {
  if ((error as { kind?: string }).kind !== 'not-found') throw error
}
