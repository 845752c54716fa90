/** A server with a repository, its fork, and what tests of pulls do again and again. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../../support/engines.ts'
import type { WorkingFolder } from '../../support/git.ts'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import type { ServerOptions } from '../../support/server.ts'
import { type GitServer, startGitServer } from '../git-server.ts'

export type PullServer = GitServer & {
  /** A branch with one commit that writes these files, on top of where the folder's main is. */
  branch(folder: WorkingFolder, name: string, files: Record<string, string>, from?: string): Promise<string>
  push(folder: WorkingFolder, ...words: string[]): Promise<void>
  open(name: string, draft: object, by?: RestClient): Promise<Json>
  events(name: string, number: number): Promise<string[]>
  tip(name: string, branch: string): Promise<string>
}

export async function commitFiles(
  folder: WorkingFolder,
  files: Record<string, string>,
  message: string,
): Promise<string> {
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder.path, path), text)
  await folder.must('add', '--all')
  await folder.must('commit', '--quiet', '--allow-empty', '-m', message)
  return folder.must('rev-parse', 'HEAD')
}

export async function startPullServer(engine: Engine = 'sqlite', options: ServerOptions = {}): Promise<PullServer> {
  const hosted = await startGitServer(engine, options)
  const { ann } = hosted
  return {
    ...hosted,
    async branch(folder, name, files, from = 'main') {
      await folder.must('checkout', '--quiet', '-B', name, from)
      return commitFiles(folder, files, `Work on ${name}`)
    },
    async push(folder, ...words) {
      await folder.must('push', '--quiet', 'origin', ...words)
    },
    async open(name, draft, by = ann) {
      const { status, body } = await by.post(`/repos/ann/${name}/pulls`, { title: 'A pull', base: 'main', ...draft })
      assert.equal(status, 201, JSON.stringify(body))
      return body
    },
    async events(name, number) {
      const rows = await hosted.server.services.store.db
        .selectFrom('issue_event')
        .innerJoin('issue', 'issue.id', 'issue_event.issue_id')
        .innerJoin('repository', 'repository.id', 'issue.repository_id')
        .select('event')
        .where('repository.name', '=', name)
        .where('issue.number', '=', number)
        .orderBy('issue_event.id')
        .execute()
      return rows.map(({ event }) => event)
    },
    async tip(name, branch) {
      const { body } = await ann.get(`/repos/${name}/git/ref/heads/${branch}`)
      return body.object?.sha
    },
  }
}
