/** What the flows of one's own pages share: the stage, and people with tokens for what is not done on the page. */
import { asAdmin, makeRest, type RestClient } from '../support/rest.ts'
import type { Stage } from './stage.ts'
import { openStage } from './stage.ts'

const scopes = ['repo', 'user', 'notifications', 'admin:org', 'delete_repo', 'site_admin']

export function makeMine() {
  const mine = {
    stage: undefined as unknown as Stage,
    root: undefined as unknown as RestClient,
    ann: undefined as unknown as RestClient,
    sam: undefined as unknown as RestClient,
    async open() {
      mine.stage = await openStage()
      const { stage } = mine
      mine.root = asAdmin(stage)
      const tokenOf = async (login: string) => {
        const { body } = await mine.root.post(`/admin/users/${login}/tokens`, { kind: 'classic', scopes })
        return makeRest(stage.url, body.token)
      }
      mine.ann = await tokenOf('ann')
      mine.sam = await tokenOf('sam')
      await mine.sam.post('/user/repos', { name: 'course', auto_init: true })
    },
    deliver: (login: string, title: string) =>
      mine.root.post('/admin/notifications', {
        login,
        repository: 'sam/course',
        reason: 'ci_activity',
        subject: { title, type: 'CheckSuite' },
      }),
  }
  return mine
}

export type Mine = ReturnType<typeof makeMine>
