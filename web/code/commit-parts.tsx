/** Parts of commits that several views show: the first line of a message, and who made the commit. */
import type { Commit } from '../api/forge-types.ts'
import { Avatar } from '../parts/avatar.tsx'
import { When } from '../parts/when.tsx'

/** The first line, and what stands below it. */
export function splitMessage(message: string): readonly [title: string, text: string] {
  const end = message.indexOf('\n')
  return end < 0 ? [message.trim(), ''] : [message.slice(0, end).trim(), message.slice(end + 1).trim()]
}

type Author = Pick<Commit, 'author' | 'committer' | 'commit'>

/** By the account, where the address is one's, and else by the name that git has. */
export function CommitAuthor({ commit: { author, committer, commit } }: { commit: Author }) {
  const isOther = commit.author.email !== commit.committer.email && commit.committer.name !== 'GitHub'
  return (
    <span>
      <Person user={author} name={commit.author.name} />
      {isOther && (
        <>
          {' '}
          (committed by <Person user={committer} name={commit.committer.name} />)
        </>
      )}{' '}
      <When at={Date.parse(commit.committer.date)} />
    </span>
  )
}

export const Person = ({ user, name }: { user: Commit['author']; name: string }) =>
  user ? (
    <a class="person" href={`/${user.login}`}>
      <Avatar id={user.id} /> {user.login}
    </a>
  ) : (
    <bdi class="strong">{name || 'Unknown'}</bdi>
  )

const doubts: Readonly<Record<string, string>> = {
  unknown_key: 'No account has registered the key that signed this.',
  no_user: 'The committer’s email address belongs to no account.',
  bad_email: 'The key does not name the committer’s email address.',
  expired_key: 'The key had expired.',
  invalid: 'The signature does not match the commit.',
}

/** Whether a registered key signed it; nothing for a commit without a signature. */
export function SignatureBadge({ commit: { committer, commit } }: { commit: Author }) {
  const { verified, reason } = commit.verification
  if (reason === 'unsigned') return null
  if (verified)
    return (
      <span class="badge good" title={`Signed with a key of ${committer?.login ?? 'its committer'}.`}>
        Verified
      </span>
    )
  return (
    <span class="badge" title={doubts[reason] ?? 'The signature could not be checked.'}>
      Unverified
    </span>
  )
}
