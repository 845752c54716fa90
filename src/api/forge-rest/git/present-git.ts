/** Presents git data: refs, commits, trees, files. */

import type { Repository } from '../../../forge/access/repository.ts'
import type { AnnotatedTag, Commit, Signature } from '../../../forge/git/read/commit.ts'
import type { ComparedEnd, Comparison } from '../../../forge/git/read/comparing.ts'
import type { FileChange } from '../../../forge/git/read/diff.ts'
import type { Tree } from '../../../forge/git/read/git-reading.ts'
import type { Ref } from '../../../forge/git/read/object-output.ts'
import { unsigned, type Verification } from '../../../forge/keys/signing/verifications.ts'
import type { Person } from '../../../forge/person.ts'
import { LongList } from '../../json/sliced-json.ts'
import { presentUser } from '../people/present-people.ts'
import { formatTime, nodeId, type View } from '../view.ts'

/** A repository's addresses, for programs and for people. */
export const placesOf = ({ owner, name }: Repository, { base, origin }: View) => ({
  url: `${base}/repos/${owner.login}/${name}`,
  html: `${origin}/${owner.login}/${name}`,
})

export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

const presentSignature = ({ name, email, date }: Signature) => ({ name, email, date: formatTime(date) })

/** Verifications by the hashes of commits and tags. */
export type Verified = ReadonlyMap<string, Verification>

const presentVerification = ({ reason, signed }: Verification = unsigned) => ({
  verified: reason === 'valid',
  reason,
  signature: signed?.signature ?? null,
  payload: signed?.payload.toString('utf8') ?? null,
  // Not stored: each request verifies the signature again.
  verified_at: null,
})

/** Facts about commits that git does not have: accounts by the commits' email addresses, and numbers of comments. */
export type CommitFacts = {
  readonly people: ReadonlyMap<string, Person>
  readonly commentCounts: ReadonlyMap<string, number>
  readonly verifications: Verified
}

export function presentCommit(repository: Repository, commit: Commit, facts: CommitFacts, view: View) {
  const { url, html } = placesOf(repository, view)
  const person = ({ email }: Signature) => {
    const found = facts.people.get(email.toLowerCase())
    return found ? presentUser(found, view) : null
  }
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', `${repository.id}:${commit.sha}`),
    commit: {
      author: presentSignature(commit.author),
      committer: presentSignature(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
      url: `${url}/git/commits/${commit.sha}`,
      comment_count: facts.commentCounts.get(commit.sha) ?? 0,
      verification: presentVerification(facts.verifications.get(commit.sha)),
    },
    url: `${url}/commits/${commit.sha}`,
    html_url: `${html}/commit/${commit.sha}`,
    comments_url: `${url}/commits/${commit.sha}/comments`,
    author: person(commit.author),
    committer: person(commit.committer),
    parents: commit.parents.map((sha) => ({ sha, url: `${url}/commits/${sha}`, html_url: `${html}/commit/${sha}` })),
  }
}

export function presentChanges(repository: Repository, sha: string, changes: readonly FileChange[], view: View) {
  const { url, html } = placesOf(repository, view)
  const sum = (key: 'additions' | 'deletions') => changes.reduce((total, change) => total + change[key], 0)
  const additions = sum('additions')
  const deletions = sum('deletions')
  return {
    stats: { total: additions + deletions, additions, deletions },
    files: changes.map((change) => ({
      sha: change.sha,
      filename: change.path,
      status: change.status,
      additions: change.additions,
      deletions: change.deletions,
      changes: change.additions + change.deletions,
      blob_url: `${html}/blob/${sha}/${encodePath(change.path)}`,
      raw_url: `${url}/raw/${encodePath(change.path)}?ref=${sha}`,
      contents_url: `${url}/contents/${encodePath(change.path)}?ref=${sha}`,
      ...(change.patch !== undefined && { patch: change.patch }),
      ...(change.formerPath !== undefined && { previous_filename: change.formerPath }),
    })),
  }
}

type Ends = { readonly from: string; readonly to: string; readonly base: ComparedEnd; readonly head: ComparedEnd }
type FactsOfEnds = { readonly base: CommitFacts; readonly head: CommitFacts }

/** Links to what the head contains go to its own repository, which may be a fork. */
export function presentComparison(
  repository: Repository,
  found: Comparison,
  ends: Ends,
  facts: FactsOfEnds,
  view: View,
) {
  const { url, html } = placesOf(repository, view)
  const { base, fork, ahead, behind } = found
  const name = `${encodePath(ends.from)}...${encodePath(ends.to)}`
  const exact = [ends.base, ends.head].map((end) => `${end.repository.owner.login}:${end.sha.slice(0, 7)}`).join('...')
  return {
    url: `${url}/compare/${name}`,
    html_url: `${html}/compare/${name}`,
    permalink_url: `${html}/compare/${exact}`,
    diff_url: `${html}/compare/${name}.diff`,
    patch_url: `${html}/compare/${name}.patch`,
    base_commit: presentCommit(ends.base.repository, base, facts.base, view),
    merge_base_commit: presentCommit(ends.base.repository, fork, facts.base, view),
    status: ahead > 0 ? (behind > 0 ? 'diverged' : 'ahead') : behind > 0 ? 'behind' : 'identical',
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    commits: found.commits.map((commit) => presentCommit(ends.head.repository, commit, facts.head, view)),
    files: presentChanges(ends.head.repository, ends.head.sha, found.changes.slice(0, 300), view).files,
  }
}

export function presentGitCommit(repository: Repository, commit: Commit, verified: Verified, view: View) {
  const { url, html } = placesOf(repository, view)
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', `${repository.id}:${commit.sha}`),
    url: `${url}/git/commits/${commit.sha}`,
    html_url: `${html}/commit/${commit.sha}`,
    author: presentSignature(commit.author),
    committer: presentSignature(commit.committer),
    tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
    message: commit.message,
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/git/commits/${sha}`,
      html_url: `${html}/commit/${sha}`,
    })),
    verification: presentVerification(verified.get(commit.sha)),
  }
}

export function presentRef(
  repository: Repository,
  { name, sha, type }: Pick<Ref, 'name' | 'sha' | 'type'>,
  view: View,
) {
  const { url } = placesOf(repository, view)
  return {
    ref: name,
    node_id: nodeId('Ref', `${repository.id}:${name}`),
    url: `${url}/git/${encodePath(name)}`,
    object: { sha, type, url: `${url}/git/${type}s/${sha}` },
  }
}

export function presentBranch(
  repository: Repository,
  { name, sha, isProtected }: { name: string; sha: string; isProtected: boolean },
  view: View,
) {
  const { url } = placesOf(repository, view)
  return { name, commit: { sha, url: `${url}/commits/${sha}` }, protected: isProtected }
}

export function presentTag(repository: Repository, { name, target }: Ref, view: View) {
  const { url } = placesOf(repository, view)
  const short = name.replace('refs/tags/', '')
  return {
    name: short,
    zipball_url: `${url}/zipball/refs/tags/${encodePath(short)}`,
    tarball_url: `${url}/tarball/refs/tags/${encodePath(short)}`,
    commit: { sha: target.sha, url: `${url}/commits/${target.sha}` },
    node_id: nodeId('Ref', `${repository.id}:${name}`),
  }
}

export function presentGitTag(repository: Repository, tag: AnnotatedTag, verified: Verified, view: View) {
  const { url } = placesOf(repository, view)
  const { sha, type } = tag.object
  return {
    node_id: nodeId('Tag', `${repository.id}:${tag.sha}`),
    sha: tag.sha,
    url: `${url}/git/tags/${tag.sha}`,
    object: { sha, type, url: `${url}/git/${type}s/${sha}` },
    tagger: presentSignature(tag.tagger ?? { name: '', email: '', date: new Date(0) }),
    tag: tag.name,
    message: tag.message,
    verification: presentVerification(verified.get(tag.sha)),
  }
}

export function presentTree(repository: Repository, sha: string, { entries, isCut }: Tree, view: View) {
  const { url } = placesOf(repository, view)
  return {
    sha,
    url: `${url}/git/trees/${sha}`,
    tree: new LongList(entries, ({ path, mode, type, sha: id, size }) => ({
      path,
      mode,
      type,
      sha: id,
      ...(size !== undefined && { size }),
      ...(type !== 'commit' && { url: `${url}/git/${type}s/${id}` }),
    })),
    truncated: isCut,
  }
}

export function presentBlob(
  repository: Repository,
  { sha, size, content }: { sha: string; size: number; content: string },
  view: View,
) {
  const { url } = placesOf(repository, view)
  return {
    sha,
    node_id: nodeId('Blob', `${repository.id}:${sha}`),
    size,
    url: `${url}/git/blobs/${sha}`,
    content,
    encoding: 'base64',
  }
}

/** Lines of 60 characters, each with a line end, as clients of this API expect. */
export const wrapBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/.{1,60}/g, '$&\n')

export type ContentEntry = { readonly path: string; readonly sha: string; readonly type: string; readonly size: number }

export function presentContent(repository: Repository, entry: ContentEntry, ref: string, view: View) {
  const { url, html } = placesOf(repository, view)
  const { path, sha, type, size } = entry
  const self = `${url}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`
  const git = type === 'submodule' ? null : `${url}/git/${type === 'dir' ? 'trees' : 'blobs'}/${sha}`
  const page = `${html}/${type === 'dir' ? 'tree' : 'blob'}/${encodePath(ref)}/${encodePath(path)}`
  const download =
    type === 'file' || type === 'symlink' ? `${url}/raw/${encodePath(path)}?ref=${encodeURIComponent(ref)}` : null
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    sha,
    size,
    url: self,
    html_url: page,
    git_url: git,
    download_url: download,
    type,
    _links: { self, git, html: page },
  }
}
