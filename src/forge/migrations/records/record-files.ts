/** Files of records: pretty-printed, a hundred records of one type in each; a type without records has no file. */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { TarWriter } from '../../../store/files/tar-writing.ts'

export const recordTypes = [
  'organization',
  'team',
  'repository',
  'milestone',
  'issue',
  'pull_request',
  'issue_comment',
  'issue_event',
  'pull_request_review',
  'pull_request_review_comment',
  'commit_comment',
  'release',
  'protected_branch',
  'attachment',
  'user',
] as const
export type RecordType = (typeof recordTypes)[number]

/** A record begins with its type and its web address. */
export type ExportRecord = { readonly type: RecordType; readonly url: string; readonly [member: string]: unknown }

export const perFile = 100

const plurals: Partial<Record<RecordType, string>> = {
  repository: 'repositories',
  protected_branch: 'protected_branches',
}
export const pluralOf = (type: RecordType): string => plurals[type] ?? `${type}s`

export type RecordFiles = ReturnType<typeof makeRecordFiles>

export function makeRecordFiles(tar: TarWriter, signal: AbortSignal) {
  const held = new Map<RecordType, ExportRecord[]>()
  const counts = new Map<RecordType, number>()

  async function write(type: RecordType, records: readonly ExportRecord[]): Promise<void> {
    signal.throwIfAborted()
    const number = (counts.get(type) ?? 0) + 1
    counts.set(type, number)
    const name = `${pluralOf(type)}_${String(number).padStart(6, '0')}.json`
    await tar.addBytes(name, Buffer.from(`${JSON.stringify(records, null, 2)}\n`))
    // Yield between two files, however fast the disk is, so that others get a turn.
    await yieldTurn()
  }

  return {
    async add(record: ExportRecord): Promise<void> {
      const records = held.get(record.type) ?? []
      records.push(record)
      held.set(record.type, records)
      if (records.length < perFile) return
      held.delete(record.type)
      await write(record.type, records)
    },

    async finish(): Promise<void> {
      for (const type of recordTypes) {
        const records = held.get(type)
        if (records) await write(type, records)
      }
      held.clear()
    },
  }
}
