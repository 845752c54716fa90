/** Objects of git as nobody's git would write them, put into a repository of the pusher's. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

export type CraftedEntry = { readonly mode: string; readonly name: string | Buffer; readonly sha: string }

export function makeObjects(folder: string) {
  const write = (type: string, bytes: Buffer | string): string => {
    const whole = Buffer.concat([Buffer.from(`${type} ${Buffer.byteLength(bytes)}\0`), Buffer.from(bytes as string)])
    const sha = createHash('sha1').update(whole).digest('hex')
    const place = join(folder, '.git', 'objects', sha.slice(0, 2))
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, sha.slice(2)), deflateSync(whole, { level: 1 }))
    return sha
  }
  const who = 'Ann <ann@example.org> 1700000000 +0000'
  return {
    write,
    blob: (bytes: Buffer | string) => write('blob', bytes),
    tree: (entries: readonly CraftedEntry[]) =>
      write(
        'tree',
        Buffer.concat(
          entries.flatMap(({ mode, name, sha }) => [
            Buffer.from(`${mode} `),
            Buffer.from(name as string),
            Buffer.from([0]),
            Buffer.from(sha, 'hex'),
          ]),
        ),
      ),
    commitTree: (tree: string, parents: readonly string[] = [], message = 'crafted\n') =>
      write(
        'commit',
        `tree ${tree}\n${parents.map((sha) => `parent ${sha}\n`).join('')}author ${who}\ncommitter ${who}\n\n${message}`,
      ),
    tag: ({ sha, type }: { sha: string; type: string }, name: string, message = 'crafted\n') =>
      write('tag', `object ${sha}\ntype ${type}\ntag ${name}\ntagger ${who}\n\n${message}`),
  }
}
