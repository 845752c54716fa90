/** A real OpenID Connect provider on loopback, in which anybody signs in as whom they say. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Browser, Visit } from './browser.ts'

type Interaction = {
  readonly uid: string
  readonly prompt: { readonly name: string }
  readonly params: { client_id: string }
}
type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }
type ProviderModule = {
  Provider: new (
    issuer: string,
    configuration: object,
  ) => {
    callback(): (request: unknown, response: unknown) => void
    interactionDetails(request: unknown, response: unknown): Promise<Interaction & { session?: { accountId: string } }>
    interactionFinished(request: unknown, response: unknown, result: object, options?: object): Promise<void>
    Grant: new (draft: object) => Grant
  }
}

export async function startOpenIdProvider() {
  const { Provider } = (await import('oidc-provider' as string)) as ProviderModule
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clients: object[] = []
  let provider: InstanceType<ProviderModule['Provider']> | undefined

  /** The clients are known once the server that is one has its port. */
  function configure(callback: string): void {
    clients.push({ client_id: 'guildhall', client_secret: 'a-secret-of-the-client', redirect_uris: [callback] })
    provider = new Provider(issuer, {
      clients,
      cookies: { keys: ['a key of this provider'] },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      interactions: { url: (_context: unknown, { uid }: Interaction) => `/interaction/${uid}` },
      findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    })
    const serve = provider.callback()
    server.on('request', async (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return serve(request, response)
      const asked = await provider!.interactionDetails(request, response)
      if (request.method === 'GET') return void response.end(asked.prompt.name)
      const accountId = new URLSearchParams(await text(request)).get('login') ?? asked.session!.accountId
      if (asked.prompt.name === 'login')
        return provider!.interactionFinished(request, response, { login: { accountId } })
      const grant = new provider!.Grant({ accountId: asked.session!.accountId, clientId: asked.params.client_id })
      grant.addOIDCScope('openid')
      const consent = { grantId: await grant.save() }
      return provider!.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
    })
  }

  return {
    issuer,
    configure,
    settings: { kind: 'oidc', issuer, client_id: 'guildhall', client_secret: 'a-secret-of-the-client' },
    /** Signs in and consents; answers the address that the provider sends the browser back to. */
    async signIn(browser: Browser, url: string, login: string, service: string): Promise<string> {
      let page: Visit = await browser.follow(await browser.visit(url), service)
      for (let i = 0; i < 3 && page.url.includes('/interaction/'); i++)
        page = await browser.follow(await browser.visit(page.url, { login }), service)
      if (!page.location) throw new Error(`the provider says ${page.status}: ${page.text}`)
      return page.location
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
