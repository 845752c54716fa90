/** The files of a package's checker or interactor. Their size is checked before any of them is read. */
import { isUtf8 } from 'node:buffer'
import type { Limits } from '../limits.ts'
import type { ProgramFile } from '../problem-judging/judging.ts'
import { invalidPackage } from './package-files.ts'
import type { PackageReading } from './packaged-problem.ts'

type Bounds = Pick<Limits, 'programFiles' | 'programBytes'>

/** `names`: each file's name in the program, by its path in the package. `what`: the program's name in errors. */
export async function readProgramFiles(
  { files, used }: Pick<PackageReading, 'files' | 'used'>,
  names: ReadonlyMap<string, string>,
  { programFiles, programBytes }: Bounds,
  what: string,
  change: (text: string) => string = (text) => text,
): Promise<ProgramFile[]> {
  const demandSize = (bytes: number) => {
    if (bytes > programBytes) throw invalidPackage(`${what} is over ${programBytes} bytes.`)
  }
  if (names.size > programFiles) throw invalidPackage(`${what} has over ${programFiles} files.`)
  let declared = 0
  for (const path of names.keys()) {
    declared += await files.size(path)
    demandSize(declared)
  }
  const list: ProgramFile[] = []
  let bytes = 0
  for (const [path, name] of names) {
    used.add(path)
    const given = await files.read(path)
    const text = isUtf8(given) ? given.toString() : ''
    const changed = change(text)
    const content = changed === text ? given : Buffer.from(changed)
    bytes += content.length
    // Replacing a constant may make a file longer.
    demandSize(bytes)
    list.push({ name, content })
  }
  return list
}
