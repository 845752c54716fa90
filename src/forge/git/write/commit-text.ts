/** The text of a commit in git's form, and the parts that survive when it is rewritten on another parent. */
import { hiddenAddress } from '../../person.ts'

export type CommitText = {
  readonly tree: string
  readonly parents: readonly string[]
  /** As in a commit: `Name <address> seconds zone`. */
  readonly author: string | Buffer
  readonly committer: string | Buffer
  /** The message's encoding, if it is not UTF-8. */
  readonly encoding?: Buffer | undefined
  /** The author's PGP or SSH signature, armoured. */
  readonly signature?: string | undefined
  readonly message: string | Buffer
}

type Account = { readonly name: string; readonly displayName: string }

/** An account as a commit's author, without its real address. */
export const signAs = ({ name, displayName }: Account, at: number): string =>
  `${cleanName(displayName || name)} <${hiddenAddress(name)}> ${Math.floor(at / 1000)} +0000`

/** Removes the characters that would end a signature early. */
export const cleanName = (name: string): string => name.replace(/[<>\n\r\0]/g, ' ').trim() || 'unknown'

/** Removes NULs, which would end the message for git. Every message ends with a line end. */
export function spellCommit({ tree, parents, author, committer, encoding, signature, message }: CommitText): Buffer {
  const text = typeof message === 'string' ? `${message.replaceAll('\0', '').trimEnd()}\n` : message
  const parts = [
    `tree ${tree}\n`,
    ...parents.map((parent) => `parent ${parent}\n`),
    'author ',
    author,
    '\ncommitter ',
    committer,
    '\n',
    ...(encoding ? ['encoding ', encoding, '\n'] : []),
    // Continuation lines of a header begin with a blank.
    ...(signature ? [`gpgsig ${signature.trimEnd().replaceAll('\r', '').replaceAll('\n', '\n ')}\n`] : []),
    '\n',
    text,
  ]
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

export type KeptParts = Pick<CommitText, 'author' | 'encoding' | 'message'>

/** The author and the message, byte by byte: the message may be in any encoding. A signature would not stay valid. */
export function readKept(commit: Buffer): KeptParts {
  const end = commit.indexOf('\n\n')
  const head = end < 0 ? commit : commit.subarray(0, end + 1)
  return {
    author: findHeader(head, 'author') ?? Buffer.from('unknown <> 0 +0000'),
    encoding: findHeader(head, 'encoding'),
    message: end < 0 ? Buffer.alloc(0) : commit.subarray(end + 2),
  }
}

function findHeader(head: Buffer, name: string): Buffer | undefined {
  const mark = Buffer.from(`\n${name} `)
  const at = head.indexOf(mark)
  if (at < 0) return undefined
  const end = head.indexOf(10, at + 1)
  return head.subarray(at + mark.length, end < 0 ? head.length : end)
}
