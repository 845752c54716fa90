/** Writes pages of a wiki: each change is a commit on its branch. */
import type { Clock } from '../../../lib/clock.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import type { Access } from '../../access/opening.ts'
import { invalidField, notFound } from '../../failures.ts'
import type { WikiPage, WikiPages } from '../read/wiki-pages.ts'
import type { Wikis } from '../wikis.ts'
import { signatureOf, spellSignature } from './signing.ts'
import { readTreePath } from './tree-path.ts'

export type WikiDraft = {
  readonly text: string
  /** The blob id of the page as the caller knows it; undefined for a new page. */
  readonly sha?: string | undefined
  /** Another name, if the page is to be renamed. */
  readonly newName?: string | undefined
  readonly message?: string | undefined
}

/** In characters, folders included. */
const maxName = 200
/** Others may write meanwhile. The page's blob id is checked again on each try. */
const maxTries = 5

type Needs = { clock: Clock; wikis: Wikis; wikiPages: WikiPages }

export type WikiWriting = ReturnType<typeof makeWikiWriting>

export function makeWikiWriting({ clock, wikis, wikiPages }: Needs) {
  async function findKnown({ repository }: Access<'write'>, name: string, sha: string | undefined) {
    const page = await wikiPages.look(repository, name)
    if (!page && sha !== undefined) throw notFound()
    if (page && sha === undefined)
      throw invalidField('sha', 'missing_field', `${page.name} already exists: give its sha to change it.`)
    demand(!page || page.sha === sha, 'conflict', 'sha-mismatch', `${name} has changed meanwhile.`)
    return page
  }

  /** Makes the commit, and makes it again if somebody else's came first. */
  async function commit(
    access: Access<'write'>,
    prepare: () => Promise<{ readonly message: string; readonly lines: readonly (string | Buffer)[] }>,
  ): Promise<void> {
    const { repository, actor } = access
    for (let tries = 1; tries <= maxTries; tries++) {
      const newest = await wikiPages.newest(repository)
      const { message, lines } = await prepare()
      const head = [
        `committer ${spellSignature(signatureOf(actor, clock.now()))}\n`,
        ...dataOf(Buffer.from(message)),
        ...(newest ? [`from ${newest}\n`] : []),
      ]
      const write = (branch: string) =>
        Buffer.concat([`commit ${branch}\n`, ...head, ...lines, 'done\n'].map((part) => Buffer.from(part)))
      if (await wikis.commit(repository, write)) return
    }
    throw new Failure('conflict', 'ref-moved', 'The wiki is changed by many at once: try again.')
  }

  return {
    /** Makes the page, or changes or renames it if the caller gives its blob id. */
    async put(access: Access<'write'>, name: string, draft: WikiDraft): Promise<WikiPage> {
      const { repository } = access
      const { text, sha, newName } = draft
      const wanted = newName ?? name
      await commit(access, async () => {
        const page = await findKnown(access, name, sha)
        const isNamed = page === undefined || (newName !== undefined && newName !== page.name)
        const path = isNamed ? pathOf(wanted) : page.path
        const isRenamed = page !== undefined && path !== page.path
        const other = isRenamed ? await wikiPages.look(repository, wanted) : undefined
        if (other && other.path !== page?.path)
          throw invalidField('name', 'already_exists', `The wiki has a page ${other.name} already.`)
        if (path !== page?.path && (await wikiPages.isTaken(repository, path)))
          throw invalidField(
            'name',
            'already_exists',
            `The wiki has a file or a folder in the place of ${path} already.`,
          )
        return {
          message: draft.message || `${page ? 'Update' : 'Create'} ${path.replace(/\.[^.]*$/, '')}`,
          lines: [
            ...(isRenamed ? [`D ${quote(page.path)}\n`] : []),
            `M 100644 inline ${quote(path)}\n`,
            ...dataOf(Buffer.from(text)),
          ],
        }
      })
      const made = await wikiPages.look(repository, wanted.trim())
      if (!made) throw notFound()
      return made
    },

    async remove(access: Access<'write'>, name: string, sha: string | undefined, message?: string): Promise<void> {
      if (sha === undefined) throw invalidField('sha', 'missing_field', 'sha is required')
      await commit(access, async () => {
        const page = await findKnown(access, name, sha)
        if (!page) throw notFound()
        return { message: message || `Delete ${page.name}`, lines: [`D ${quote(page.path)}\n`] }
      })
    },
  }
}

/** A new page is a Markdown file with hyphens for blanks, as links name it. */
function pathOf(name: string): string {
  const plain = name
    .trim()
    .replace(/\.(?:md|markdown)$/i, '')
    .replace(/\s+/g, '-')
  if (/[\p{Cc}\p{Cs}\\:*?"<>|\uFFFD]/u.test(plain))
    throw invalidField('name', 'invalid', 'The name of a page has none of \\ : * ? " < > | and no control characters.')
  if ([...plain].length > maxName)
    throw invalidField('name', 'invalid', `The name of a page has ${maxName} characters at most.`)
  readTreePath(plain, 'name')
  return `${plain}.md`
}

const dataOf = (bytes: Buffer): (string | Buffer)[] => [`data ${bytes.length}\n`, bytes, '\n']

/** Paths of pages that came by git may have any byte but NUL. */
const quote = (path: string): string =>
  `"${path.replace(/["\\]/g, '\\$&').replace(/[\x01-\x1f\x7f]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`
