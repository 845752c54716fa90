/**
 * Checks who may read, push to or administer the repository that a git client requests. Git over HTTP, Git over SSH and
 * Git LFS share it.
 */
import type { Actor } from '../../accounts/actor.ts'
import type { TokenKind } from '../../accounts/tokens/token-text.ts'
import type { Access, HeldLevel, Opening, PushAccess, RepositoryNeed } from '../../forge/access/opening.ts'
import type { OpenRepository } from '../../forge/access/repository.ts'
import { everyCredentialKind, parsePermissions } from '../../forge/access/required-grant.ts'
import { Failure } from '../../lib/failure.ts'
import { networkOf } from '../../lib/network.ts'

/** A request of any transport: it has an address, and its caller is identified anew each time. */
type Addressed = { readonly params: { readonly owner: string; readonly repo: string } }

const byAnyToken = { scopes: ['repo'], signIn: false } as const

function makeNeeds(tokens: readonly TokenKind[]) {
  const reading: RepositoryNeed = {
    ...{ ...byAnyToken, tokens, level: 'read', writes: false },
    permissions: parsePermissions('contents=read'),
  }
  const changing = <L extends HeldLevel>(level: L): RepositoryNeed<L> => ({
    ...{ ...byAnyToken, tokens, level, writes: true },
    permissions: parsePermissions('contents=write'),
  })
  return { reading, writing: changing('write'), administering: changing('admin') }
}

/** Whether the address is that of a repository's wiki: no repository can have such a name. */
export const isWiki = ({ params: { repo } }: Addressed): boolean => /\.wiki(?:\.git)?$/i.test(repo)

export type GitAccess<R extends Addressed> = ReturnType<typeof makeGitAccess<R>>

type Needs<R extends Addressed> = {
  opening: Opening
  identify: (request: R) => Promise<Actor>
  /** Token kinds accepted besides those of git. */
  alsoTokens?: readonly TokenKind[]
  /** Whether wikis are served besides repositories. */
  servesWikis?: boolean
}

/** Also finds a repository by its former name, because clients do not follow the redirect of a push. */
export function makeGitAccess<R extends Addressed>({
  opening,
  identify,
  alsoTokens = [],
  servesWikis = false,
}: Needs<R>) {
  const { reading, writing, administering } = makeNeeds([...everyCredentialKind, ...alsoTokens])

  function addressOf({ params: { owner, repo } }: R) {
    const name = repo.replace(/\.git$/i, '')
    return { owner, name: servesWikis ? name.replace(/\.wiki$/i, '') : name }
  }

  /** Hides whether the repository exists from callers who may not know: anonymous ones are asked to sign in. */
  async function asked<T>(actor: Actor, opened: Promise<T>): Promise<T> {
    try {
      return await opened
    } catch (error) {
      const isHidden = error instanceof Failure && error.kind === 'not-found' && !actor.account
      throw isHidden ? signInNeeded() : error
    }
  }

  async function change<L extends HeldLevel>(request: R, need: RepositoryNeed<L>): Promise<Access<L>> {
    const actor = await identify(request)
    return asked(actor, opening.enterAnywhere(actor, addressOf(request), need))
  }

  return {
    async open(request: R): Promise<{ actor: Actor; repository: OpenRepository }> {
      const actor = await identify(request)
      const repository = await asked(actor, opening.openAnywhere(actor, addressOf(request), reading))
      return { actor, repository }
    },

    enter: (request: R): Promise<Access<'write'>> => change(request, writing),

    /**
     * Access to move branches, or only those that a pull's author lets the caller move; wikis have none of the latter.
     */
    async push(request: R): Promise<PushAccess> {
      if (servesWikis && isWiki(request)) return change(request, writing)
      const actor = await identify(request)
      return asked(actor, opening.enterAnywhereToPush(actor, addressOf(request), writing))
    },

    administer: (request: R): Promise<Access<'admin'>> => change(request, administering),
  }
}

const signInNeeded = () => new Failure('unauthenticated', 'sign-in-needed', 'Sign in with your login and a token.')

/** The same account as for REST, so that both share a caller's queue for git. */
export const gitAccountOf = ({ account, address }: Actor) => ({
  caller: account ? `user:${account.id}` : `ip:${networkOf(address)}`,
})
