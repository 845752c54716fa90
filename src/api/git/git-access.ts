/** Checks who may read, push to or administer the repository that a git client names. Git over HTTP, Git over SSH and Git LFS share it. */
import type { Actor } from '../../accounts/actor.ts'
import type { TokenKind } from '../../accounts/tokens/token-text.ts'
import { everyCredentialKind, parsePermissions } from '../../forge/access/need.ts'
import type { Access, HeldLevel, Opening, PushAccess, RepositoryNeed } from '../../forge/access/opening.ts'
import type { OpenRepository } from '../../forge/access/repository.ts'
import { Failure } from '../../lib/failure.ts'
import { networkOf } from '../../lib/network.ts'

/** Whatever it came by: its address is known, and who asks is found anew each time. */
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
  /** Kinds of tokens beside those that git itself takes. */
  alsoTokens?: readonly TokenKind[]
  /** Whether wikis are served, beside repositories. */
  servesWikis?: boolean
}

/** Under its former name, too: clients would not follow a redirect of a push. */
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

  /** Whether there is such a repository is for those who may know: others are asked who they are. */
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

    /** To move branches, or those alone that a pull's author lets one move; those are not the wiki's. */
    async push(request: R): Promise<PushAccess> {
      if (servesWikis && isWiki(request)) return change(request, writing)
      const actor = await identify(request)
      return asked(actor, opening.enterAnywhereToPush(actor, addressOf(request), writing))
    },

    administer: (request: R): Promise<Access<'admin'>> => change(request, administering),
  }
}

const signInNeeded = () => new Failure('unauthenticated', 'sign-in-needed', 'Sign in with your login and a token.')

/** The same as that of REST: who has much going on there waits in the same line. */
export const gitAccountOf = ({ account, address }: Actor) => ({
  caller: account ? `user:${account.id}` : `ip:${networkOf(address)}`,
})
