/** Copying objects from one repository of this server to another: all of them for a fork, a branch's for a pull. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFairScheduler } from '../../../lib/scheduling/fair-scheduler.ts'
import type { Repository } from '../../access/repository.ts'
import type { Admit, Git } from '../process/git.ts'
import { type GitLimits, slotsFor, transferBounds } from '../process/git-limits.ts'
import { demandGit } from '../process/process.ts'
import { currentCaller } from '../process/processor-accounting.ts'

/** Packing is work for a core, and nobody waits for a client meanwhile. */
const copiesPerCore = 1

export type Copying = ReturnType<typeof makeCopying>

export function makeCopying({ git, limits }: { git: Git; limits: GitLimits }) {
  const { run: takeTurn } = makeFairScheduler(slotsFor(limits, copiesPerCore))
  const bounds = transferBounds(limits)
  const limitMs = limits.transferSeconds * 1000

  /** Only what the named refs lead to: what else lies in the other's folder is not for this one. */
  async function fetch(
    source: string,
    folder: string,
    refs: readonly string[],
    more: Record<string, string> = {},
    input?: string,
  ): Promise<void> {
    const words = ['fetch', ...fetchWords, `--upload-pack=${uploadPack}`, source, ...refs]
    const config = { 'protocol.file.allow': 'always', ...more }
    await takeTurn(currentCaller(), () => demandGit(words, { folder, bounds, limitMs, config, input }))
  }

  return {
    /**
     * Branches and tags into a folder that is nobody's yet; whole and its own, so that nothing of it goes with the other.
     * They were checked when they came here. As one pack: else each object would be written by itself, and so are its
     * refs in one file.
     */
    async copyAll(from: Repository, folder: string, branch: string | undefined): Promise<void> {
      const wanted = branch === undefined ? ['refs/heads', 'refs/tags'] : [`refs/heads/${branch}`]
      const refs = (await git.read(from, ['for-each-ref', '--format=%(objectname) %(refname)', ...wanted])).toString()
      if (refs === '') return
      const shas = new Set(refs.match(/^[0-9a-f]{40}/gm))
      const config = { 'transfer.fsckObjects': 'false', 'fetch.unpackLimit': '1' }
      await fetch(await git.prepare(from), folder, ['--stdin'], config, [...shas].join('\n'))
      await writeFile(join(folder, 'packed-refs'), `# pack-refs with: sorted \n${refs}`)
    },

    /**
     * What branches have now, each as one commit without a past, into a folder that is nobody's yet. Commits that led there
     * stay behind, so the pack is made once more of what the new ones lead to.
     */
    async copyTips(from: Repository, folder: string, branch: string | undefined, tip: TipCommit): Promise<void> {
      const wanted = branch === undefined ? 'refs/heads' : `refs/heads/${branch}`
      const format = '--format=%(objectname) %(tree) %(refname)'
      const lines = (await git.read(from, ['for-each-ref', format, wanted])).toString().split('\n').filter(Boolean)
      if (lines.length === 0) return
      const tips = lines.map((line) => ({ sha: line.slice(0, 40), tree: line.slice(41, 81), ref: line.slice(82) }))
      const shas = new Set(tips.map(({ sha }) => sha))
      const config = { 'transfer.fsckObjects': 'false', 'fetch.unpackLimit': '1' }
      await fetch(await git.prepare(from), folder, ['--depth=1', '--stdin'], config, [...shas].join('\n'))
      const input = tips.map(({ tree, ref }) => spellTip(ref, tree, tip)).join('')
      await demandGit(['fast-import', '--quiet'], { folder, input })
      await rm(join(folder, 'shallow'), { force: true })
      await takeTurn(currentCaller(), () => demandGit(['repack', '-a', '-d', '-q'], { folder, bounds, limitMs }))
    },

    /** All refs of a folder that came from elsewhere, with all that they lead to; git judges each object as if it were pushed. */
    copyStrange: (source: string, folder: string): Promise<void> =>
      fetch(source, folder, ['+refs/*:refs/*'], { 'fetch.unpackLimit': '1' }),

    /**
     * All that a commit leads to, once `admit` has counted how many KiB it takes: a pack from elsewhere is made whole with
     * objects that are here already, and larger than what it brings. No ref is written: whoever wants it kept names it by one.
     */
    async bring(from: Repository, into: Repository, sha: string, admit: Admit): Promise<void> {
      if (from.id === into.id) return
      const source = await git.prepare(from)
      await git.apart(into, (folder) => fetch(source, folder, [sha]), admit)
    },
  }
}

const fetchWords = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules']

export type TipCommit = { readonly author: string; readonly message: string }

const spellTip = (ref: string, tree: string, { author, message }: TipCommit): string =>
  `commit ${ref}\nauthor ${author}\ncommitter ${author}\ndata ${Buffer.byteLength(message)}\n${message}\nM 040000 ${tree} \n\n`

/** git starts it for a path without our settings, by a shell. A commit is asked for by its name: its branch may move meanwhile. */
const uploadPack = `git -c 'safe.directory=*' -c uploadpack.allowAnySHA1InWant=true upload-pack`
