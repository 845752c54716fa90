/** Locates our own programs that run in a thread or a process of their own. */
import { join, relative } from 'node:path'

declare global {
  interface ImportMeta {
    /** The folder of the build that this code is part of (`scripts/build.mjs`); undefined if it runs from source. */
    readonly built?: string
  }
}

const source = join(import.meta.dirname, '..', '..')

/** The built file if its caller was built, else the source file. */
export function programFile(folder: string, name: string): string {
  const path = join(folder, name)
  if (import.meta.built === undefined) return path
  return join(import.meta.built, relative(source, path)).replace(/\.ts$/, '.js')
}
