/** A user's own credentials: sessions and personal tokens, listed, made and ended by the user. */
import type { Clock } from '../lib/clock.ts'
import { demand } from '../lib/failure.ts'
import type { Page, PageRequest } from '../lib/page.ts'
import { type Actor, requireSignIn, type SignedIn } from './actor.ts'
import type { SessionEntry, Sessions } from './sign-in/sessions.ts'
import type { Token } from './tokens/token.ts'
import type { TokenDraft, Tokens } from './tokens.ts'

export type PersonalTokenDraft = TokenDraft & { readonly kind: 'classic' | 'fine-grained' }

export type OwnCredentials = ReturnType<typeof makeOwnCredentials>

export function makeOwnCredentials({ sessions, tokens, clock }: { sessions: Sessions; tokens: Tokens; clock: Clock }) {
  return {
    async listSessions(actor: Actor, page: PageRequest): Promise<Page<SessionEntry>> {
      requireSession(actor)
      return sessions.list(actor.account, page)
    },

    async endSession(actor: Actor, id: string): Promise<void> {
      requireSession(actor)
      await sessions.endById(actor.account, id)
    },

    async listTokens(actor: Actor, page: PageRequest): Promise<Page<Token>> {
      requireSession(actor)
      return tokens.listPersonal(actor.account, page)
    },

    async makeToken(actor: Actor, draft: PersonalTokenDraft): Promise<{ token: Token; text: string }> {
      requireSession(actor)
      const isToCome = draft.expiresAt === undefined || draft.expiresAt.getTime() > clock.now()
      demand(isToCome, 'invalid', 'expiry', 'The token would have expired already: choose a time in the future.')
      return tokens.make(actor.account, draft, undefined, actor)
    },

    async revokeToken(actor: Actor, id: number): Promise<void> {
      requireSession(actor)
      await tokens.revokeOwn(actor, id)
    },
  }
}

/** A token that could make tokens would be as good as the password, whatever its scopes. */
function requireSession(actor: Actor): asserts actor is SignedIn {
  requireSignIn(actor)
  demand(
    actor.credential.kind === 'session',
    'forbidden',
    'session-needed',
    'Managing sessions and tokens needs a session: sign in with name and password.',
  )
}
