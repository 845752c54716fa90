/** Where a program of ours lies that runs in a thread or a process of its own. */
import { join, relative } from 'node:path'

declare global {
  interface ImportMeta {
    /** The folder of the build that this code is part of (`scripts/build.mjs`); undefined where it runs as it was written. */
    readonly built?: string
  }
}

const source = join(import.meta.dirname, '..', '..')

/** The file as it was built, where its caller was, and as it was written elsewhere. */
export function programFile(folder: string, name: string): string {
  const path = join(folder, name)
  if (import.meta.built === undefined) return path
  return join(import.meta.built, relative(source, path)).replace(/\.ts$/, '.js')
}
