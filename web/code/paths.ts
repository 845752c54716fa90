/** Addresses of the pages of code: a ref's and a path's slashes stay, everything else is encoded. */
import { toPath } from '../api/forge.ts'
import type { CodePlace } from './place.ts'
import { toRef } from './place.ts'

type Named = { readonly full_name: string }

export function codePath({ full_name }: Named, page: string, ...rest: readonly string[]): string {
  const [owner = '', repo = ''] = full_name.split('/')
  return toPath(owner, repo, page, ...rest.filter((part) => part !== ''))
}

/** A file's bytes, which REST serves: as text, or to be kept, whatever the file says of itself. */
export const rawPath = ({ full_name }: Named, place: CodePlace, path: string): string =>
  `${toPath('repos', ...full_name.split('/'), 'raw', path)}?ref=${encodeURIComponent(toRef(place))}`

export const shortSha = (sha: string): string => sha.slice(0, 7)
