/** Polls that find nothing new, by either validator, against a server that does nothing but answer. */
import { makeRest } from '../../test/support/rest.ts'
import { compareServers } from '../load.ts'
import { adminToken, startEcho, startGuildhall } from '../peers.ts'
import type { Row } from '../table.ts'

export async function polls(): Promise<Row[]> {
  const [ours, echo] = await Promise.all([startGuildhall({ GUILDHALL_LIMITS: 'off' }), startEcho()])
  try {
    const root = makeRest(ours.url, adminToken)
    await root.post('/user/repos', { name: 'open' })
    for (let i = 0; i < 60; i++) {
      const subject = { title: `Build ${i}`, type: 'CheckSuite' }
      await root.post('/admin/notifications', {
        login: 'admin',
        repository: 'admin/open',
        reason: 'ci_activity',
        subject,
      })
    }
    const first = await root.get('/notifications')
    const authorization = { authorization: `Bearer ${adminToken}` }
    const manners = {
      'If-Modified-Since': { 'if-modified-since': first.headers.get('last-modified')! },
      'If-None-Match': { 'if-none-match': first.headers.get('etag')! },
    }
    const rows: Row[] = []
    for (const [name, validator] of Object.entries(manners)) {
      const poll = { url: `${ours.url}/notifications`, headers: { ...authorization, ...validator } }
      const { ratios, note } = await compareServers([ours, poll], [echo, { url: `${echo.url}/` }])
      rows.push({ what: `304 by ${name}`, against: 'a bare echo', ratios, goal: { atLeast: 0.6 }, note })
    }
    return rows
  } finally {
    await Promise.all([ours.stop(), echo.stop()])
  }
}
