/** Files that a new repository can begin with: a licence, and the paths that git ignores. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const uses = ['commercial-use', 'modifications', 'distribution', 'private-use']
const none = ['liability', 'warranty']

export const licenses: readonly License[] = [
  {
    ...{ key: 'mit', name: 'MIT License', spdxId: 'MIT' },
    ...{ permissions: uses, conditions: ['include-copyright'], limitations: none },
    description: 'Short: it asks only that the copyright and the licence are kept.',
  },
  {
    ...{ key: 'apache-2.0', name: 'Apache License 2.0', spdxId: 'Apache-2.0' },
    permissions: [...uses, 'patent-use'],
    ...{ conditions: ['include-copyright', 'document-changes'], limitations: ['trademark-use', ...none] },
    description: 'Asks that the copyright, the licence and notes of changes are kept, and grants patents.',
  },
  {
    ...{ key: 'bsd-2-clause', name: 'BSD 2-Clause "Simplified" License', spdxId: 'BSD-2-Clause' },
    ...{ permissions: uses, conditions: ['include-copyright'], limitations: none },
    description: 'Asks that the copyright and the licence are kept.',
  },
  {
    ...{ key: 'bsd-3-clause', name: 'BSD 3-Clause "New" or "Revised" License', spdxId: 'BSD-3-Clause' },
    ...{ permissions: uses, conditions: ['include-copyright'], limitations: none },
    description: 'The same, and nobody may advertise with the names of its authors.',
  },
  {
    ...{ key: 'isc', name: 'ISC License', spdxId: 'ISC' },
    ...{ permissions: uses, conditions: ['include-copyright'], limitations: none },
    description: 'Means the same as the two-clause BSD licence, in fewer words.',
  },
  {
    ...{ key: 'mpl-2.0', name: 'Mozilla Public License 2.0', spdxId: 'MPL-2.0' },
    permissions: [...uses, 'patent-use'],
    conditions: ['disclose-source', 'include-copyright', 'same-license--file'],
    limitations: ['trademark-use', ...none],
    description: 'Changed files stay under this licence, with their source; files beside them need not be.',
  },
  {
    ...{ key: 'gpl-3.0', name: 'GNU General Public License v3.0', spdxId: 'GPL-3.0' },
    permissions: [...uses, 'patent-use'],
    conditions: ['include-copyright', 'document-changes', 'disclose-source', 'same-license'],
    limitations: none,
    description: 'Whatever is made of it is given on under this licence, with its source.',
  },
  {
    ...{ key: 'unlicense', name: 'The Unlicense', spdxId: 'Unlicense' },
    ...{ permissions: uses, conditions: [], limitations: none },
    description: 'Gives the work to everybody, without conditions.',
  },
]

export type License = {
  readonly key: string
  readonly name: string
  readonly spdxId: string
  readonly description: string
  readonly permissions: readonly string[]
  readonly conditions: readonly string[]
  readonly limitations: readonly string[]
}

export const ignoreNames: readonly string[] = ['C', 'C++', 'Go', 'Java', 'Node', 'Python', 'Rust', 'TeX']

export const findLicense = (key: string): License | undefined =>
  licenses.find((license) => license.key === key.toLowerCase())

/** By their names alone, as on the public platform. */
export const findIgnores = (name: string): string | undefined => ignoreNames.find((known) => known === name)

const read = (folder: string, name: string) => readFile(join(import.meta.dirname, folder, `${name}.txt`), 'utf8')

/** With `[year]` and `[fullname]` where they are to be filled in. */
export const readLicense = ({ key }: License): Promise<string> => read('licenses', key)
export const readIgnores = (name: string): Promise<string> => read('gitignore', name)

export type Starters = { readonly license?: string | undefined; readonly ignores?: string | undefined }

/** The files of a new repository, by their paths. The names were checked before. */
export async function makeStarters({ license, ignores }: Starters, owner: string, now: number) {
  const found = license === undefined ? undefined : findLicense(license)
  const year = String(new Date(now).getUTCFullYear())
  const fill = (text: string) => text.replace('[year]', year).replace('[fullname]', () => owner)
  return {
    ...(found && { LICENSE: fill(await readLicense(found)) }),
    ...(ignores !== undefined && { '.gitignore': await readIgnores(ignores) }),
  }
}
