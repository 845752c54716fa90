/** SAML 2.0: requests by redirect, responses by POST, with assertions signed by the provider. */
import { randomBytes } from 'node:crypto'
import type { SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml'
import type { Clock } from '../../lib/clock.ts'
import { demandBoundedXml } from './bounded-xml.ts'
import { type NameId, toSubject } from './name-id.ts'
import type { Departure, ProvenAssertion, ServiceAddresses } from './protocol.ts'
import type { SamlProvider } from './provider.ts'
import { demandStrongAlgorithms } from './signature-algorithms.ts'

/** The size of a decoded response; real ones have about ten kilobytes. */
export const maxResponseBytes = 256 * 1024
const clockSkewMs = 60_000
const hourMs = 60 * 60 * 1000

/** Answers when the request with this id was made, if it is still waiting. */
export type FindRequest = (id: string) => Promise<Date | undefined>

export type Saml = ReturnType<typeof makeSaml>

export function makeSaml({ clock }: { clock: Clock }) {
  async function open(
    provider: Pick<SamlProvider, 'issuer' | 'entryPoint' | 'certificates'>,
    addresses: ServiceAddresses,
    more: Partial<SamlConfig> = {},
  ) {
    const { SAML } = await import('@node-saml/node-saml')
    return new SAML({
      entryPoint: provider.entryPoint,
      idpIssuer: provider.issuer,
      idpCert: [...provider.certificates],
      issuer: addresses.entityId,
      audience: addresses.entityId,
      callbackUrl: addresses.samlConsumer,
      identifierFormat: null,
      disableRequestedAuthnContext: true,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: false,
      acceptedClockSkewMs: clockSkewMs,
      validateInResponseTo: 'always' as ValidateInResponseTo,
      requestIdExpirationPeriodMs: hourMs,
      ...more,
    })
  }

  return {
    async depart(provider: SamlProvider, addresses: ServiceAddresses): Promise<Departure> {
      const id = `_${randomBytes(20).toString('hex')}`
      const saml = await open(provider, addresses, { generateUniqueId: () => id })
      return { url: await saml.getAuthorizeUrlAsync('', undefined, {}), reply: id, secrets: {} }
    },

    /** Throws the library's errors, and its own for checks that the library leaves out. */
    async arrive(
      provider: SamlProvider,
      addresses: ServiceAddresses,
      response: string,
      findRequest: FindRequest,
    ): Promise<ProvenAssertion & { readonly reply: string }> {
      await demandPlainXml(response, addresses)
      const cacheProvider = {
        saveAsync: async () => null,
        getAsync: async (id: string) => (await findRequest(id))?.toISOString() ?? null,
        removeAsync: async () => null,
      }
      const saml = await open(provider, addresses, { cacheProvider })
      const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response })
      if (profile?.issuer !== provider.issuer) throw new Error('the assertion is of another issuer')
      const assertion = (profile.getAssertion?.() ?? {}) as ParsedAssertion
      const { id, reply, expiresAt } = readBinding(assertion, addresses)
      if (expiresAt + clockSkewMs <= clock.now()) throw new Error('the assertion has expired')
      return {
        issuer: provider.issuer,
        subject: toSubject(readNameId(assertion)),
        assertionId: id,
        expiresAt: expiresAt + clockSkewMs,
        reply,
      }
    },

    /** Metadata for whoever sets up the provider. */
    async describe(addresses: ServiceAddresses): Promise<string> {
      const { generateServiceProviderMetadata } = await import('@node-saml/node-saml')
      return generateServiceProviderMetadata({
        issuer: addresses.entityId,
        callbackUrl: addresses.samlConsumer,
        identifierFormat: null,
        wantAssertionsSigned: true,
      })
    },
  }
}

/** Checks before the library parses it: nothing that expands, no broken signature hash, the right destination. */
async function demandPlainXml(response: string, { samlConsumer }: ServiceAddresses): Promise<void> {
  if (response.length > (maxResponseBytes * 4) / 3) throw new Error('the response is too long')
  const xml = Buffer.from(response, 'base64').toString('utf8')
  if (/<!DOCTYPE|<!ENTITY/i.test(xml)) throw new Error('the response has a document type')
  const root = demandBoundedXml(xml)
  if (!/^<(?:[\w-]+:)?Response[\s>]/.test(root)) throw new Error('it is not a response')
  const destination = /\sDestination\s*=\s*["']([^"']*)["']/.exec(root)?.[1]
  if (destination !== undefined && destination !== samlConsumer) throw new Error('it is meant for another address')
  await demandStrongAlgorithms(xml)
}

type Attributes = { readonly $?: Readonly<Record<string, string>> }
type ParsedAssertion = {
  readonly Assertion?: Attributes & {
    readonly Subject?: readonly {
      readonly NameID?: readonly (Attributes & { readonly _?: string })[]
      readonly SubjectConfirmation?: readonly (Attributes & {
        readonly SubjectConfirmationData?: readonly Attributes[]
      })[]
    }[]
  }
}

/**
 * Reads from the signed assertion which request it answers, for whom, and until when. The response around it need not
 * be signed, so its own claims are ignored.
 */
function readBinding({ Assertion: assertion }: ParsedAssertion, { samlConsumer }: ServiceAddresses) {
  const id = assertion?.$?.ID
  const confirmations = assertion?.Subject?.[0]?.SubjectConfirmation ?? []
  if (!id || confirmations.length !== 1) throw new Error('the assertion is not confirmed once')
  const [confirmation] = confirmations
  const {
    InResponseTo: reply,
    Recipient: recipient,
    NotOnOrAfter: end,
  } = confirmation!.SubjectConfirmationData?.[0]?.$ ?? {}
  if (confirmation!.$?.Method !== 'urn:oasis:names:tc:SAML:2.0:cm:bearer') throw new Error('it is not for its bearer')
  if (recipient !== samlConsumer) throw new Error('the assertion is for another recipient')
  const expiresAt = Date.parse(end ?? '')
  if (!reply || Number.isNaN(expiresAt)) throw new Error('the assertion answers no request, or for ever')
  return { id, reply, expiresAt }
}

/** Read from the assertion itself: the library's profile gives qualifiers only for names with a format. */
function readNameId({ Assertion: assertion }: ParsedAssertion): NameId {
  const names = assertion?.Subject?.[0]?.NameID ?? []
  if (names.length !== 1) throw new Error('the assertion names nobody')
  const [{ _: name = '', $: attributes = {} }] = names as [(typeof names)[0]]
  const { Format: format, NameQualifier: nameQualifier, SPNameQualifier: spNameQualifier } = attributes
  return { name, format: format || undefined, nameQualifier, spNameQualifier }
}
