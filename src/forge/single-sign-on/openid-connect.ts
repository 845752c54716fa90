/** OpenID Connect: the authorization code flow with PKCE, state and nonce, by a certified library. */
import { generateSecret } from '../../lib/ids.ts'
import { makeBoundedFetch, maxWaitMs } from './bounded-fetch.ts'
import type { ProvenIdentity } from './identities.ts'
import { type Departure, longestSubject } from './protocol.ts'
import type { MayBePlain, OpenIdProvider } from './provider.ts'

export type OpenIdConnect = ReturnType<typeof makeOpenIdConnect>

export function makeOpenIdConnect({ mayBePlain }: { mayBePlain: MayBePlain }) {
  const boundedFetch = makeBoundedFetch(mayBePlain)

  /** Sign-ons are rare: the provider's keys are fetched for each, so they are never stale. */
  async function discover({ issuer, clientId, clientSecret }: OpenIdProvider) {
    const client = await import('openid-client')
    const url = new URL(issuer)
    const config = await client.discovery(url, clientId, clientSecret, undefined, {
      [client.customFetch]: boundedFetch as never,
      timeout: maxWaitMs / 1000,
      // The fetch above refuses plain HTTP where it is not allowed, whichever address the provider names.
      execute: mayBePlain(url.origin) ? [client.allowInsecureRequests] : [],
    })
    // By the standard, a token received directly from the provider need not be verified; here its signature always is.
    client.enableNonRepudiationChecks(config)
    return { client, config }
  }

  return {
    async depart(provider: OpenIdProvider, callback: string): Promise<Departure> {
      const { client, config } = await discover(provider)
      const [state, nonce, verifier] = [generateSecret(), generateSecret(), client.randomPKCECodeVerifier()]
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: 'openid',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, reply: state, secrets: { nonce, verifier } }
    },

    /** Throws the library's errors if the answer is not the provider's answer to this departure. */
    async arrive(
      provider: OpenIdProvider,
      callbackUrl: URL,
      { reply, secrets }: Pick<Departure, 'reply' | 'secrets'>,
    ): Promise<ProvenIdentity> {
      const { client, config } = await discover(provider)
      const tokens = await client.authorizationCodeGrant(config, callbackUrl, {
        expectedState: reply,
        expectedNonce: secrets.nonce!,
        pkceCodeVerifier: secrets.verifier!,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims?.sub || claims.sub.length > longestSubject) throw new Error('the token names nobody')
      return { issuer: claims.iss, subject: claims.sub }
    },
  }
}
