/** Issues, releases, hooks and what else is said of a repository. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Json } from './client.ts'
import { many, repeat } from './many.ts'
import type { People } from './people.ts'
import type { Shas } from './repositories.ts'

/** By the name that stands in an address; of comments by the address before it. */
export type Numbers = Readonly<Record<string, string>>

export const at = '/repos/ann/repo-1'

/** Nobody listens there: what is told of hooks waits. */
const hookTo = (path: string) => ({
  config: { url: `https://example.org/${path}`, content_type: 'json' },
  events: ['release'],
})

export async function makeConversations({ root, ann, bob, members }: People, { commit }: Shas): Promise<Numbers> {
  const must = (method: string, path: string, body: object = {}): Promise<Json> => ann.rest(method, path, body)
  const react = async (path: string) => {
    for (const member of members.values()) await member.rest('POST', `${path}/reactions`, { content: '+1' })
  }
  await repeat((i) => must('POST', `${at}/labels`, { name: `label-${i}`, color: 'ededed' }))
  await repeat((i) => must('POST', `${at}/milestones`, { title: `Milestone ${i}` }))
  const labels = Array.from({ length: many }, (_, i) => `label-${i + 1}`)
  const labelled = await must('POST', `${at}/issues`, { title: 'Much labelled', labels, milestone: 1 })
  const issue = await must('POST', `${at}/issues`, {
    ...{ title: 'Much talked of', labels: labels.slice(0, 5), milestone: 1, assignees: ['ann'] },
  })
  const others = await repeat((i) =>
    must('POST', `${at}/issues`, { title: `Words ${i} in a title`, body: 'A body of some words.' }),
  )
  // The newest events are of issues as they usually are: thirty that show forty labels each take 390 kB.
  for (const { number } of others) await must('PATCH', `${at}/issues/${number}`, { milestone: 2, labels: ['label-1'] })
  const [comment] = await repeat((i) => must('POST', `${at}/issues/${issue.number}/comments`, { body: `Comment ${i}` }))
  await react(`${at}/issues/${issue.number}`)
  await react(`${at}/issues/comments/${comment.id}`)
  const [noted] = await repeat((i) => must('POST', `${at}/commits/${commit}/comments`, { body: `Commit ${i}` }))
  await react(`${at}/comments/${noted.id}`)
  await repeat((i) => must('POST', `${at}/statuses/${commit}`, { state: 'success', context: `check-${i}` }))
  const [release] = await repeat((i) => must('POST', `${at}/releases`, { tag_name: `v-file-${i}`, body: 'News.' }))
  await react(`${at}/releases/${release.id}`)
  const [asset] = await repeat((i) =>
    must('POST', `${at}/releases/${release.id}/assets?name=tool-${i}.bin`, { some: 'bytes' }),
  )
  const attachment = new URL((await must('POST', `${at}/attachments?name=notes.txt`, { some: 'words' })).url)
  await repeat((i) => bob.rest('POST', '/repos/ann/repo-2/issues', { title: `Asked ${i}` }))
  await must('POST', '/orgs/org-1/repos', { name: 'open', auto_init: true })
  await repeat((i) => must('POST', '/repos/org-1/open/issues', { title: `To do ${i}`, assignees: ['ann'] }))
  await repeat((i) => must('POST', `${at}/workflow-runs`, { name: `build ${i}` }))
  const [{ id: eventId }] = await ann.rest('GET', `${at}/issues/events`)
  const [{ id: runId }] = await ann.rest('GET', `${at}/workflow-runs`)
  const text = (id: unknown) => String(id)
  return {
    issue_number: text(issue.number),
    labelled: text(labelled.number),
    milestone_number: '1',
    event_id: text(eventId),
    release_id: text(release.id),
    asset_id: text(asset.id),
    uuid: attachment.pathname.split('/')[3]!,
    run_id: text(runId),
    assignee: 'ann',
    target_user: 'ann',
    'issues/comments': text(comment.id),
    comments: text(noted.id),
    ...(await makeHooks(ann, root)),
    import_id: text((await root.rest('POST', '/admin/imports', {})).id),
    mark_id: await makeMark({ root, bob }),
  }
}

/** Twenty are the most. */
async function makeHooks(ann: Client, root: Client): Promise<Numbers> {
  const makeAt = async (place: string, by = ann): Promise<[hook: string, delivery: string]> => {
    const made = await by.rest('POST', `${place}/hooks`, hookTo('hook'))
    for (let i = 1; i < 20; i++) await by.rest('POST', `${place}/hooks`, { ...hookTo(`hook-${i}`), active: false })
    const delivery = await findDelivery(by, `${place}/hooks/${made.id}/deliveries`)
    return [String(made.id), String(delivery.id)]
  }
  const [hookId, deliveryId] = await makeAt(at)
  const [orgHook, orgDelivery] = await makeAt('/orgs/org-1')
  const [siteHook, siteDelivery] = await makeAt('/admin', root)
  await root.rest('PATCH', `/admin/hooks/${siteHook}`, { active: false })
  return { hook_id: hookId, delivery_id: deliveryId, orgHook, orgDelivery, siteHook, siteDelivery }
}

/** It is there once it was tried. */
async function findDelivery(by: Client, at: string): Promise<Json> {
  for (let tries = 1; tries <= 200; tries++) {
    const [delivery] = await by.rest('GET', at)
    if (delivery) return delivery
    await sleep(50)
  }
  throw new Error(`Nothing was delivered: ${at}`)
}

/** Of more notifications than are marked at once. */
async function makeMark({ root, bob }: Pick<People, 'root' | 'bob'>): Promise<string> {
  for (const title of ['One', 'Another']) {
    const subject = { title, type: 'CheckSuite' }
    const draft = { login: 'bob', repository: 'ann/repo-2', reason: 'ci_activity', subject }
    await root.rest('POST', '/admin/notifications', draft)
  }
  const { url } = await bob.rest('PUT', '/notifications', {})
  return url.split('/').at(-1)
}
