/** The functions that problem links and templates need from the forge. `services.ts` provides them. */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'

export type HostedRepository = { readonly id: number; readonly fullName: string }

/** A file of a branch before and after a push. All zeros stand for no commit. */
export type FileMove = {
  readonly repositoryId: number
  readonly before: string
  readonly after: string
  readonly path: string
  readonly mostBytes: number
  /** The account whose turn it uses. */
  readonly accountId: number
}

export type MovedFile =
  /** The repository or the commit no longer exists. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unusable'; readonly reason: string }

export type StatusNote = {
  readonly repositoryId: number
  readonly sha: string
  readonly creatorId: number
  readonly context: string
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  readonly description: string
  /** The path of a page, without the origin. */
  readonly address: string | null
}

export type Template = { readonly repository: string; readonly organisation: string }

export type CopyWish = {
  readonly template: Template
  readonly name: string
  readonly description: string
  readonly writerId: number
  readonly adminIds: readonly number[]
  /** Runs in the write that creates the copy. */
  within(trx: Db, made: { readonly id: number; readonly templateId: number; readonly commit: string }): Promise<void>
}

export type CodeHost = {
  /** Find a repository by `owner/name`. They throw the reason if the actor may not. */
  openToWrite(actor: Actor, fullName: string): Promise<HostedRepository>
  openToRead(actor: Actor, fullName: string): Promise<HostedRepository>
  /** Those of the repositories that the actor may read, in no order. */
  readMany(actor: Actor, ids: readonly number[]): Promise<readonly HostedRepository[]>
  nameMany(ids: readonly number[]): Promise<ReadonlyMap<number, string>>
  readMovedFile(move: FileMove): Promise<MovedFile>
  /** The lock that a write needs to set a status. */
  statusLock(repositoryId: number, sha: string): string
  /** Does nothing if the commit has reached its limit of statuses. */
  putStatus(trx: Db, note: StatusNote): Promise<void>
  /** Demands that the actor may read the template and create repositories in the organisation. */
  demandTemplate(actor: Actor, template: Template): Promise<void>
  /** A file of the template's default branch, if the actor may read it and it is text. */
  readTemplateFile(actor: Actor, template: Template, path: string, mostBytes: number): Promise<string | undefined>
  findTemplate(actor: Actor, template: Template): Promise<HostedRepository | undefined>
  /** Throws `name-taken` if the organisation already has a repository with that name. */
  copyTemplate(actor: SignedIn, wish: CopyWish): Promise<HostedRepository>
}
