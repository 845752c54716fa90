/** Copies objects from one repository of this server to another: all of them for a fork, a branch's for a pull. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFairScheduler } from '../../../lib/scheduling/fair-scheduler.ts'
import type { Repository } from '../../access/repository.ts'
import type { Admit, Git } from '../process/git.ts'
import { type GitLimits, slotsFor, transferBounds } from '../process/git-limits.ts'
import { demandGit } from '../process/process.ts'
import { currentCaller } from '../process/processor-accounting.ts'

/** Packing keeps a core busy, and waits for no client. */
const copiesPerCore = 1

export type Copying = ReturnType<typeof makeCopying>

export function makeCopying({ git, limits }: { git: Git; limits: GitLimits }) {
  const { run: takeTurn } = makeFairScheduler(slotsFor(limits, copiesPerCore))
  const bounds = transferBounds(limits)
  const limitMs = limits.transferSeconds * 1000

  /** Copies only the objects reachable from the named refs: others in the source are not meant for the target. */
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
     * Copies branches and tags into a folder that has no row yet. The copy is complete and borrows nothing, so it
     * survives the source. Objects were checked when they arrived. They stay one pack, and refs one file; otherwise
     * each would be written by itself.
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

    /** Copies all refs of a foreign folder with their objects; git checks each object as if it were pushed. */
    copyStrange: (source: string, folder: string): Promise<void> =>
      fetch(source, folder, ['+refs/*:refs/*'], { 'fetch.unpackLimit': '1' }),

    /**
     * Copies all objects reachable from a commit, once `admit` has counted their size in KiB. Git completes such a pack
     * with objects that are here already, so it is larger than what it adds. No ref is written: the caller makes one to
     * keep the commit.
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

/**
 * Git starts this in a shell, without our settings. The commit is requested by its id: its branch may move meanwhile.
 */
const uploadPack = `git -c 'safe.directory=*' -c uploadpack.allowAnySHA1InWant=true upload-pack`
