/** Translates releases with their files, and the files that issues and comments show. */
import { lengths } from '../reading/fields.ts'
import { type Context, repositoryOf, translateReactions } from './context.ts'
import type { RawRecord } from './raw-record.ts'
import type { Upload } from './uploads.ts'

const contentType = /^[\w.+-]+\/[\x20-\x7e]+$/

const typeOf = (record: RawRecord, name: string): string => {
  const type = record.text(name, 255)
  return contentType.test(type) ? type : 'application/octet-stream'
}

export function translateReleases(context: Context): void {
  const { people, writer, addresses, uploads, leavingOut } = context
  let id = 0
  for (const record of context.read('releases')) {
    const repository = addresses.find('repository', record.address('repository'))
    const tag = record.text('tag_name', 255)
    const isDraft = record.word('state') === 'draft' || record.flag('draft')
    if (repository === null) leavingOut.add('releases of repositories that are not in the archive')
    else if (tag === '') leavingOut.add('releases without a tag')
    if (repository === null || tag === '') continue
    const createdAt = record.timeOrNull('created_at') ?? record.time('published_at')
    const page = isDraft ? `untagged-${++id}` : `tag/${encodeURIComponent(tag)}`
    writer.add({
      type: 'release',
      url: `${repository}/releases/${page}`,
      id: isDraft ? id : ++id,
      repository,
      user: people.person(record.address('user')),
      name: record.textOrNull('name'),
      tag_name: tag,
      body: uploads.rewriteOrNull(record.textOrNull('body', lengths.text)),
      state: isDraft ? 'draft' : 'published',
      prerelease: record.flag('prerelease'),
      target_commitish: record.text('target_commitish', 255) || 'main',
      release_assets: translateAssets(context, record, createdAt),
      reactions: translateReactions(context, record),
      published_at: isDraft ? null : (record.timeOrNull('published_at') ?? createdAt),
      created_at: createdAt,
    })
  }
}

function translateAssets({ people, uploads, leavingOut }: Context, release: RawRecord, createdAt: string): object[] {
  const names = new Set<string>()
  return release.each('release_assets').flatMap((record) => {
    const name = record.text('name', 255).replace(/[\x00-\x1f\x7f/\\]/g, '_')
    const taken =
      names.has(name) || /^\.{0,2}$/.test(name) ? null : uploads.take(record.address('asset_url'), name, 'releases')
    if (taken === null || typeof taken === 'string')
      leavingOut.add(`files of releases ${taken ?? 'of no name of their own'}`)
    if (taken === null || typeof taken === 'string') return []
    names.add(name)
    return [
      {
        user: people.person(record.address('user')),
        name,
        label: record.textOrNull('label', 255),
        content_type: typeOf(record, 'content_type'),
        downloads: record.whole('downloads') ?? 0,
        asset_url: `tarball://root/${taken.path}`,
        created_at: record.timeOrNull('created_at') ?? createdAt,
      },
    ]
  })
}

/**
 * Attachments, and the older files of repositories. Before all texts, in which their addresses stand. Answers what is
 * to be written once the issues and comments have their addresses.
 */
export function takeAttachments(context: Context): readonly (() => void)[] {
  return [
    ...[...context.read('attachments')].flatMap((record) => takeAttachment(context, record, 'asset')),
    ...[...context.read('repository_files')].flatMap((record) => takeAttachment(context, record, 'file')),
  ]
}

function takeAttachment(context: Context, record: RawRecord, word: 'asset' | 'file'): (() => void)[] {
  const taken = context.uploads.take(record.address(`${word}_url`), record.text(`${word}_name`, 200), 'attachments')
  if (typeof taken === 'string') {
    context.leavingOut.add(`attachments ${taken}`)
    return []
  }
  for (const address of [record.address('url'), record.address('legacy_url')])
    if (address !== null) context.uploads.note(address, taken)
  return [() => writeAttachment(context, record, taken, word)]
}

/** One that nothing in the archive shows has no repository, and is left out. */
function writeAttachment(context: Context, record: RawRecord, upload: Upload, word: 'asset' | 'file'): void {
  const { origin, people, writer, uploads, leavingOut } = context
  const shown = findShowing(context, record)
  if (shown === null) {
    uploads.release(upload)
    leavingOut.add('attachments of what is not in the archive')
    return
  }
  writer.add({
    type: 'attachment',
    url: `${origin}/-/attachments/${upload.uuid}/${encodeURIComponent(upload.name)}`,
    ...shown,
    user: people.person(record.address('user')),
    asset_name: upload.name,
    asset_content_type: typeOf(record, `${word}_content_type`),
    asset_url: `tarball://root/${upload.path}`,
    created_at: record.time('created_at'),
  })
}

const showing = [
  'issue',
  'pull_request',
  'issue_comment',
  'pull_request_review_comment',
  'pull_request_review',
] as const

function findShowing({ addresses }: Context, record: RawRecord): { readonly repository: string } | null {
  const repository = addresses.find('repository', record.address('repository'))
  if (repository !== null) return { repository }
  for (const type of showing) {
    const address = addresses.find(type, record.address(type))
    if (address === null) continue
    const named = type.startsWith('pull_request_review') ? {} : { [type]: address }
    return { ...named, repository: repositoryOf(address.replace(/#.*$/, '')) }
  }
  return null
}
