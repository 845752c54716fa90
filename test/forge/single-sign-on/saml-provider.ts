/** A SAML identity provider by a library that is not the server's: it reads our requests, and signs assertions for whom it is told. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'

type Entity = {
  parseLoginRequest(sp: Entity, binding: string, request: object): Promise<{ extract: object }>
  createLoginResponse(
    sp: Entity,
    request: object,
    binding: string,
    user: object,
    fill: (template: string) => { id: string; context: string },
  ): Promise<{ context: string }>
}
type Samlify = {
  IdentityProvider(settings: object): Entity
  ServiceProvider(settings: object): Entity
  setSchemaValidator(validator: { validate(xml: string): Promise<string> }): void
  SamlLib: {
    defaultLoginResponseTemplate: { context: string }
    replaceTagsByValue(template: string, values: object): string
    constructSAMLSignature(options: object): string
  }
}

// Its own types would bring those of a browser into every file.
const { IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator }: Samlify = createRequire(import.meta.url)(
  'samlify',
)

export type NameIdAttributes = {
  readonly Format?: string
  readonly NameQualifier?: string
  readonly SPNameQualifier?: string
}

export type Claims = {
  readonly subject: string
  /** In place of the persistent format. */
  readonly nameId?: NameIdAttributes
  readonly audience?: string
  readonly recipient?: string
  readonly destination?: string
  /** Null for a response that nobody asked for. */
  readonly inResponseTo?: string | null
  readonly issuer?: string
  readonly notOnOrAfter?: Date
  readonly assertionId?: string
}

const sha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'

/** What a certificate says of its owner matters to nobody here: its key does. */
export function drawKey(): { privateKey: string; certificate: string } {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-saml-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=idp']
    execFileSync('openssl', [...words, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { privateKey: readFileSync(key, 'utf8'), certificate: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export function makeSamlProvider(key = drawKey()) {
  setSchemaValidator({ validate: async () => 'skipped' })
  const entityId = 'https://idp.example.org/metadata'
  const entryPoint = 'https://idp.example.org/sso'
  const draw = () => `_${randomBytes(16).toString('hex')}`

  return {
    key,
    settings: { kind: 'saml', issuer: entityId, entry_point: entryPoint, certificates: [key.certificate] },

    /** The id of the request that a person is sent with. */
    readRequest(url: string): { id: string; consumer: string; issuer: string } {
      const query = new URL(url).searchParams.get('SAMLRequest') ?? ''
      const xml = inflateRawSync(Buffer.from(query, 'base64')).toString('utf8')
      const read = (form: RegExp) => form.exec(xml)?.[1] ?? ''
      return {
        id: read(/\bID="([^"]+)"/),
        consumer: read(/AssertionConsumerServiceURL="([^"]+)"/),
        issuer: read(/Issuer[^>]*>([^<]+)</),
      }
    },

    /** The signed response, as XML. `messageToo`: the response around the assertion is signed as well. */
    async respond(
      url: string,
      claims: Claims,
      { assertion = true, message = false, algorithm = sha256 } = {},
    ): Promise<string> {
      const asked = this.readRequest(url)
      const now = new Date()
      const end = (claims.notOnOrAfter ?? new Date(now.getTime() + 300_000)).toISOString()
      const values: Record<string, string> = {
        ID: draw(),
        AssertionID: claims.assertionId ?? draw(),
        Issuer: claims.issuer ?? entityId,
        IssueInstant: now.toISOString(),
        Destination: claims.destination ?? asked.consumer,
        InResponseTo: claims.inResponseTo === undefined ? asked.id : (claims.inResponseTo ?? ''),
        Audience: claims.audience ?? asked.issuer,
        SubjectRecipient: claims.recipient ?? asked.consumer,
        NameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        NameID: claims.subject,
        StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
        ConditionsNotBefore: new Date(now.getTime() - 1_000).toISOString(),
        ConditionsNotOnOrAfter: end,
        SubjectConfirmationDataNotOnOrAfter: end,
        AuthnStatement: '',
        AttributeStatement: '',
      }
      const attributes = Object.entries(claims.nameId ?? { Format: values.NameIDFormat })
      const template = SamlLib.defaultLoginResponseTemplate.context.replace(
        ' Format="{NameIDFormat}"',
        attributes.map(([name, value]) => ` ${name}="${value}"`).join(''),
      )
      const isUnsolicited = claims.inResponseTo === null
      const xml = SamlLib.replaceTagsByValue(
        isUnsolicited ? template.replaceAll(/ InResponseTo="[^"]*"/g, '') : template,
        values,
      )
      const common = {
        privateKey: key.privateKey,
        signatureAlgorithm: algorithm,
        signingCert: key.certificate.replace(/-----[^-]+-----|\s/g, ''),
        isBase64Output: false,
      }
      const issuerOf = (element: string) => ({
        prefix: 'ds',
        location: { reference: `${element}/*[local-name(.)='Issuer']`, action: 'after' as const },
      })
      const inside = "/*[local-name(.)='Response']/*[local-name(.)='Assertion']"
      const signed = assertion
        ? SamlLib.constructSAMLSignature({
            ...common,
            rawSamlMessage: xml,
            referenceTagXPath: inside,
            signatureConfig: issuerOf(inside),
          })
        : xml
      const whole = "/*[local-name(.)='Response']"
      return message
        ? SamlLib.constructSAMLSignature({
            ...common,
            rawSamlMessage: signed,
            isMessageSigned: true,
            signatureConfig: issuerOf(whole),
          })
        : signed
    },

    /** As the library itself answers, by its own flow. */
    async answer(url: string, metadata: string, subject: string): Promise<string> {
      const idp = IdentityProvider({
        entityID: entityId,
        privateKey: key.privateKey,
        signingCert: key.certificate,
        requestSignatureAlgorithm: sha256,
        nameIDFormat: ['urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'],
        singleSignOnService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: entryPoint }],
        loginResponseTemplate: { context: SamlLib.defaultLoginResponseTemplate.context, attributes: [] },
      })
      const sp = ServiceProvider({ metadata })
      const request = await idp.parseLoginRequest(sp, 'redirect', {
        query: Object.fromEntries(new URL(url).searchParams),
      })
      const { id, consumer, issuer } = this.readRequest(url)
      const { context } = await idp.createLoginResponse(
        sp,
        { extract: request.extract },
        'post',
        {},
        (template: string) => {
          const end = new Date(Date.now() + 300_000).toISOString()
          const values = {
            ID: draw(),
            AssertionID: draw(),
            Issuer: entityId,
            IssueInstant: new Date().toISOString(),
            Destination: consumer,
            InResponseTo: id,
            Audience: issuer,
            SubjectRecipient: consumer,
            NameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
            NameID: subject,
            StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
            ConditionsNotBefore: new Date(Date.now() - 1_000).toISOString(),
            ConditionsNotOnOrAfter: end,
            SubjectConfirmationDataNotOnOrAfter: end,
            AuthnStatement: '',
            AttributeStatement: '',
          }
          return { id: values.ID, context: SamlLib.replaceTagsByValue(template, values) }
        },
      )
      return context
    },
  }
}
