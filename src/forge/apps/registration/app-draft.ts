/** Validates the settings of an app: names, addresses and permissions. */
import { invalidField } from '../../failures.ts'
import type { Permissions } from '../app.ts'
import { demandKnownPermissions, withMetadata } from '../permissions.ts'

export type AppDraft = {
  readonly kind: 'app' | 'oauth'
  readonly name: string
  readonly url: string
  readonly description?: string
  readonly callbackUrls?: readonly string[]
  readonly permissions?: Permissions
  readonly events?: readonly string[]
  readonly hookUrl?: string | null
  readonly hookSecret?: string | null
  readonly isHookActive?: boolean
  readonly isPublic?: boolean
  readonly isConfidential?: boolean
  /** Of an OAuth app; random if it is absent. */
  readonly clientId?: string | undefined
  readonly takesDeviceFlow?: boolean
}

export type AppChange = Partial<Omit<AppDraft, 'kind' | 'isConfidential' | 'clientId'>>

/** With `[bot]` appended, the slug must still fit an account's name. */
const longestSlug = 34
const maxCallbacks = 10

export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, '')

export function demandDraft(draft: AppChange): void {
  const { name, url, callbackUrls = [], permissions = {}, hookUrl } = draft
  if (name !== undefined && slugOf(name) === '')
    throw invalidField('name', 'invalid', 'A name has a letter or a digit at least.')
  if (url !== undefined && !isWebAddress(url))
    throw invalidField('url', 'invalid', 'url must be an http or https address.')
  if (hookUrl && !isWebAddress(hookUrl))
    throw invalidField('hook_attributes', 'invalid', 'The hook’s url must be an http or https address.')
  if (callbackUrls.length > maxCallbacks)
    throw invalidField('callback_urls', 'invalid', `An app can have at most ${maxCallbacks} callback addresses.`)
  if (!callbackUrls.every(isCallback))
    throw invalidField(
      'callback_urls',
      'invalid',
      'A callback is an address in ASCII without a fragment, by http, https or a scheme with a dot.',
    )
  demandKnownPermissions(permissions)
}

/** Client ids that the server generates begin with it, and no others do. */
export const generatedIdPrefix = 'Gd1.'

export const isClientId = (text: string): boolean => /^[A-Za-z0-9._-]{8,64}$/.test(text)

export function demandClientId(clientId: string): void {
  if (!isClientId(clientId) || clientId.startsWith(generatedIdPrefix))
    throw invalidField(
      'client_id',
      'invalid',
      `client_id must have 8 to 64 letters, digits or . _ - and must not begin with ${generatedIdPrefix}`,
    )
}

export const settledPermissions = (permissions: Permissions = {}): Permissions => withMetadata(permissions)

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** Native apps have a private scheme, a reversed domain name (RFC 8252, section 7.1). */
export function isCallback(text: string): boolean {
  // The address goes unchanged into a header: characters beyond ASCII must be percent-encoded (RFC 3986, section 2).
  if (!URL.canParse(text) || text.includes('#') || /[^!-~]|["'<>\\]/.test(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^(?:https?:|[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:)$/.test(protocol) && username === '' && password === ''
}
