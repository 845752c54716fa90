/** Parses a commit or a tag from git's text. */
import { readSignedCommit, readSignedTag, type Signed } from './signed-text.ts'

export type Signature = { readonly name: string; readonly email: string; readonly date: Date }

/** Only the first parents are returned: no real merge has as many, but a megabyte of them can be crafted. */
const maxParents = 100
const maxParentsEnd = 'tree '.length + 40 + maxParents * '\nparent '.length + maxParents * 40

export type Commit = {
  readonly sha: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Signature
  readonly committer: Signature
  readonly message: string
  /** The signature, unverified. */
  readonly signed: Signed | undefined
}

export type AnnotatedTag = {
  readonly sha: string
  readonly object: { readonly sha: string; readonly type: string }
  readonly name: string
  readonly tagger: Signature | undefined
  readonly message: string
  readonly signed: Signed | undefined
}

export function parseCommit(sha: string, bytes: Buffer): Commit {
  const { headers, message } = splitObject(bytes)
  const all = (name: string) => headers.filter(([header]) => header === name).map(([, value]) => value)
  return {
    sha,
    tree: all('tree')[0] ?? '',
    parents: all('parent'),
    author: parseSignature(all('author')[0]),
    committer: parseSignature(all('committer')[0]),
    message,
    signed: readSignedCommit(bytes),
  }
}

export function parseTag(sha: string, bytes: Buffer): AnnotatedTag {
  const { headers, message } = splitObject(bytes)
  const value = (name: string) => headers.find(([header]) => header === name)?.[1]
  const tagger = value('tagger')
  return {
    sha,
    object: { sha: value('object') ?? '', type: value('type') ?? '' },
    name: value('tag') ?? '',
    tagger: tagger === undefined ? undefined : parseSignature(tagger),
    message,
    signed: readSignedTag(bytes),
  }
}

/** Headers, one a line, continued on lines that start with a blank; then an empty line and the message. */
function splitObject(bytes: Buffer): { headers: [string, string][]; message: string } {
  const end = bytes.indexOf('\n\n')
  const head = readHead(bytes.subarray(0, end < 0 ? bytes.length : end))
  const headers: [string, string][] = []
  for (const line of head.split('\n')) {
    const last = headers.at(-1)
    if (line.startsWith(' ') && last) last[1] += `\n${line.slice(1)}`
    else headers.push([line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)])
  }
  const encoding = headers.find(([name]) => name === 'encoding')?.[1]
  const message = end < 0 ? '' : decode(bytes.subarray(end + 2), encoding)
  return { headers, message: message.replace(/\n$/, '') }
}

/** All parent lines have the same length and stand before the author, so the head is cut at a fixed offset. */
function readHead(bytes: Buffer): string {
  const author = bytes.indexOf('\nauthor ')
  if (author <= maxParentsEnd) return bytes.toString('utf8')
  const cut = bytes.lastIndexOf('\n', maxParentsEnd)
  return bytes.toString('utf8', 0, cut) + bytes.toString('utf8', author)
}

function decode(bytes: Buffer, encoding = 'utf-8'): string {
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

function parseSignature(text = ''): Signature {
  const found = /^(.*?) ?<([^>]*)> (-?\d+)/s.exec(text)
  const [, name = '', email = '', seconds = '0'] = found ?? []
  const at = Number(seconds) * 1000
  return { name, email, date: new Date(Math.abs(at) <= 8.64e15 ? at : 0) }
}
