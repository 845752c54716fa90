/**
 * The words of issues and comments, written in the same transactions as the texts. One table of words replaces the two
 * databases' own full-text indexes: backups move between the databases, and a search in one repository costs nothing
 * for the others.
 */
import type { Db } from '../../../store/schema/schema.ts'

export const titleSource = -1
export const bodySource = 0

/** The limits of searchable words: the first distinct words of a text, and the characters of each. */
const maxWords = 1_000
const maxLength = 64
/** Of a longer text, which an import may bring, only the beginning can be found. */
const maxText = 65_536
const portion = 200

/** The distinct words, in lower case. */
export function listWords(text: string): string[] {
  const found = new Set<string>()
  // Most words of a long text recur: normalize each only once.
  const seen = new Set<string>()
  for (const [word] of text.slice(0, maxText).matchAll(/[\p{L}\p{N}\p{M}_]+/gu)) {
    if (seen.has(word)) continue
    seen.add(word)
    // Cut before normalizing: sorting a long run of combining marks takes quadratic time.
    const normal = [
      ...word
        .slice(0, 2 * maxLength)
        .normalize('NFKC')
        .toLowerCase(),
    ]
    found.add(normal.slice(0, maxLength).join(''))
    if (found.size === maxWords) break
  }
  return [...found]
}

export type WrittenWords = {
  readonly repositoryId: number
  readonly issueId: number
  /** `titleSource`, `bodySource`, or a comment's id. */
  readonly source: number
  readonly text: string
}

/** Replaces the words of the text's former version. */
export async function keepWords(trx: Db, { repositoryId, issueId, source, text }: WrittenWords): Promise<void> {
  await dropWords(trx, issueId, source)
  const words = listWords(text)
  for (let at = 0; at < words.length; at += portion)
    await trx
      .insertInto('issue_word')
      .values(
        words.slice(at, at + portion).map((word) => ({ repository_id: repositoryId, word, issue_id: issueId, source })),
      )
      .execute()
}

export async function dropWords(trx: Db, issueId: number, source: number): Promise<void> {
  await trx.deleteFrom('issue_word').where('issue_id', '=', issueId).where('source', '=', source).execute()
}
