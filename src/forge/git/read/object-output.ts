/** Parses the output of git's commands that list refs, trees and objects. */
import { mapInSlices } from '../../../lib/scheduling/slices.ts'
import { isObjectId } from '../ref-name.ts'
import { type Commit, parseCommit } from './commit.ts'
import { readPaths } from './path-text.ts'

export type Ref = {
  readonly name: string
  readonly sha: string
  readonly type: string
  /** The object that an annotated tag points to. */
  readonly target: { readonly sha: string; readonly type: string }
}

export type TreeEntry = {
  readonly path: string
  readonly mode: string
  readonly type: 'blob' | 'tree' | 'commit'
  readonly sha: string
  readonly size: number | undefined
}

export type ObjectHead = { readonly sha: string; readonly type: string; readonly size: number }
export type GitObject = { readonly sha: string; readonly type: string; readonly bytes: Buffer }

/** Whether git reports an object id, whole or in part, as missing. */
export const lacksObject = (output: Buffer): boolean =>
  output.includes(' missing\n') && /^[0-9a-f]{4,40}(?:\^\{\w+\})? missing$/m.test(output.toString('latin1'))

/** The commits in the output of `cat-file --batch` for this many names. */
export async function parseCommits(output: Buffer, count: number): Promise<Commit[]> {
  const objects = parseBatch(output, count).filter((object) => object?.type === 'commit')
  return mapInSlices(objects, (object) => parseCommit(object!.sha, object!.bytes))
}

/** Parses `<sha> <type> <size>`, a line end, the bytes and a line end; or `<name> missing`. */
export function parseBatch(output: Buffer, count: number): (GitObject | undefined)[] {
  const objects: (GitObject | undefined)[] = []
  for (let at = 0; objects.length < count && at < output.length; ) {
    const end = output.indexOf(10, at)
    const [sha = '', type = '', size] = output.toString('utf8', at, end).split(' ')
    at = end + 1
    if (!isObjectId(sha) || size === undefined) objects.push(undefined)
    else {
      objects.push({ sha, type, bytes: output.subarray(at, at + Number(size)) })
      at += Number(size) + 1
    }
  }
  return objects
}

export function parseHeads(output: Buffer, count: number): (ObjectHead | undefined)[] {
  const lines = output.toString('utf8').split('\n').slice(0, count)
  return lines.map((line) => {
    const [sha = '', type = '', size = ''] = line.split(' ')
    return isObjectId(sha) && size !== '' ? { sha, type, size: Number(size) } : undefined
  })
}

export function parseRef(line: string): Ref {
  const [sha = '', type = '', targetSha = '', targetType = '', ...name] = line.split(' ')
  const target = targetSha ? { sha: targetSha, type: targetType } : { sha, type }
  return { name: name.join(' '), sha, type, target }
}

export function parseEntry(line: string, spell: (path: string) => string): TreeEntry {
  const tab = line.indexOf('\t')
  const [mode = '', type = '', sha = '', size = '-'] = line.slice(0, tab).split(/ +/)
  return {
    path: spell(line.slice(tab + 1)),
    mode,
    type: type as TreeEntry['type'],
    sha,
    size: size === '-' ? undefined : Number(size),
  }
}

/** Parses `submodule.NAME.path` and `.url`, each with a line end before its value and a NUL after it. */
export function parseSubmodules(output: Buffer): Map<string, string> {
  const { text, spell } = readPaths(output)
  const settings = new Map(
    text.split('\0').map((entry) => {
      const end = entry.indexOf('\n')
      return [entry.slice(0, Math.max(0, end)), spell(entry.slice(end + 1))]
    }),
  )
  const paths = [...settings].filter(([name]) => /^submodule\..*\.path$/s.test(name))
  return new Map(paths.map(([name, path]) => [path, settings.get(name.replace(/path$/, 'url')) ?? '']))
}
