/** The body that registers an app: our own fields and the public platform's manifest in one schema. */
import type { Static } from 'typebox'
import type { AppChange } from '../../../forge/apps/registration/app-draft.ts'
import { invalidField } from '../../../forge/failures.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { Flag, List, NullableText, OneOf, Optional, Shape, Text, Type } from '../schemas.ts'

export const Permissions = Type.Record(Text(60), OneOf('read', 'write', 'admin'), { maxProperties: 60 })

const settings = {
  description: Optional(NullableText(10_000)),
  callback_urls: Optional(List(Text(2_000), { maxItems: 10 })),
  hook_attributes: Optional(
    Shape({ url: Optional(NullableText(2_000)), secret: Optional(NullableText(255)), active: Optional(Flag) }),
  ),
  default_permissions: Optional(Permissions),
  default_events: Optional(List(Text(60), { maxItems: 100 })),
  /** The names that answers have. */
  permissions: Optional(Permissions),
  events: Optional(List(Text(60), { maxItems: 100 })),
  public: Optional(Flag),
  device_flow: Optional(Flag),
}

export const AppBody = Shape({ name: Text(100, 1), url: Text(2_000, 1), ...settings })
export const AppChangeBody = Shape({ name: Optional(Text(100, 1)), url: Optional(Text(2_000, 1)), ...settings })
export const ManifestBody = Shape({
  name: Text(100, 1),
  url: Text(2_000, 1),
  redirect_url: Optional(Text(2_000)),
  ...settings,
})

const oauthSettings = {
  description: Optional(NullableText(10_000)),
  callback_urls: Optional(List(Text(2_000), { maxItems: 10 })),
  device_flow: Optional(Flag),
}
export const OAuthAppBody = Shape({
  name: Text(100, 1),
  url: Text(2_000, 1),
  /** Whether the app can keep a secret. */
  confidential: Optional(Flag),
  /** The id that a published client has built in; only admins of the server choose one. */
  client_id: Optional(Text(64, 8)),
  ...oauthSettings,
})
export const OAuthAppChangeBody = Shape({
  name: Optional(Text(100, 1)),
  url: Optional(Text(2_000, 1)),
  ...oauthSettings,
})

type Settings = Static<typeof AppChangeBody>

function demandOne(name: string, given: unknown, other: unknown): void {
  if (given === undefined || other === undefined || JSON.stringify(given) === JSON.stringify(other)) return
  throw invalidField(name, 'invalid', `${name} and default_${name} are two names of one thing: send one of them.`)
}

export function readSettings(body: Settings): AppChange {
  const { hook_attributes: hook } = body
  demandOne('permissions', body.permissions, body.default_permissions)
  demandOne('events', body.events, body.default_events)
  return omitUndefined({
    name: body.name,
    url: body.url,
    description: body.description ?? undefined,
    callbackUrls: body.callback_urls,
    permissions: body.default_permissions ?? body.permissions,
    events: body.default_events ?? body.events,
    hookUrl: hook?.url,
    hookSecret: hook?.secret,
    // A hook that is given is active, unless stated otherwise.
    isHookActive: hook && (hook.active ?? Boolean(hook.url)),
    isPublic: body.public,
    takesDeviceFlow: body.device_flow,
  })
}
