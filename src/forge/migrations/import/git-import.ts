/**
 * Imports the git data of an archive. Only its objects and refs are put into a repository of our own making, and
 * fetched from there. Files that git would act upon (a config, a hook, an alternate) never get to where git looks for
 * them.
 */
import { createReadStream } from 'node:fs'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../../../lib/failure.ts'
import { findSystemCode } from '../../../lib/outages/outage.ts'
import { makeSlices, mapInSlices } from '../../../lib/scheduling/slices.ts'
import { makePackInspector, type PackInspector } from '../../git/pack/pack-inspector.ts'
import { type GitLimits, packBounds, transferBounds } from '../../git/process/git-limits.ts'
import { demandGit } from '../../git/process/process.ts'
import { isObjectId, isRefPart, passesForObject } from '../../git/ref-name.ts'
import type { Copying } from '../../git/write/copying.ts'
import { isLooseObject, isPack } from './reading/archive-path.ts'
import { demandImport, refuseImport } from './refusal.ts'

const maxRefBytes = 64 * 1024 * 1024

export type GitImport = ReturnType<typeof makeGitImport>

/** Each ref's name with its object id. */
export type Refs = ReadonlyMap<string, string>

type Filling = {
  /** The folder with the archive's files. */
  readonly from: string
  /** The paths of these files. */
  readonly inner: readonly string[]
  /** The numbers of the pulls in the archive. */
  readonly pulls: ReadonlySet<number>
  /** A folder that does not exist yet. */
  readonly clean: string
  /** The repository to fill. */
  readonly draft: string
  readonly name: string
  /** Told of a ref whose name is not taken; without it, such a ref refuses the archive. */
  readonly leaveOut: ((ref: string) => void) | undefined
}

export function makeGitImport({ copying, limits }: { copying: Copying; limits: GitLimits }) {
  const inspector = makePackInspector(packBounds(limits))
  const options = { bounds: transferBounds(limits), limitMs: limits.transferSeconds * 1000 }

  return {
    /** Answers the repository's refs. */
    async fill({ from, inner, pulls, clean, draft, name, leaveOut }: Filling): Promise<Refs> {
      try {
        for (const folder of ['', 'refs', 'objects', 'objects/pack']) await mkdir(join(clean, folder))
        await writeFile(join(clean, 'HEAD'), 'ref: refs/heads/main\n')
        for (const path of inner.filter((one) => isLooseObject(one) || isPack(one))) {
          if (isPack(path)) await inspect(inspector, join(from, path))
          await mkdir(join(clean, dirname(path)), { recursive: true })
          await rename(join(from, path), join(clean, path))
        }
        for (const path of inner.filter(isPack))
          await demandGit(['index-pack', join(clean, path)], { ...options, folder: clean })
        const refs = await readRefs(from, inner, pulls, leaveOut)
        if (refs.size > 0) {
          const lines = await mapInSlices([...refs], ([ref, sha]) => `create ${ref} ${sha}\n`)
          await demandGit(['update-ref', '--stdin'], { ...options, folder: clean, input: lines.join('') })
          await copying.copyStrange(clean, draft)
        }
        return refs
      } catch (error) {
        throw explain(error, name)
      }
    },
  }
}

async function inspect(inspector: PackInspector, path: string): Promise<void> {
  const inspection = inspector.begin()
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) await inspection.take(chunk, false)
  } finally {
    inspection.close()
  }
}

/** Only the server writes refs/pull: another name there, or the number of a later pull, would be in its way. */
function isTaken(ref: string, pulls: ReadonlySet<number>): boolean {
  if (!ref.startsWith('refs/pull/')) return true
  const [, number] = /^refs\/pull\/([1-9]\d{0,9})\/(?:head|merge)$/.exec(ref) ?? []
  return number !== undefined && pulls.has(Number(number))
}

/** A loose ref overrides a packed one, as in git. */
async function readRefs(
  from: string,
  inner: readonly string[],
  pulls: ReadonlySet<number>,
  leaveOut: Filling['leaveOut'],
): Promise<Refs> {
  const refs = new Map<string, string>()
  const add = (ref: string, sha: string) => {
    // The public platform's own notes.
    if (ref.startsWith('refs/__gh__/')) return
    const isName = ref.startsWith('refs/') && isRefPart(ref) && !passesForObject(ref)
    if (!isName && leaveOut) return leaveOut(ref)
    demandImport(isName && isObjectId(sha), `${JSON.stringify(ref.slice(0, 200))} is not a ref`)
    if (isTaken(ref, pulls)) refs.set(ref, sha)
  }
  if (inner.includes('packed-refs')) {
    const { size } = await stat(join(from, 'packed-refs'))
    demandImport(size <= maxRefBytes, 'its refs are without end')
    const packed = await readFile(join(from, 'packed-refs'))
    const slices = makeSlices()
    for (let at = 0, end: number; at < packed.length; at = end + 1) {
      end = packed.indexOf(0x0a, at)
      if (end < 0) end = packed.length
      const line = packed.toString('utf8', at, end)
      // Skips comments and the targets of tags.
      if (line === '' || line.startsWith('#') || line.startsWith('^')) continue
      add(line.slice(41), line.slice(0, 40))
      if (slices.isDue()) await slices.pause()
    }
  }
  for (const path of inner.filter((one) => one.startsWith('refs/'))) {
    const { size } = await stat(join(from, path))
    demandImport(size <= 41, `${JSON.stringify(path.slice(0, 200))} is not a ref`)
    add(path, (await readFile(join(from, path), 'latin1')).trimEnd())
  }
  return refs
}

/** The machine's faults are tried again; any other is the archive's. */
function explain(error: unknown, name: string): unknown {
  const { message, code } = error as NodeJS.ErrnoException
  if (error instanceof Failure) {
    if (error.kind === 'unavailable' && error.code !== 'too-slow') return error
    return refuseImport(`The git data of ${name} can’t be taken: ${message.replace(/\.$/, '')}.`)
  }
  const isGit = error instanceof Error && message.startsWith('git ')
  if (!isGit || code || findSystemCode(message)) return error
  return refuseImport(`The git data of ${name} is damaged: ${firstComplaint(message)}`)
}

const firstComplaint = (message: string): string =>
  (/(?:fatal|error): ([^\n]{1,300})/.exec(message)?.[1] ?? message.slice(0, 300)).replaceAll(/\/[^\s:'"]*\//g, '')
