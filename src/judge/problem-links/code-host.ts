/** What problem links and templates ask of the part of the server that keeps repositories. The house passes it in. */
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
  /** Whose turn it is. */
  readonly accountId: number
}

export type MovedFile =
  /** The repository or the commit is gone by now. */
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
  /** A path of the page, without the server's name. */
  readonly address: string | null
}

export type Template = { readonly repository: string; readonly organisation: string }

export type CopyWish = {
  readonly template: Template
  readonly name: string
  readonly description: string
  readonly writerId: number
  readonly adminIds: readonly number[]
  /** Part of the write that makes it. */
  within(trx: Db, made: { readonly id: number; readonly templateId: number }): Promise<void>
}

export type CodeHost = {
  /** By `owner/name`. They throw what says why the actor may not. */
  openToWrite(actor: Actor, fullName: string): Promise<HostedRepository>
  openToRead(actor: Actor, fullName: string): Promise<HostedRepository>
  nameMany(ids: readonly number[]): Promise<ReadonlyMap<number, string>>
  readMovedFile(move: FileMove): Promise<MovedFile>
  /** What a write that sets a status must be alone about. */
  statusLock(repositoryId: number, sha: string): string
  /** A commit that has as many statuses as it may is left as it is. */
  putStatus(trx: Db, note: StatusNote): Promise<void>
  /** That the actor may read the template and make repositories of the organisation. */
  demandTemplate(actor: Actor, template: Template): Promise<void>
  /** A file of the template's default branch, where the actor may read it and it is text. */
  readTemplateFile(actor: Actor, template: Template, path: string, mostBytes: number): Promise<string | undefined>
  findTemplate(actor: Actor, template: Template): Promise<HostedRepository | undefined>
  /** Throws `name-taken` where the organisation has one of that name. */
  copyTemplate(actor: SignedIn, wish: CopyWish): Promise<HostedRepository>
}
