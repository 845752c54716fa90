/** Commits several uploaded files at once. */
import { repositoryPath, send } from '../../api/forge.ts'
import {
  commitTo,
  commitTree,
  makeBlob,
  type Target,
  type TreeChange,
  type WrittenBranch,
} from '../edit/commit-change.ts'
import { hasBranch } from '../place.ts'
import type { ChosenFile } from './chosen-files.ts'

type Upload = {
  /** Empty, or with a slash at the end. */
  readonly folder: string
  readonly files: readonly ChosenFile[]
  readonly message: string
  /** How many are sent. */
  progress(count: number): void
}

/** Answers the address where the pull request is opened, or `done` for a commit on the branch itself. */
export const commitFiles = (target: Target, upload: Upload): Promise<string> =>
  commitTo(target, upload.message, async (to) => {
    const [first, ...rest] = upload.files
    if (await hasBranch(to.owner, to.repo, to.branch)) return commitAll(to, upload, upload.files)
    // Only a file can begin an empty repository; the others follow it in a second commit.
    const path = repositoryPath(to.owner, to.repo, 'contents', upload.folder + first!.path)
    await send('PUT', path, { message: upload.message, branch: to.branch, content: await encode(first!.file) })
    if (rest.length > 0) await commitAll(to, upload, rest)
  })

const commitAll = (to: WrittenBranch, { folder, message, progress }: Upload, files: readonly ChosenFile[]) =>
  commitTree(to, message, async () => {
    const changes: TreeChange[] = []
    for (const { path, file } of files) {
      changes.push({ path: folder + path, sha: await makeBlob(to, await encode(file)) })
      progress(changes.length)
    }
    return changes
  })

/** The bytes as Base64: the part of a data address behind its comma. */
const encode = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''))
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`))
    reader.readAsDataURL(file)
  })
