/** A server with people and what a test with git needs around it. */
import assert from 'node:assert/strict'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../support/engines.ts'
import { type GitAnswer, makeWorkingFolder, remoteUrl, runGit, type WorkingFolder } from '../support/git.ts'
import { makeUser, type RestClient } from '../support/rest.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/server.ts'

export type GitServer = {
  readonly server: TestServer
  readonly ann: RestClient
  readonly bob: RestClient
  work(): Promise<WorkingFolder>
  url(name: string, client?: RestClient, login?: string): string
  /** A repository with one commit on main, and a working folder that holds it. */
  start(name: string, isPrivate?: boolean): Promise<WorkingFolder>
  folderOf(fullName: string): Promise<string>
  fsck(fullName: string): Promise<GitAnswer>
  stop(): Promise<void>
}

export const mib = 1024 * 1024

export const commit = (folder: WorkingFolder, message: string): Promise<string> =>
  folder.must('commit', '--quiet', '--allow-empty', '-m', message)

/** As `git remote add origin` does, without a process. */
const addRemote = (folder: WorkingFolder, url: string): Promise<void> =>
  appendFile(
    join(folder.path, '.git', 'config'),
    `[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`,
  )

export async function startGitServer(
  engine: Engine = 'sqlite',
  { environment, ...options }: ServerOptions = {},
): Promise<GitServer> {
  const server = await startServer(engine, {
    ...options,
    environment: { GUILDHALL_PUSH_LIMIT_MIB: '300', GUILDHALL_LIMITS: 'off', ...environment },
  })
  const ann = await makeUser(server, 'ann')
  const bob = await makeUser(server, 'bob')
  const folders: WorkingFolder[] = []
  const work = async () => {
    const folder = await makeWorkingFolder()
    folders.push(folder)
    return folder
  }
  const url = (name: string, client = ann, login = 'ann') => remoteUrl(server.url, name, login, client.token)
  const folderOf = async (fullName: string) => {
    const { body } = await ann.get(`/repos/${fullName}`)
    return server.services.forge.git.folderOf({ id: body.id })
  }
  return {
    server,
    ann,
    bob,
    work,
    url,
    folderOf,
    fsck: async (fullName) => verify(await folderOf(fullName)),
    async start(name, isPrivate = false) {
      const { status } = await ann.post('/user/repos', { name, private: isPrivate })
      assert.equal(status, 201)
      const folder = await work()
      await writeFile(join(folder.path, 'a.txt'), 'one\n')
      await folder.must('add', '.')
      await commit(folder, 'one')
      await addRemote(folder, url(`ann/${name}`))
      await folder.must('push', '--quiet', 'origin', 'main')
      return folder
    },
    async stop() {
      await server.stop()
      for (const folder of folders) await folder.drop()
    },
  }
}

/**
 * git looks through the objects before it reads the refs: what a merge that is tried meanwhile writes passes for missing.
 * What is missing stays so.
 */
async function verify(folder: string): Promise<GitAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = await runGit(folder, ['--git-dir', '.', 'fsck', '--full', '--strict'])
    if (answer.code === 0 || tries === 5) return answer
    await sleep(500)
  }
}
