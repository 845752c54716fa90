/** API versions: dates in a header. The presenters derive each from one model. */
import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../../../lib/failure.ts'

export const versions = ['2022-11-28', '2026-03-10'] as const
export type Version = (typeof versions)[number]

const usual: Version = '2022-11-28'
/** Versions that are no longer served. */
export const retiredVersions: readonly string[] = []

/** If both headers are sent, ours wins. */
export function chooseVersion(headers: IncomingHttpHeaders, retired = retiredVersions): Version {
  const asked = headers['x-platform-api-version'] ?? headers['x-github-api-version']
  if (asked === undefined) return usual
  const text = String(asked).trim()
  const found = versions.find((version) => version === text)
  if (found) return found
  const supported = `Supported versions: ${versions.join(', ')}.`
  if (retired.includes(text)) {
    throw new Failure('not-found', 'gone', `Version ${text} is no longer served. ${supported}`)
  }
  const shown = JSON.stringify(text.slice(0, 40))
  throw new Failure('invalid', 'bad-request', `${shown} is not a version of this interface. ${supported}`)
}
