/** Writes the first commit of a new repository, before anyone can see it. */

import { demandGit } from '../process/process.ts'
import { signAs } from './commit-text.ts'

export type FirstCommit = {
  readonly branch: string
  readonly author: { readonly name: string; readonly displayName: string }
  readonly at: number
  readonly message: string
  readonly files: Readonly<Record<string, string>>
}

/** Answers the commit's id. */
export async function commitFirst(
  folder: string,
  { branch, author, at, message, files }: FirstCommit,
): Promise<string> {
  const who = signAs(author, at)
  const parts = [
    `commit refs/heads/${branch}\nmark :1\nauthor ${who}\ncommitter ${who}\n${spellData(message)}`,
    ...Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${spellData(text)}`),
    '\nget-mark :1\n',
  ]
  return (await demandGit(['fast-import', '--quiet'], { folder, input: parts.join('') })).toString().trim()
}

const spellData = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
