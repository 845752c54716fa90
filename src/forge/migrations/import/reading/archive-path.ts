/** The names that files of an archive may have; any other name is refused. */
import { isRefPart } from '../../../git/ref-name.ts'
import { pluralOf, type RecordType, recordTypes } from '../../records/record-files.ts'

export type ArchivePath =
  | { readonly kind: 'schema' | 'manifest' }
  | { readonly kind: 'records'; readonly type: RecordType; readonly number: number }
  /** An uploaded file: of a release, or attached to an issue. */
  | { readonly kind: 'upload' }
  /** `repository`: `owner/name.git`, or `owner/name.wiki.git`. `isWanted`: false for files that git makes anew. */
  | { readonly kind: 'git'; readonly repository: string; readonly inner: string; readonly isWanted: boolean }
  /** A large file, where git-lfs itself keeps it. */
  | { readonly kind: 'large-file'; readonly repository: string; readonly oid: string }

const typeOf = new Map<string, RecordType>(recordTypes.map((type) => [pluralOf(type), type]))

/** Undefined for a name that archives do not have. */
export function parsePath(name: string): ArchivePath | undefined {
  if (!isPlain(name)) return undefined
  if (name === 'schema.json') return { kind: 'schema' }
  if (name === 'manifest.json') return { kind: 'manifest' }
  const [, plural = '', number = ''] = /^([a-z_]+)_(\d{6,9})\.json$/.exec(name) ?? []
  const type = typeOf.get(plural)
  if (type) return { kind: 'records', type, number: Number(number) }
  if (/^(?:attachments|releases)\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[^/]+$/.test(name))
    return { kind: 'upload' }
  const [, repository, inner] = /^repositories\/([^/]+\/[^/]+\.git)\/(.+)$/.exec(name) ?? []
  return repository && inner ? parseInner(repository, inner) : undefined
}

/** Folders lead to such files; an empty folder is ignored. */
export const isFolderName = (name: string): boolean =>
  isPlain(name) && /^(?:attachments|releases|repositories)(?:\/|$)/.test(name)

const isPlain = (name: string): boolean =>
  name.length <= 1_000 &&
  name.isWellFormed() &&
  !/[\x00-\x1f\x7f\\]/.test(name) &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

function parseInner(repository: string, inner: string): ArchivePath | undefined {
  const file = (isWanted: boolean): ArchivePath => ({ kind: 'git', repository, inner, isWanted })
  const [, oid] = /^lfs\/objects\/[0-9a-f]{2}\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(inner) ?? []
  if (oid) return { kind: 'large-file', repository, oid }
  if (inner === 'packed-refs' || isLooseObject(inner) || isPack(inner)) return file(true)
  if (inner.startsWith('refs/') && isRefPart(inner)) return file(true)
  // HEAD is not needed (the record names the branch), a foreign config is never read, the rest are git's indexes.
  const isIndex =
    /^objects\/(?:pack\/(?:pack-[0-9a-f]{40}\.(?:idx|rev|bitmap|mtimes)|multi-pack-index)|info\/(?:packs|commit-graph|commit-graphs\/[\w.-]+))$/
  return inner === 'HEAD' || inner === 'config' || isIndex.test(inner) ? file(false) : undefined
}

export const isLooseObject = (inner: string): boolean => /^objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/.test(inner)
export const isPack = (inner: string): boolean => /^objects\/pack\/pack-[0-9a-f]{40}\.pack$/.test(inner)
