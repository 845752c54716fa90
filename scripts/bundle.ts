/** `node scripts/bundle.ts FOLDER`: makes the page of `web/` into files that browsers load, in FOLDER. The server runs it beside itself. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import type { Manifest } from '../src/api/web/bundle.ts'
import { renderDocuments } from './documents.ts'
import { shareModules } from './shared-modules.ts'

const root = join(import.meta.dirname, '..')
const folder = process.argv[2]!
/** Bundles of before are kept for servers that still run with them. */
const keptBundles = 3
/** Brotli's best takes thirty times as long for nine bytes in a hundred, and whoever starts a server waits for it. */
const quality = 9

/** It is made beside its place and moved there whole, so that several who make it at once do not disturb each other. */
const draft = `${folder}.${process.pid}`
await rm(draft, { recursive: true, force: true })
await mkdir(draft, { recursive: true })
const main = 'web/main.tsx'
const options = {
  absWorkingDir: root,
  entryPoints: { app: main, style: 'web/styles/main.css' },
  outdir: draft,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.svg': 'file' },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions
// The first tells which modules are shared.
const alone = await build({ ...options, write: false })
const { metafile } = await build({ ...options, plugins: [shareModules(root, alone.metafile, main)] })
const documents: Record<string, string> = {}
for (const { name, body } of await renderDocuments(join(root, 'docs'))) {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
  documents[name] = `docs-${name}-${hash}.json`
  await writeFile(join(draft, documents[name]), body)
}
const icon = 'icon.svg'
await writeFile(join(draft, icon), await readFile(join(root, 'web', icon)))
const files = await readdir(draft)
await Promise.all(files.map(compress))
const manifest: Manifest = { ...findEntries(metafile), files, documents }
await writeFile(join(draft, 'manifest.json'), JSON.stringify(manifest))
// Where another process was first, its bundle is the same.
await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
await removeOld()

/** What the shell names: the script with all that it imports at once, and the style. */
function findEntries({ outputs }: Metafile): Pick<Manifest, 'scripts' | 'style'> {
  const named = (entry: string) => Object.keys(outputs).find((path) => outputs[path]!.entryPoint === entry)!
  const scripts = new Set([named(main)])
  for (const path of scripts)
    for (const { path: imported, kind } of outputs[path]!.imports)
      if (kind === 'import-statement') scripts.add(imported)
  return { scripts: [...scripts].map((path) => basename(path)), style: basename(named('web/styles/main.css')) }
}

async function compress(name: string): Promise<void> {
  const bytes = await readFile(join(draft, name))
  const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }
  await writeFile(join(draft, `${name}.br`), await promisify(brotliCompress)(bytes, options))
  await writeFile(join(draft, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }))
}

async function removeOld(): Promise<void> {
  const place = dirname(folder)
  const names = (await readdir(place)).filter((name) => /^[0-9a-f]+$/.test(name))
  const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(place, name))).mtimeMs })))
  aged.sort((a, b) => b.at - a.at)
  for (const { name } of aged.slice(keptBundles)) await rm(join(place, name), { recursive: true, force: true })
}
