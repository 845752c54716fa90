/** The names that files of an archive may have. Archives of the public platform have more names than our own. */
import { isRefPart } from '../../../git/ref-name.ts'
import { pluralOf, type RecordType, recordTypes } from '../../records/record-files.ts'

export type ArchivePath =
  | { readonly kind: 'schema' | 'manifest' }
  /** `type`: undefined for records that only the public platform has. */
  | {
      readonly kind: 'records'
      readonly type: RecordType | undefined
      readonly plural: string
      readonly number: number
    }
  /** An uploaded file: of a release, or attached to an issue. `isOwn`: it has a name as in our own archives. */
  | { readonly kind: 'upload'; readonly isOwn: boolean }
  /** Skipped: only archives of the public platform may have it. */
  | { readonly kind: 'unknown' }
  /** `repository`: `owner/name.git`, or `owner/name.wiki.git`. `isWanted`: false for files that git makes anew. */
  | {
      readonly kind: 'git'
      readonly repository: string
      readonly inner: string
      readonly isWanted: boolean
      readonly isOwn: boolean
    }
  /** A large file, where git-lfs itself keeps it. */
  | { readonly kind: 'large-file'; readonly repository: string; readonly oid: string }

const typeOf = new Map<string, RecordType>(recordTypes.map((type) => [pluralOf(type), type]))

/** Undefined for a name that could lead elsewhere. */
export function parsePath(name: string): ArchivePath | undefined {
  if (!isPlain(name)) return undefined
  if (name === 'schema.json') return { kind: 'schema' }
  if (name === 'manifest.json') return { kind: 'manifest' }
  const [, plural = '', number = ''] = /^([a-z_]+)_(\d{6,9})\.json$/.exec(name) ?? []
  if (plural && String(Number(number)).padStart(6, '0') === number)
    return { kind: 'records', type: typeOf.get(plural), plural, number: Number(number) }
  if (/^(?:attachments|releases|repository_files)\/[^/]+\/[^/]+$/.test(name))
    return { kind: 'upload', isOwn: ownUpload.test(name) }
  const [, repository, inner] = /^repositories\/([^/]+\/[^/]+\.git)\/(.+)$/.exec(name) ?? []
  return repository && inner ? parseInner(repository, inner) : { kind: 'unknown' }
}

const ownUpload = /^(?:attachments|releases)\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\//

/** Whether our own archives have such names. */
export function isOwnName(path: ArchivePath): boolean {
  if (path.kind === 'records') return path.type !== undefined
  return path.kind === 'unknown' ? false : !('isOwn' in path) || path.isOwn
}

/** Folders lead to files; an empty folder is ignored. */
export const isOwnFolder = (name: string): boolean => /^(?:attachments|releases|repositories)(?:\/|$)/.test(name)

export const isPlain = (name: string): boolean =>
  name.length <= 1_000 &&
  name.isWellFormed() &&
  !/[\x00-\x1f\x7f\\]/.test(name) &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

function parseInner(repository: string, inner: string): ArchivePath {
  const file = (isWanted: boolean, isOwn = true): ArchivePath => ({ kind: 'git', repository, inner, isWanted, isOwn })
  const [, oid] = /^lfs\/objects\/[0-9a-f]{2}\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(inner) ?? []
  if (oid) return { kind: 'large-file', repository, oid }
  if (inner === 'packed-refs' || isLooseObject(inner) || isPack(inner)) return file(true)
  if (inner.startsWith('refs/') && isRefPart(inner)) return file(true)
  // HEAD is not needed (the record names the branch), a foreign config is never read, the rest are git's indexes.
  const isIndex =
    /^objects\/(?:pack\/(?:pack-[0-9a-f]{40}\.(?:idx|rev|bitmap|mtimes)|multi-pack-index)|info\/(?:packs|commit-graph|commit-graphs\/[\w.-]+))$/
  return file(false, inner === 'HEAD' || inner === 'config' || isIndex.test(inner))
}

export const isLooseObject = (inner: string): boolean => /^objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/.test(inner)
export const isPack = (inner: string): boolean => /^objects\/pack\/pack-[0-9a-f]{40}\.pack$/.test(inner)
