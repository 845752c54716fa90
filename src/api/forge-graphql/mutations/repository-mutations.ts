/** Repository mutations: create, change, archive; stars, watching and topics. */
import { parsePermissions, personalTokenKinds } from '../../../forge/access/required-grant.ts'
import { SelfAccess } from '../../../forge/access/self-access.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { RepositoryChange } from '../../../forge/repositories/repositories.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { orUnresolved } from '../context.ts'
import { type Acting, type Maybe, type Mutations, mutation } from './mutation.ts'
import { changed, enterRepository, findPlace, ownAbout, readId, unknownNode } from './subjects.ts'

const administers = changed('admin', 'administration=write', { evenArchived: true })
const creates = {
  tokens: personalTokenKinds,
  scopes: ['public_repo', 'repo'],
  permissions: parsePermissions('administration=write'),
} as const

type Visibility = 'PUBLIC' | 'PRIVATE' | 'INTERNAL'
type CreateRepository = {
  name: string
  visibility: Visibility
  ownerId?: Maybe<string>
  teamId?: Maybe<string>
  description?: Maybe<string>
  homepageUrl?: Maybe<string>
  hasIssuesEnabled?: Maybe<boolean>
  hasWikiEnabled?: Maybe<boolean>
  template?: Maybe<boolean>
}
type CloneTemplateRepository = {
  name: string
  visibility: Visibility
  ownerId: string
  repositoryId: string
  description?: Maybe<string>
  includeAllBranches?: Maybe<boolean>
}
type UpdateRepository = {
  repositoryId: string
  name?: Maybe<string>
  description?: Maybe<string>
  homepageUrl?: Maybe<string>
  hasIssuesEnabled?: Maybe<boolean>
  hasProjectsEnabled?: Maybe<boolean>
  hasWikiEnabled?: Maybe<boolean>
  hasDiscussionsEnabled?: Maybe<boolean>
  template?: Maybe<boolean>
}

const archive = (isArchived: boolean) =>
  mutation<{ repositoryId: string }>({
    input: 'repositoryId: ID!',
    payload: 'repository: Repository',
    async act(graph, { repositoryId }) {
      const access = await enterRepository(graph, repositoryId, administers)
      // No change is needed; over REST that is no error either.
      if (access.repository.isArchived === isArchived) return { repository: graph.make.repository(access.repository) }
      return { repository: graph.make.repository(await graph.acts.repositories.update(access, { isArchived })) }
    },
  })

const star = (act: 'add' | 'remove') =>
  mutation<{ starrableId: string }>({
    input: 'starrableId: ID!',
    payload: 'starrable: Starrable',
    async act(graph, { starrableId }) {
      const look = await lookAt(graph, starrableId, ownAbout('starring=write', ['public_repo', 'repo']))
      await graph.acts.stars[act](look)
      return { starrable: async () => graph.make.repository(await graph.open({ id: look.repository.id })) }
    },
  })

export const repositoryMutations: Mutations = {
  createRepository: mutation<CreateRepository>({
    input:
      'description: String hasIssuesEnabled: Boolean = true hasWikiEnabled: Boolean = false homepageUrl: URI name: String! ownerId: ID teamId: ID template: Boolean = false visibility: RepositoryVisibility!',
    payload: 'repository: Repository',
    createsContent: true,
    lengths: { name: 100 },
    async act(graph, input) {
      const teamId = input.teamId ? readId(input.teamId, ['Team']) : undefined
      const draft = {
        name: input.name,
        isPrivate: isPrivate(input.visibility),
        options: omitUndefined({
          hasIssues: input.hasIssuesEnabled ?? undefined,
          hasWiki: input.hasWikiEnabled ?? undefined,
          isTemplate: input.template ?? undefined,
        }),
        ...omitUndefined({ description: input.description, homepage: readAddress(input.homepageUrl) }),
      }
      if (draft.name === '') throw invalidField('name', 'missing_field', 'A repository needs a name.')
      const organisation = await findOrganisation(graph, input.ownerId)
      const { repositories } = graph.acts
      if (!organisation) {
        if (teamId) throw invalidField('teamId', 'invalid', 'teamId is for a repository of an organization.')
        return {
          repository: graph.make.repository(
            await repositories.createOwn(SelfAccess.demand(graph.actor, creates), draft),
          ),
        }
      }
      const access = await graph.acts.organisationDoor.open(graph.actor, organisation, 'member', creates)
      return { repository: graph.make.repository(await repositories.createFor(access, draft, teamId)) }
    },
  }),

  cloneTemplateRepository: mutation<CloneTemplateRepository>({
    input:
      'description: String includeAllBranches: Boolean = false name: String! ownerId: ID! repositoryId: ID! visibility: RepositoryVisibility!',
    payload: 'repository: Repository',
    createsContent: true,
    lengths: { name: 100 },
    async act(graph, input) {
      const access = await lookAt(graph, input.repositoryId, ownAbout('administration=write', ['public_repo', 'repo']))
      const organisation = await findOrganisation(graph, input.ownerId)
      const { organisationDoor, generating } = graph.acts
      const owner =
        organisation === undefined
          ? undefined
          : await organisationDoor.open(graph.actor, organisation, 'member', creates)
      const made = await generating.generate(access, owner, {
        name: input.name,
        description: input.description ?? null,
        isPrivate: isPrivate(input.visibility),
        withAllBranches: input.includeAllBranches ?? false,
      })
      return { repository: graph.make.repository(made) }
    },
  }),

  updateRepository: mutation<UpdateRepository>({
    input:
      'description: String hasDiscussionsEnabled: Boolean hasIssuesEnabled: Boolean hasProjectsEnabled: Boolean hasWikiEnabled: Boolean homepageUrl: URI name: String repositoryId: ID! template: Boolean',
    payload: 'repository: Repository',
    lengths: { name: 100 },
    async act(graph, input) {
      const access = await enterRepository(graph, input.repositoryId, administers)
      const options = omitUndefined({
        hasIssues: input.hasIssuesEnabled ?? undefined,
        hasProjects: input.hasProjectsEnabled ?? undefined,
        hasWiki: input.hasWikiEnabled ?? undefined,
        hasDiscussions: input.hasDiscussionsEnabled ?? undefined,
        isTemplate: input.template ?? undefined,
      })
      const change: RepositoryChange = {
        ...(Object.keys(options).length > 0 && { options }),
        ...omitUndefined({
          name: input.name ?? undefined,
          description: input.description,
          homepage: readAddress(input.homepageUrl),
        }),
      }
      return { repository: graph.make.repository(await graph.acts.repositories.update(access, change)) }
    },
  }),

  archiveRepository: archive(true),
  unarchiveRepository: archive(false),

  updateTopics: mutation<{ repositoryId: string; topicNames: readonly string[] }>({
    input: 'repositoryId: ID! topicNames: [String!]!',
    payload: 'invalidTopicNames: [String!] repository: Repository',
    async act(graph, { repositoryId, topicNames }) {
      const access = await enterRepository(graph, repositoryId, changed('admin', 'administration=write'))
      await graph.acts.repositories.replaceTopics(access, topicNames)
      return {
        invalidTopicNames: [],
        repository: async () => graph.make.repository(await graph.open({ id: access.repository.id })),
      }
    },
  }),

  addStar: star('add'),
  removeStar: star('remove'),

  updateSubscription: mutation<{ subscribableId: string; state: 'IGNORED' | 'SUBSCRIBED' | 'UNSUBSCRIBED' }>({
    input: 'state: SubscriptionState! subscribableId: ID!',
    payload: 'subscribable: Subscribable',
    async act(graph, { subscribableId, state }) {
      const look = await lookAt(graph, subscribableId, ownAbout('watching=write', ['public_repo', 'notifications']))
      const { notifications, watching } = graph.acts
      await notifications.inbox.waitUntilCurrent(look)
      if (state === 'UNSUBSCRIBED') await watching.remove(look)
      else await watching.set(look, state === 'IGNORED')
      return { subscribable: async () => graph.make.repository(await graph.open({ id: look.repository.id })) }
    },
  }),
}

async function lookAt(graph: Acting, id: string, need: ReturnType<typeof ownAbout>) {
  const place = await findPlace(graph, id, ['Repository'])
  const seen = graph.services.opening.look(graph.actor, { id: place.repositoryId }, need)
  return orUnresolved(seen, unknownNode(id).message)
}

function isPrivate(visibility: Visibility): boolean {
  if (visibility === 'INTERNAL') throw invalidField('visibility', 'invalid', 'visibility is PUBLIC or PRIVATE here.')
  return visibility === 'PRIVATE'
}

/** A variable of this scalar may be any JSON value. */
function readAddress(given: unknown): string | null | undefined {
  if (given === undefined || given === null || typeof given === 'string') return given
  throw invalidField('homepageUrl', 'invalid', 'homepageUrl must be an address.')
}

/** Without an owner, or with the caller's own id, the repository is the caller's. */
async function findOrganisation(graph: Acting, ownerId: Maybe<string>): Promise<string | undefined> {
  if (!ownerId) return undefined
  const id = readId(ownerId, ['User', 'Organization'])
  if (id === graph.actor.account.id) return undefined
  const owner = await orUnresolved(graph.services.people.getById(id), unknownNode(ownerId).message)
  if (owner.kind === 'organisation') return owner.login
  throw invalidField('ownerId', 'invalid', 'A repository can be created for yourself or for an organization.')
}
