/** Records of releases with their files, and of attachments. */
import { anyAccount } from '../address-index.ts'
import { type Fields, lengths } from '../reading/fields.ts'
import { demandImport } from '../refusal.ts'
import { checkReactions, type Definition, readReactions } from './definition.ts'

export type ReleaseRecord = ReturnType<typeof readRelease>
export type AttachmentRecord = ReturnType<typeof readAttachment>

/** The file's path in the archive. */
function readFilePath(fields: Fields, folder: 'releases' | 'attachments'): string {
  const path = fields.after('asset_url', 'tarball://root/')
  return path.startsWith(`${folder}/`) ? path : fields.refuse('asset_url', `an address within ${folder}/`)
}

function readContentType(fields: Fields, name: string): string {
  const type = fields.text(name, 255)
  return /^[\w.+-]+\/[\x20-\x7e]+$/.test(type) ? type : fields.refuse(name, 'a type like text/plain')
}

function readFileName(fields: Fields, name: string): string {
  const given = fields.text(name, 255)
  return /[\x00-\x1f\x7f/\\]/.test(given) || /^\.{1,2}$/.test(given) ? fields.refuse(name, 'a file’s name') : given
}

function readRelease(fields: Fields) {
  const repository = fields.address('repository')
  const state = fields.oneOf('state', ['draft', 'published'])
  const tag = fields.text('tag_name', 255)
  const url = fields.address('url')
  const isDraft = state === 'draft'
  const isOwn = isDraft
    ? url.startsWith(`${repository}/releases/untagged-`)
    : url === `${repository}/releases/tag/${encodeURIComponent(tag)}`
  if (!isOwn) fields.refuse('url', 'the address of its tag')
  return {
    url,
    id: isDraft ? fields.numberAfter('url', `${repository}/releases/untagged-`) : fields.wholeOrNull('id', 1),
    repository,
    author: fields.address('user'),
    name: fields.textOrNull('name'),
    tag,
    body: fields.textOrNull('body', lengths.text),
    isDraft,
    isPrerelease: fields.flag('prerelease'),
    latest: fields.oneOfOrNull('make_latest', ['true', 'false', 'legacy']) ?? ('legacy' as const),
    target: fields.text('target_commitish', 255),
    assets: fields.each('release_assets', readAsset),
    reactions: readReactions(fields),
    publishedAt: fields.timeOrNull('published_at'),
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

const readAsset = (fields: Fields) => ({
  uploader: fields.address('user'),
  name: readFileName(fields, 'name'),
  label: fields.textOrNull('label', 255),
  contentType: readContentType(fields, 'content_type'),
  downloads: fields.whole('downloads'),
  path: readFilePath(fields, 'releases'),
  createdAt: fields.time('created_at'),
  updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
})

export const release: Definition<ReleaseRecord> = {
  type: 'release',
  read: readRelease,
  check(record, index, place) {
    index.claim(record.url, place)
    if (record.id !== null) index.claim(`release ${record.id}`, place)
    index.expect(['repository'], record.repository, place)
    for (const person of [record.author, ...record.assets.map(({ uploader }) => uploader)])
      index.expect(anyAccount, person, place)
    const names = record.assets.map(({ name }) => name)
    demandImport(new Set(names).size === names.length, `${place} has two files of one name.`)
    checkReactions(record.reactions, index, place)
  },
}

const uuidPattern = /\/-\/attachments\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/[^/]+$/

function readAttachment(fields: Fields) {
  const uuid = uuidPattern.exec(fields.address('url'))?.[1]
  return {
    uuid: uuid ?? fields.refuse('url', 'the address of an attachment'),
    repository: fields.address('repository'),
    uploader: fields.address('user'),
    name: readFileName(fields, 'asset_name'),
    contentType: readContentType(fields, 'asset_content_type'),
    path: readFilePath(fields, 'attachments'),
    /** The issue, pull or comment that shows it. */
    shownBy:
      fields.addressOrNull('issue') ?? fields.addressOrNull('pull_request') ?? fields.addressOrNull('issue_comment'),
    createdAt: fields.time('created_at'),
  }
}

export const attachment: Definition<AttachmentRecord> = {
  type: 'attachment',
  read: readAttachment,
  check(record, index, place) {
    index.claim(`the attachment ${record.uuid}`, place)
    index.expect(['repository'], record.repository, place)
    index.expect(anyAccount, record.uploader, place)
    index.expect(['issue', 'pull', 'comment'], record.shownBy, place)
  },
}
