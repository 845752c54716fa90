/**
 * Builds the server: our TypeScript and what it imports, as a few files of JavaScript in `.build/`. Each build has a
 * folder of its own, named by what went into it: a server that runs loads parts of its build later on. A server that starts
 * from them takes 22 MB less and half the processor time of one that Node loads file by file from `src/`, which works as
 * well. Plain JavaScript, because `ready.mjs` runs it with whatever Node there is.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const source = join(root, 'src')
const builds = join(root, '.build')
/** Servers may still run from builds of before. */
const keptBuilds = 5

/** What is started by its file: the command line, the executor, and threads. */
const isProgram = (path) =>
  ['cli.ts', join('executor', 'main.ts')].includes(path) || /(?:^|[-/])(?:worker|thread)\.ts$/.test(path)

/** These load files beside their own, or parts made for one machine, or are large and rarely used. */
const external = ['@node-rs/argon2', 'apache-arrow', 'esbuild', 'pg', 'pino', 'piscina', 'prom-client', 'ssh2']

export const isBuilt = () => existsSync(currentBuild())

/** Where a program of `src/` is in the build of what is there now. */
export const builtFile = (path) => join(currentBuild(), path.replace(/\.ts$/, '.js'))

const currentBuild = () => join(builds, makeStamp())

/** It is made beside its place and moved there whole. */
export async function build() {
  const folder = currentBuild()
  const draft = `${folder}.${process.pid}`
  try {
    const programs = listSources()
      .filter(isProgram)
      .map((path) => join(source, path))
    await bundle(programs, draft, { outbase: source, minifyWhitespace: true, minifySyntax: true })
    writeFileSync(join(draft, 'package.json'), '{"type":"module"}\n')
    // Where another process was first, its build is the same.
    if (!existsSync(folder)) renameSync(draft, folder)
    removeOld()
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Files of `test/` by the names they get in the folder: those that load the server do it in half the time. */
export const bundleTests = (files, folder) =>
  bundle(files, folder, { outExtension: { '.js': '.mjs' }, allowOverwrite: true })

async function bundle(entryPoints, outdir, options) {
  const { build: make } = await import('esbuild')
  await make({
    absWorkingDir: root,
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external,
    // Names stay, so that a trace can be read; maps are for who starts Node with --enable-source-maps.
    sourcemap: true,
    sourcesContent: false,
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    define: { 'import.meta.built': JSON.stringify(currentBuild()) },
    plugins: [{ name: 'places', setup: keepPlaces }],
    logLevel: 'warning',
    ...options,
  })
}

function removeOld() {
  const aged = readdirSync(builds)
    .map((name) => join(builds, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  for (const path of aged.slice(keptBuilds)) rmSync(path, { recursive: true, force: true })
}

/** A file finds what lies beside it, and packages where they are, wherever its code went. */
function keepPlaces({ onLoad, onResolve }) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  /** Tools of tests are large, and a file needs few of them. */
  const isTool = (path) => Object.keys(devDependencies).some((name) => path === name || path.startsWith(`${name}/`))
  // What is imported when it is used stays a package: of one in CommonJS, esbuild would give the default export alone.
  onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
    kind === 'dynamic-import' || isTool(path) ? { path, external: true } : undefined,
  )
  // This file, as tests import it, speaks of what is replaced below.
  onResolve({ filter: /^\..*\.mjs$/ }, ({ importer, path, resolveDir }) =>
    isOurs(importer) ? { path: join(resolveDir, path), external: true } : undefined,
  )
  onLoad({ filter: /\.ts$/ }, async ({ path }) => {
    if (!isOurs(path)) return undefined
    const text = await readFile(path, 'utf8')
    const contents = text
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      .replaceAll('import.meta.filename', JSON.stringify(path))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
    return { contents, loader: 'ts' }
  })
}

const isOurs = (path) => !relative(root, path).startsWith('node_modules')

/** Changes with whatever goes into a build: where it is, the packages, and each source's time and size. */
function makeStamp() {
  const hash = createHash('sha256')
    .update(`${root}\n`)
    .update(readFileSync(join(root, 'package-lock.json')))
  for (const path of [...listSources().map((name) => join(source, name)), fileURLToPath(import.meta.url)]) {
    const { mtimeMs, size } = statSync(path)
    hash.update(`${relative(root, path)} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

const listSources = () =>
  readdirSync(source, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort()
