/** The forge as the judge uses it: for files that a push submits, and for templates of sheets. */
import { type Actor, theServer } from './accounts/actor.ts'
import { contentsWrite } from './forge/access/opening.ts'
import { fullName, type OpenRepository } from './forge/access/repository.ts'
import { statusLock } from './forge/commits/statuses.ts'
import { parseFullName } from './forge/exercises/template-copies.ts'
import type { Forge } from './forge/forge.ts'
import type { CodeHost, HostedRepository } from './judge/problem-links/code-host.ts'
import { Failure } from './lib/failure.ts'

/** The forge is made after the judge, so it is looked up on each call. */
export const makeCodeHost = (findForge: () => Forge): CodeHost => ({
  async openToWrite(actor, name) {
    const entered = findForge().opening.enter(actor, parseFullName(name), contentsWrite)
    return present((await entered.catch(refuseUnknown(name))).repository)
  },

  openToRead: async (actor, name) =>
    present(await findForge().templateCopies.openTemplate(actor, name).catch(refuseUnknown(name))),

  readMany: async (actor, ids) => (await findForge().templateCopies.openMany(actor, ids)).map(present),

  async nameMany(ids) {
    const names = new Map<number, string>()
    for (const id of ids) {
      const found = await findForge().opening.find(theServer, { id })
      if (found) names.set(id, fullName(found))
    }
    return names
  },

  readMovedFile: (move) => findForge().movedFiles.read(move),
  statusLock,

  putStatus: (trx, { repositoryId, sha, creatorId, context, state, description, address }) =>
    findForge().statuses.putWithin(
      trx,
      { repositoryId, sha, creatorId },
      { state, context, description, targetUrl: address },
    ),

  async demandTemplate(actor, template) {
    const { repository, organisation } = template
    const what = `${repository}, or no organisation ${organisation}`
    await findForge().templateCopies.demand(actor, template).catch(refuseUnknown(what))
  },

  async findTemplate(actor, { repository }) {
    const found = await openTemplate(findForge(), actor, repository)
    return found && present(found)
  },

  async readTemplateFile(actor, { repository }, path, mostBytes) {
    const found = await openTemplate(findForge(), actor, repository)
    return found && findForge().movedFiles.readNow(found, path, mostBytes)
  },

  copyTemplate: async (actor, wish) => present(await findForge().templateCopies.copy(actor, wish)),
})

const present = (repository: OpenRepository): HostedRepository => ({
  id: repository.id,
  fullName: fullName(repository),
})

/** Replaces the forge's message, which is worded for its own interface. */
const refuseUnknown =
  (what: string) =>
  (error: unknown): never => {
    if (!(error instanceof Failure) || error.kind !== 'not-found') throw error
    throw new Failure('not-found', 'repository-unknown', `There is no repository ${what}, or you may not see it.`)
  }

/** Undefined if the actor may no longer read it. */
const openTemplate = (forge: Forge, actor: Actor, name: string): Promise<OpenRepository | undefined> =>
  forge.templateCopies.openTemplate(actor, name).catch((error) => {
    if (error instanceof Failure && error.kind !== 'unavailable') return undefined
    throw error
  })
