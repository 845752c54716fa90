/** Errors of token requests, in the words of RFC 6749, RFC 8628 and the public platform. */
import { bannedMessage } from '../../accounts/tokens/token.ts'

export type Refusal = {
  readonly error: string
  readonly description: string
  /** For a device that polls too often: the new interval in seconds. */
  readonly interval?: number
}

export const isRefusal = (value: object): value is Refusal => 'error' in value

const refuse = (error: string, description: string): Refusal => ({ error, description })

export const refusals = {
  client: refuse('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.'),
  code: refuse('bad_verification_code', 'The code passed is incorrect or expired.'),
  redirect: refuse('redirect_uri_mismatch', 'The redirect_uri is not the one that the code was made for.'),
  refresh: refuse('bad_refresh_token', 'The refresh token passed is incorrect or expired.'),
  grantType: refuse('unsupported_grant_type', 'The grant_type is none that is known here.'),
  noDeviceFlow: refuse('device_flow_disabled', 'The app does not take the device flow: its owner can switch it on.'),
  deviceCode: refuse('incorrect_device_code', 'The device_code provided is not valid.'),
  pending: refuse('authorization_pending', 'The authorization request is still pending.'),
  expired: refuse('expired_token', 'This device_code has expired.'),
  banned: refuse('access_denied', bannedMessage),
  denied: refuse('access_denied', 'The authorization request was denied.'),
  scope: (reason: string) => refuse('invalid_scope', reason),
  request: (reason: string) => refuse('invalid_request', reason),
  slowDown: (interval: number): Refusal => ({
    ...refuse('slow_down', 'Too many requests have been made in the same timeframe.'),
    interval,
  }),
} as const
