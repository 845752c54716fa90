/** Checks who may read, push to or administer the repository that a git client names. Git and Git LFS share it. */
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import { everyTokenKind, parsePermissions } from '../../forge/access/need.ts'
import type { Access, HeldLevel, Opening, PushAccess, RepositoryNeed } from '../../forge/access/opening.ts'
import type { OpenRepository } from '../../forge/access/repository.ts'
import { Failure } from '../../lib/failure.ts'
import type { Identify } from '../identity/identify.ts'

type Request = FastifyRequest<{ Params: { owner: string; repo: string } }>

const byAnyToken = { tokens: everyTokenKind, scopes: ['repo'], signIn: false } as const
const reading: RepositoryNeed = {
  ...byAnyToken,
  level: 'read',
  writes: false,
  permissions: parsePermissions('contents=read'),
}
const changing = <L extends HeldLevel>(level: L): RepositoryNeed<L> => ({
  ...byAnyToken,
  level,
  writes: true,
  permissions: parsePermissions('contents=write'),
})
const writing = changing('write')
const administering = changing('admin')

/** Whether the address is that of a repository's wiki: no repository can have such a name. */
export const isWiki = ({ params: { repo } }: Request): boolean => /\.wiki(?:\.git)?$/i.test(repo)

export type GitAccess = ReturnType<typeof makeGitAccess>

type Needs = {
  opening: Opening
  identify: Identify
  /** Whether wikis are served, beside repositories. */
  servesWikis?: boolean
}

/** Under its former name, too: clients would not follow a redirect of a push. */
export function makeGitAccess({ opening, identify, servesWikis = false }: Needs) {
  function addressOf({ params: { owner, repo } }: Request) {
    const name = repo.replace(/\.git$/i, '')
    return { owner, name: servesWikis ? name.replace(/\.wiki$/i, '') : name }
  }

  /** Whether there is such a repository is for those who may know: others are asked who they are. */
  async function asked<T>(actor: Actor, opened: Promise<T>): Promise<T> {
    try {
      return await opened
    } catch (error) {
      const isHidden = error instanceof Failure && error.kind === 'not-found' && !actor.account
      throw isHidden ? signInNeeded() : error
    }
  }

  async function change<L extends HeldLevel>(request: Request, need: RepositoryNeed<L>): Promise<Access<L>> {
    const actor = await identify(request)
    return asked(actor, opening.enterAnywhere(actor, addressOf(request), need))
  }

  return {
    async open(request: Request): Promise<{ actor: Actor; repository: OpenRepository }> {
      const actor = await identify(request)
      const repository = await asked(actor, opening.openAnywhere(actor, addressOf(request), reading))
      return { actor, repository }
    },

    enter: (request: Request): Promise<Access<'write'>> => change(request, writing),

    /** To move branches, or those alone that a pull's author lets one move; those are not the wiki's. */
    async push(request: Request): Promise<PushAccess> {
      if (servesWikis && isWiki(request)) return change(request, writing)
      const actor = await identify(request)
      return asked(actor, opening.enterAnywhereToPush(actor, addressOf(request), writing))
    },

    administer: (request: Request): Promise<Access<'admin'>> => change(request, administering),
  }
}

const signInNeeded = () => new Failure('unauthenticated', 'sign-in-needed', 'Sign in with your login and a token.')
