/** The shared libraries that programs need, as the loader of this machine finds them: it lists them without running anything. */
import { execFile } from 'node:child_process'
import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Libraries of the C library itself, which other programs may need, or which are loaded at run time. */
const siblings = ['libgcc_s.so.1', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'librt.so.1', 'libatomic.so.1']
/** How many libraries the loader is asked about at once: their paths are passed in one environment variable. */
const askedAtOnce = 200

/**
 * The libraries of these files and the loader itself; the files themselves may also be libraries. Other files are
 * skipped. Works with `glibc` and `musl`.
 */
export async function listLibraries(paths: readonly string[]): Promise<string[]> {
  const binaries = paths.map((path) => ({ path, ...readElf(path) })).filter(({ isElf }) => isElf)
  const programs = binaries.filter(({ loader }) => loader !== null)
  const main = programs[0]
  if (!main) return []
  const found = new Set<string>()
  // Programs are listed one by one: only libraries can be preloaded together.
  for (const { path, loader } of programs) {
    found.add(loader!)
    for (const library of await askOnce(loader!, path)) found.add(library)
  }
  const libraries = binaries.filter(({ loader }) => loader === null).map(({ path }) => path)
  for (let at = 0; at < libraries.length; at += askedAtOnce) {
    const some = libraries.slice(at, at + askedAtOnce)
    for (const library of await ask(main.loader!, main.path, some)) found.add(library)
  }
  for (const folder of new Set([...found].map(dirname))) {
    for (const name of siblings) if (existsSync(join(folder, name))) found.add(join(folder, name))
  }
  const given = new Set(paths)
  return [...found].filter((path) => !given.has(path))
}

/** The system programs that every box needs are the same for all languages, so results are cached. */
const known = new Map<string, readonly string[]>()

async function askOnce(loader: string, path: string): Promise<readonly string[]> {
  const key = `${path} ${statSync(path).mtimeMs}`
  const found = known.get(key) ?? (await ask(loader, path, []))
  known.set(key, found)
  return found
}

async function ask(loader: string, program: string, beside: readonly string[]): Promise<string[]> {
  const env = beside.length === 0 ? {} : { LD_PRELOAD: beside.join(':') }
  const { stdout } = await execute(loader, ['--list', program], { env, timeout: 60_000, maxBuffer: 1 << 24 })
  const paths = stdout.split('\n').map((line) => /(?:^\s|=> )(\/.*) \(0x[0-9a-f]+\)$/.exec(line)?.[1])
  return [...new Set(paths.filter((path) => path !== undefined && existsSync(path)))] as string[]
}

type Elf = { readonly isElf: boolean /** Only for a program. */; readonly loader: string | null }

const headBytes = 4096
const notElf: Elf = { isElf: false, loader: null }

/** Reads headers of 64-bit, little-endian files, as on both supported machines. */
function readElf(path: string): Elf {
  const head = readHead(path)
  if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46) return notElf
  const [offset, size, count] = [Number(head.readBigUInt64LE(32)), head.readUInt16LE(54), head.readUInt16LE(56)]
  for (let i = 0, at = offset; i < count && at + 56 <= head.length; i++, at += size) {
    if (head.readUInt32LE(at) !== 3) continue // PT_INTERP
    const [start, length] = [Number(head.readBigUInt64LE(at + 8)), Number(head.readBigUInt64LE(at + 32))]
    const name = readHead(path, start, length).toString('latin1').replace(/\0.*$/s, '')
    // Some libraries can also be started, and name a loader; they are still libraries.
    return { isElf: true, loader: /\.so(?:\.|$)/.test(basename(realpathSync(path))) ? null : name }
  }
  return { isElf: true, loader: null }
}

function readHead(path: string, position = 0, length = headBytes): Buffer {
  const descriptor = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position))
  } finally {
    closeSync(descriptor)
  }
}
