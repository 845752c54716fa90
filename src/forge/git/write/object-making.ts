/** Makes git objects one at a time: blobs, trees, commits and annotated tags, which no ref leads to yet. */
import type { Clock } from '../../../lib/clock.ts'
import { makeSlices } from '../../../lib/scheduling/slices.ts'
import type { PushAccess } from '../../access/opening.ts'
import { invalidField } from '../../failures.ts'
import { type AnnotatedTag, type Commit, parseCommit, parseTag } from '../read/commit.ts'
import { isObjectId, isRefPart } from '../ref-name.ts'
import { spellCommit } from './commit-text.ts'
import { isTreeMode, makeLongObject, makeObject, type NewObject, type ObjectType } from './object-text.ts'
import type { Objects } from './objects.ts'
import { completeSignature, type GivenSignature, signatureOf, spellSignature } from './signing.ts'
import type { TreeEdit, TreeEditing } from './tree-editing.ts'
import { readTreePath } from './tree-path.ts'

export type NewTreeEntry = {
  readonly path: string
  readonly mode: string
  /** An object id, or null to remove the path, or undefined with the content of a new file. */
  readonly sha?: string | null | undefined
  readonly content?: Buffer | undefined
}

export type NewCommit = {
  readonly message: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author?: GivenSignature | undefined
  readonly committer?: GivenSignature | undefined
  readonly signature?: string | undefined
}

export type NewTag = {
  readonly name: string
  readonly message: string
  readonly object: string
  readonly type: ObjectType
  readonly tagger?: GivenSignature | undefined
}

/** The modes that git knows: files, executables, links, folders and submodule commits. */
const typesByMode: Readonly<Record<string, ObjectType>> = {
  '100644': 'blob',
  '100755': 'blob',
  '120000': 'blob',
  '040000': 'tree',
  '160000': 'commit',
}

const maxParents = 100

type Needs = { clock: Clock; objects: Objects; treeEditing: TreeEditing }

export type ObjectMaking = ReturnType<typeof makeObjectMaking>

export function makeObjectMaking({ clock, objects, treeEditing }: Needs) {
  /** Each object must exist and have the type of its mode. Submodule commits live elsewhere. */
  async function demandObjects({ repository }: PushAccess, entries: readonly NewTreeEntry[]): Promise<void> {
    const named = entries.filter(({ sha, mode }) => sha != null && mode !== '160000')
    const found = await objects.types(
      repository,
      named.map(({ sha }) => sha!),
    )
    const wrong = named.find(({ mode }, i) => found[i] !== typesByMode[mode])
    if (wrong) {
      const reason = `tree.sha ${wrong.sha} is not a valid ${typesByMode[wrong.mode]}`
      throw invalidField('tree.sha', 'invalid', reason)
    }
  }

  async function demandType(
    { repository }: PushAccess,
    field: string,
    shas: readonly string[],
    type: ObjectType,
  ): Promise<void> {
    const found = shas.every(isObjectId) ? await objects.types(repository, shas) : []
    const wrong = shas.findIndex((_, i) => found[i] !== type)
    if (wrong >= 0) throw invalidField(field, 'invalid', `${field} ${shas[wrong]} does not exist or is no ${type}.`)
  }

  return {
    async blob(access: PushAccess, bytes: Buffer): Promise<string> {
      const blob = await makeLongObject('blob', bytes)
      await objects.write(access, [blob])
      return blob.sha
    },

    /** Answers the tree's id. */
    async tree(access: PushAccess, base: string | undefined, entries: readonly NewTreeEntry[]): Promise<string> {
      for (const { mode, sha } of entries) {
        if (!(mode in typesByMode))
          throw invalidField('tree.mode', 'invalid', `tree.mode ${mode} is none that git has.`)
        if (sha != null && !isObjectId(sha))
          throw invalidField('tree.sha', 'invalid', 'tree.sha must be 40 hexadecimal digits.')
      }
      if (base !== undefined) {
        const [type] = isObjectId(base) ? await objects.types(access.repository, [`${base}^{tree}`]) : []
        if (type !== 'tree') throw invalidField('base_tree', 'invalid', 'base_tree is not a valid tree.')
      }
      await demandObjects(access, entries)
      const blobs: NewObject[] = []
      const edits: TreeEdit[] = []
      const slices = makeSlices()
      for (const { path, mode, sha, content } of entries) {
        const steps = readTreePath(path, 'tree.path')
        if (content === undefined) {
          edits.push({ steps, entry: sha == null ? undefined : { mode, sha } })
          continue
        }
        if (isTreeMode(mode) || mode === '160000')
          throw invalidField(
            'tree.content',
            'invalid',
            'tree.content is of a file; name a tree or a commit by its sha.',
          )
        const blob = await makeLongObject('blob', content, slices)
        blobs.push(blob)
        edits.push({ steps, entry: { mode, sha: blob.sha } })
      }
      const paths = edits.map(({ steps }) => steps)
      const { sha, trees } = (await treeEditing.open(access.repository, base, paths)).edit(edits)
      await objects.write(access, [...blobs, ...trees])
      return sha
    },

    async commit(access: PushAccess, given: NewCommit): Promise<Commit> {
      const { message, tree, parents, signature } = given
      await demandType(access, 'tree', [tree], 'tree')
      if (parents.length > maxParents || new Set(parents).size < parents.length)
        throw invalidField('parents', 'invalid', `parents are ${maxParents} different commits at most.`)
      await demandType(access, 'parents', parents, 'commit')
      const own = signatureOf(access.actor, clock.now())
      const author = completeSignature('author', given.author, own)
      const committer = completeSignature('committer', given.committer, given.author ? author : own)
      const signed = { author: spellSignature(author), committer: spellSignature(committer), signature }
      const text = spellCommit({ tree, parents, ...signed, message: Buffer.from(message) })
      const object = makeObject('commit', text)
      await objects.write(access, [object])
      return parseCommit(object.sha, object.bytes)
    },

    async tag(access: PushAccess, { name, message, object, type, tagger }: NewTag): Promise<AnnotatedTag> {
      if (!isRefPart(name) || name.startsWith('-'))
        throw invalidField('tag', 'invalid', 'tag is not a valid name of a tag.')
      await demandType(access, 'object', [object], type)
      const signed = completeSignature('tagger', tagger, signatureOf(access.actor, clock.now()))
      const text = `object ${object}\ntype ${type}\ntag ${name}\ntagger ${spellSignature(signed)}\n\n${message}`
      const made = makeObject('tag', Buffer.from(text))
      await objects.write(access, [made])
      return parseTag(made.sha, made.bytes)
    },
  }
}
