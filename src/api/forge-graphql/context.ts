/**
 * The context that the fields of one query share: the actor, access to repositories, and loaders that read in batches.
 */

import type { SignedIn } from '../../accounts/actor.ts'
import type { RepositoryAddress, RepositoryNeed } from '../../forge/access/opening.ts'
import type { OpenRepository } from '../../forge/access/repository.ts'
import { everyTokenKind, parsePermissions } from '../../forge/access/required-grant.ts'
import { notFound } from '../../forge/failures.ts'
import type { Comment } from '../../forge/issues/comments/comment.ts'
import type { Person, Profile } from '../../forge/person.ts'
import type { Pull } from '../../forge/pulls/pull.ts'
import type { Review } from '../../forge/pulls/reviews/review.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { PageRequest } from '../../lib/page.ts'
import { type Loader, makeLoader } from './loader.ts'
import type { GraphServices } from './services.ts'

type Needs = {
  readonly services: GraphServices
  readonly actor: SignedIn
  readonly origin: string
  readonly clock: Clock
}

/** The token permissions of fields, the same as those of the REST routes. */
const permissions = {
  metadata: 'metadata=read',
  issues: 'issues=read',
  pulls: 'pull_requests=read',
  either: 'issues=read; pull_requests=read',
  contents: 'contents=read',
  checks: 'checks=read',
  statuses: 'statuses=read',
  administration: 'administration=read',
} as const

export type Permission = keyof typeof permissions

const needs = Object.fromEntries(
  Object.entries(permissions).map(([name, text]): [string, RepositoryNeed<'read'>] => [
    name,
    {
      ...{ level: 'read', signIn: false, writes: false, tokens: everyTokenKind, scopes: ['repo'] },
      permissions: parsePermissions(text),
    },
  ]),
) as Record<Permission, RepositoryNeed<'read'>>

export type GraphContext = ReturnType<typeof makeContext>

export function makeContext({ services, actor, origin, clock }: Needs) {
  const pullLoaders = new Map<number, Loader<number, Pull>>()
  const latestReleases = new Map<number, Promise<number | undefined>>()
  const commentLoaders = new Map<string, Loader<number, Comment[]>>()

  return {
    services,
    actor,
    origin,
    clock,

    /** Also finds it by a former name. */
    open: async (address: RepositoryAddress, permission: Permission = 'metadata'): Promise<OpenRepository> =>
      services.opening.openAnywhere(actor, address, needs[permission]),

    /** Not by a former name. */
    openNamed: async (address: RepositoryAddress): Promise<OpenRepository> =>
      services.opening.open(actor, address, needs.metadata),

    /** Checks access again for one kind of content: a token may read one kind and not another. */
    async demand(repository: OpenRepository, permission: Permission): Promise<OpenRepository> {
      return services.opening.open(actor, { id: repository.id }, needs[permission])
    },

    /** For what belongs to the caller about a repository, such as a star. */
    look: async (repository: OpenRepository) => services.opening.look(actor, { id: repository.id }, needs.metadata),

    profile: makeLoader<number, Profile>((ids) => services.people.getMany(ids), fail),

    /** The account that owns a commit's email address. */
    committer: makeLoader<string, Person | undefined>(
      async (emails) => {
        const known = await services.people.findByEmails(emails)
        return new Map(emails.map((email) => [email, known.get(email.toLowerCase())]))
      },
      () => undefined,
    ),

    reviews: makeLoader<number, Review[]>(
      (ids) => services.reviewReading.listReviewsOfMany(actor, ids),
      () => [],
    ),

    pull(repository: OpenRepository, issueId: number): Promise<Pull> {
      const load =
        pullLoaders.get(repository.id) ??
        makeLoader<number, Pull>(async (ids) => {
          const found = await services.pulls.readByIds(actor, repository, ids)
          return new Map(found.map((pull) => [pull.issue.id, pull]))
        }, fail)
      pullLoaders.set(repository.id, load)
      return load(issueId)
    },

    latestRelease(repository: OpenRepository): Promise<number | undefined> {
      const known = latestReleases.get(repository.id)
      const found =
        known ??
        services.releases.getLatest(repository).then(
          ({ id }) => id,
          () => undefined,
        )
      latestReleases.set(repository.id, found)
      return found
    },

    /** Reads the same page of comments for every issue that asks for it. */
    comments(issueId: number, page: PageRequest, isFromEnd: boolean): Promise<Comment[]> {
      const key = `${page.offset} ${page.limit} ${isFromEnd}`
      const load =
        commentLoaders.get(key) ??
        makeLoader<number, Comment[]>(
          (ids) => services.comments.listOfMany(ids, page, isFromEnd),
          () => [],
        )
      commentLoaders.set(key, load)
      return load(issueId)
    },
  }
}

function fail(): never {
  throw notFound()
}

export const unresolved = (message: string): Failure => new Failure('not-found', 'unresolved', message)

/** Replaces "Not Found" by the message that clients look for. */
export async function orUnresolved<T>(found: Promise<T>, message: string): Promise<T> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found') throw unresolved(message)
    throw error
  }
}

/** For fields that are null where nothing is found, without an error. */
export const orNull = <T>(found: Promise<T>): Promise<T | null> =>
  found.catch((error) => {
    if (error instanceof Failure && error.kind === 'not-found') return null
    throw error
  })
