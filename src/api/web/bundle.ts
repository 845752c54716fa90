/** The page's files: reused if their sources are unchanged, otherwise rebuilt in a separate process. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..', '..', '..')
const place = join(root, 'node_modules', '.cache', 'web')

/** The result of `scripts/bundle.ts`: names of files in its folder. */
export type Manifest = {
  /** The first script and its static imports. */
  readonly scripts: readonly string[]
  readonly style: string
  readonly files: readonly string[]
  /** The documents by name. */
  readonly documents: Readonly<Record<string, string>>
}

export type Bundle = Manifest & { readonly folder: string }

const longestMs = 120_000

let found: Promise<Bundle> | undefined

/** Shared by all callers in this process, since the files do not change while it runs. A failure is retried. */
export function findBundle(): Promise<Bundle> {
  found ??= findOrMake().catch((error) => {
    found = undefined
    throw error
  })
  return found
}

async function findOrMake(): Promise<Bundle> {
  // A bundle's folder is named by the hash of all its sources, so it exists only if it is current.
  const folder = join(place, await hashSources())
  return readManifest(folder).catch(async () => {
    const script = join(root, 'scripts', 'bundle.ts')
    const words = ['--disable-warning=ExperimentalWarning', script, folder]
    await promisify(execFile)(process.execPath, words, { timeout: longestMs })
    return readManifest(folder)
  })
}

async function readManifest(folder: string): Promise<Bundle> {
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest
  return { ...manifest, folder }
}

/** Sources that the page shares with the server and the command line, and the build scripts. */
const others = [
  ...[
    'lib/text/csv.ts',
    'lib/rest-addresses.ts',
    'lib/judging-rules/token-arguments.ts',
    'lib/judging-rules/checker-sources.ts',
    'accounts/class-list.ts',
  ].map((path) => join('src', path)),
  join('scripts', 'bundle.ts'),
  join('scripts', 'documents.ts'),
  join('scripts', 'shared-modules.ts'),
  'package-lock.json',
]

async function hashSources(): Promise<string> {
  const own = (await readdir(join(root, 'web'), { recursive: true })).filter((path) => /\.(?:tsx?|css|svg)$/.test(path))
  const documents = (await readdir(join(root, 'docs'))).filter((path) => path.endsWith('.md'))
  const paths = [...own.map((path) => join('web', path)), ...documents.map((path) => join('docs', path)), ...others]
  const hash = createHash('sha256')
  for (const path of paths.sort()) {
    hash.update(`${path}\0`)
    hash.update(await readFile(join(root, path)))
  }
  return hash.digest('hex').slice(0, 32)
}
