/** The command that a git client sends over SSH: three are known, each with a path that is quoted as git quotes it. */

export type SshCommand =
  | { readonly kind: 'git'; readonly service: 'upload-pack' | 'receive-pack'; readonly address: SshAddress }
  | { readonly kind: 'lfs'; readonly operation: 'download' | 'upload'; readonly address: SshAddress }

export type SshAddress = { readonly owner: string; readonly repo: string }

const maxLength = 1024

/** Undefined for any other command. The text never reaches a shell. */
export function parseCommand(text: string): SshCommand | undefined {
  const words = text.length <= maxLength ? readWords(text.replace(/^git /, 'git-')) : undefined
  const [name, path = '', operation, ...more] = words ?? []
  const address = readAddress(path)
  if (!address || more.length > 0) return undefined
  if (name === 'git-lfs-authenticate') {
    if (operation !== 'download' && operation !== 'upload') return undefined
    return { kind: 'lfs', operation, address }
  }
  const service = /^git-(upload-pack|receive-pack)$/.exec(name ?? '')?.[1] as 'upload-pack' | 'receive-pack' | undefined
  return service && operation === undefined ? { kind: 'git', service, address } : undefined
}

/**
 * Words separated by one blank. Parts of a word in single quotes are taken literally; outside quotes only plain
 * characters are allowed, and `\'` and `\!`, git's escapes for those two.
 */
function readWords(text: string): string[] | undefined {
  const word = /(?:'[^'\0-\x1f\x7f]*'|\\['!]|[A-Za-z0-9._/~+@%:=,-])+/y
  const words: string[] = []
  for (let at = 0; at < text.length; at++) {
    word.lastIndex = at
    const found = word.exec(text)?.[0]
    if (found === undefined) return undefined
    words.push(found.replace(/'([^']*)'|\\(.)/g, (_all, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''))
    at += found.length
    if (at < text.length && text[at] !== ' ') return undefined
  }
  return words
}

/** `/owner/name.git`; the leading slash, the suffix and one trailing slash are optional. */
function readAddress(path: string): SshAddress | undefined {
  const [, owner, repo] = /^\/?([^/]+)\/([^/]+)\/?$/.exec(path) ?? []
  return owner !== undefined && repo !== undefined ? { owner, repo } : undefined
}
