/** A stage for the pages of code: one server, one browser, two people, and repositories made with git itself. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openBrowser, openTab, type Tab } from '../support/browser.ts'
import { makeWorkingFolder, remoteUrl, type WorkingFolder } from '../support/git.ts'
import { asAdmin, makeRest, type RestClient } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { admin, startServer } from '../support/server.ts'

const password = 'correct horse'

type Files = Readonly<Record<string, string | Buffer | undefined>>
type Step = { readonly message: string; readonly files: Files; readonly branch?: string }

export async function openCodeStage(settings: Readonly<Record<string, string>> = {}) {
  const server = await startServer('sqlite', {
    environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_IMPORT_NETWORKS: '127.0.0.1', ...settings },
  })
  const browser = await openBrowser()
  const rpc = makeRpcClient(server.url, admin.token)
  const root = asAdmin(server)
  const tokens: Record<string, string> = {}
  for (const name of ['ann', 'bob']) {
    await rpc.call('create_account', { AccountName: name, DisplayName: name, Role: 'contestant', Password: password })
    const made = await root.post(`/admin/users/${name}/authorizations`, {
      scopes: [
        'repo',
        'user',
        'admin:org',
        'delete_repo',
        'workflow',
        'admin:repo_hook',
        'admin:org_hook',
        'admin:public_key',
        'admin:ssh_signing_key',
      ],
    })
    tokens[name] = made.body.token
  }
  const tabs: Tab[] = []
  const open = async (looks: Parameters<typeof openTab>[2] = {}) => {
    const tab = await openTab(browser, server.url, looks)
    tabs.push(tab)
    return tab
  }
  return {
    url: server.url,
    open,
    root,
    as: (name: string): RestClient => makeRest(server.url, tokens[name]),
    /** Signed in, without the form. */
    async openAs(name: string, looks: Parameters<typeof openTab>[2] = {}): Promise<Tab> {
      const tab = await open(looks)
      const answer = await tab.context.request.post(`${server.url}/`, {
        data: {
          ...{ jsonrpc: '2.0', id: crypto.randomUUID(), method: 'create_session' },
          params: { AccountName: name, Password: name === admin.name ? admin.password : password },
        },
      })
      if (!answer.ok()) throw new Error(`${name} could not sign in: ${answer.status()}`)
      return tab
    },
    /** One commit for each step; a file that is undefined is deleted. A branch begins where the step before ended. */
    async push(owner: string, name: string, steps: readonly Step[]): Promise<void> {
      const folder = await makeWorkingFolder()
      try {
        for (const { message, files, branch } of steps) {
          if (branch) await folder.must('checkout', '--quiet', '-B', branch)
          for (const [path, content] of Object.entries(files)) {
            if (content === undefined) {
              await folder.must('rm', '--quiet', path)
              continue
            }
            await mkdir(dirname(join(folder.path, path)), { recursive: true })
            await writeFile(join(folder.path, path), content)
          }
          await folder.must('add', '--all')
          await folder.must('commit', '--quiet', '--allow-empty', '-m', message)
        }
        await folder.must('push', '--quiet', '--all', remoteUrl(server.url, `${owner}/${name}`, owner, tokens[owner]))
      } finally {
        await folder.drop()
      }
    },
    async pushCommit(owner: string, name: string, folder: WorkingFolder, sha: string): Promise<void> {
      const to = remoteUrl(server.url, `${owner}/${name}`, owner, tokens[owner])
      await folder.must('push', '--quiet', to, `${sha}:refs/heads/main`)
    },
    async closeTabs() {
      await Promise.all(tabs.map(({ context }) => context.close()))
    },
    /** What any page complained of: errors of scripts, and breaches of the policy. */
    complaints: () => tabs.flatMap((tab) => tab.complaints),
    async close() {
      await browser.close()
      await server.stop()
    },
  }
}

export type CodeStage = Awaited<ReturnType<typeof openCodeStage>>
