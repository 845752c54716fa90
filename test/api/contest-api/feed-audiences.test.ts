/** Feeds share what they read only among those who are shown the same: connected all at once, each gets what is theirs. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { nameAudience } from '../../../src/api/contest-api/audience.ts'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { type ContestStage, handIn, hour, minute, startContests } from '../../judge/contests/contest-stage.ts'
import { engines } from '../../support/engines.ts'
import { makeRpcClient } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { hasWhatListsHave, makeFeedClient } from './feed-client.ts'
import { makeFullContest } from './full-contest.ts'

const feedsOfEach = 3

for (const engine of engines)
  describe(`audiences of feeds on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    before(async () => {
      stage = await startContests(engine, { clock })
    })
    after(() => stage.stop())

    test('all who follow at once get what their own lists have, before and after changes', async () => {
      const { setter, colleague, contestant, rival, admin, anonymous, worker } = stage.cast
      const { accounts, tokens } = stage.services
      const mate = await accounts.insert({ name: 'mate', displayName: 'Mate', role: 'contestant' })
      const mateToken = (await tokens.make(mate, { kind: 'classic', scopes: ['judge'] })).text
      const ContestID = await makeFullContest(stage, clock, 'icpc')
      const names = ['contestant', 'mate']
      await setter.call('put_contest_team', { ContestID, ID: 't1', Name: 'One', AccountNameList: names })
      const people = {
        anonymous,
        // Signed in, without a part in the contest; an author of a problem who is not of the jury.
        worker,
        colleague,
        contestant,
        mate: makeRpcClient(stage.url, mateToken),
        rival,
        staff: stage.staff,
        judge: stage.judge,
        setter,
        admin,
      }
      const feed = `${stage.url}/api/contests/${ContestID}/event-feed`
      const all = Object.entries(people).flatMap(([name, { token }]) =>
        Array.from({ length: feedsOfEach }, () => ({ name, token, client: makeFeedClient(() => feed, token) })),
      )
      const settle = async (when: string) => {
        for (const { name, token, client } of all) {
          const { isAlike, demand } = hasWhatListsHave(client, () => stage.url, ContestID, token)
          const isSettled = () => {
            clock.advance(1_001)
            return isAlike()
          }
          await until(isSettled).catch(() => demand(`${name}, ${when}`))
        }
      }
      await settle('at first')
      await handIn(contestant, ContestID, 'a', { Language: 'java' })
      await stage.judgeNext(6)
      await stage.judgeNext(4)
      await rival.call('create_clarification', { ContestID, Text: 'Mine?' })
      await setter.call('put_contest_team', { ContestID, ID: 'ghost', Name: 'Ghost again', IsHidden: true })
      await settle('changed')
      clock.advance(hour + minute)
      await handIn(rival, ContestID, 'a')
      await stage.judgeNext(1)
      await settle('frozen')
      const sees = (name: string, text: string) =>
        all.filter((one) => one.name === name).every(({ client }) => JSON.stringify(client.lines).includes(text))
      for (const name of Object.keys(people)) {
        const isJury = ['judge', 'setter', 'admin'].includes(name)
        assert.equal(sees(name, 'Ghost'), isJury, `${name} and the hidden team`)
        assert.equal(sees(name, 'Mine?'), isJury || name === 'rival', `${name} and the question`)
      }
      await Promise.all(all.map(({ client }) => client.leave()))
    })
  })

test('an audience has one name for those who see the same, and another for everybody else', () => {
  const person = (id: number, role: string) =>
    ({ account: { id, role }, credential: { kind: 'session', hash: '' }, address: '' }) as never
  const nobody = { account: undefined, credential: { kind: 'none' }, address: '' } as never
  const [jury, team, public_] = [
    { isJury: true, teamId: null },
    { isJury: false, teamId: 7 },
    { isJury: false, teamId: null },
  ]
  const different = [
    nameAudience(nobody, public_, false),
    nameAudience(nobody, public_, true),
    nameAudience(person(1, 'contestant'), public_, false),
    nameAudience(person(2, 'problem_setter'), public_, false),
    nameAudience(person(1, 'contestant'), team, false),
    nameAudience(person(3, 'contestant'), team, false),
    nameAudience(person(1, 'contestant'), { isJury: false, teamId: 8 }, false),
    nameAudience(person(1, 'contestant'), jury, false),
    nameAudience(person(2, 'problem_setter'), jury, false),
    nameAudience(person(4, 'problem_setter'), jury, false),
    nameAudience(person(5, 'admin'), jury, false),
  ]
  assert.equal(new Set(different).size, different.length, different.join('\n'))
  assert.equal(nameAudience(person(1, 'contestant'), public_, true), nameAudience(person(9, 'worker'), public_, true))
  assert.equal(nameAudience(person(1, 'contestant'), jury, true), nameAudience(person(9, 'contestant'), jury, true))
  assert.equal(nameAudience(person(5, 'admin'), jury, true), nameAudience(person(6, 'admin'), jury, true))
})
