/**
 * The words of issues and comments, kept in the transactions of the acts that write them. A table of words, the same on both
 * databases, stands in for each one's own full-text index: backups go from one to the other, and a search in one repository
 * costs nothing of the others.
 */
import type { Db } from '../../../store/schema/schema.ts'

export const titleSource = -1
export const bodySource = 0

/** So many distinct words of a text can be found, the first ones, and of each so many characters. */
const maxWords = 1_000
const maxLength = 64
/** Of a longer text, as an import may bring, the beginning can be found. */
const maxText = 65_536
const portion = 200

/** Each once, in lower case. */
export function listWords(text: string): string[] {
  const found = new Set<string>()
  // Most words of a long text come again and again: each is normalized once.
  const seen = new Set<string>()
  for (const [word] of text.slice(0, maxText).matchAll(/[\p{L}\p{N}\p{M}_]+/gu)) {
    if (seen.has(word)) continue
    seen.add(word)
    // What is normalized is short: to put a long run of combining marks in order takes the square of its length.
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

/** In place of those that the same text had before. */
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
