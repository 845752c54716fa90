/** Apps as their owners see them. */
import type { User } from '../api/forge-types.ts'

export type OAuthApp = {
  readonly id: number
  readonly client_id: string
  readonly owner: User
  readonly name: string
  readonly description: string
  readonly url: string
  readonly callback_urls: readonly string[]
  readonly confidential: boolean
  readonly device_flow: boolean
}

export type OwnApp = {
  readonly id: number
  readonly slug: string
  readonly client_id: string
  readonly owner: User
  readonly name: string
  readonly description: string
  readonly external_url: string
  readonly permissions: Readonly<Record<string, string>>
  readonly events: readonly string[]
  readonly callback_urls: readonly string[]
  readonly public: boolean
  readonly hook_attributes: { readonly url: string | null; readonly active: boolean }
  readonly device_flow: boolean
}
