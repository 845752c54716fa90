/** Classifies a file's content: text, a picture, or other bytes. */
import { repositoryPath, request } from '../../api/forge.ts'
import type { Content } from '../tree/folder.ts'

export type FileBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'picture'; readonly address: string }
  | { readonly kind: 'binary' | 'too-large' | 'empty' }

/** Larger ones are for downloading. */
const mostBytes = 8 * 1024 * 1024

const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
}

export async function readBody(owner: string, repo: string, file: Content, ref: string): Promise<FileBody> {
  if (file.size === 0) return { kind: 'empty' }
  if (file.size > mostBytes) return { kind: 'too-large' }
  const type = pictures[/\.(\w+)$/.exec(file.path)?.[1]?.toLowerCase() ?? '']
  // A picture's scripts do not run, whatever it is: it is shown as a picture, not as a document.
  if (type && file.encoding === 'base64' && file.content)
    return { kind: 'picture', address: `data:${type};base64,${file.content.replace(/\s/g, '')}` }
  const bytes =
    file.encoding === 'base64' && file.content !== undefined
      ? decodeBase64(file.content)
      : await readRaw(owner, repo, file.path, ref)
  return toBody(bytes)
}

async function readRaw(owner: string, repo: string, path: string, ref: string): Promise<Uint8Array> {
  const response = await request(repositoryPath(owner, repo, 'raw', path), { query: { ref }, accept: '*/*' })
  return new Uint8Array(await response.arrayBuffer())
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/\s/g, ''))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** As git does, a zero byte near the start means binary. Text that is not UTF-8 is read as Latin-1. */
function toBody(bytes: Uint8Array): FileBody {
  if (bytes.subarray(0, 8_000).includes(0)) return { kind: 'binary' }
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { kind: 'text', text: new TextDecoder('latin1').decode(bytes) }
  }
}

/** Bidirectional control characters, which can make code look different from what it does. */
export const hidesOrder = (text: string): boolean => /[\u202A-\u202E\u2066-\u2069]/.test(text)
