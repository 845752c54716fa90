/** Attacks on boxes that are kept: whatever a program or a checker does in one test, the next one finds what it would without. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { attacks, source, wordOf } from './kept-attacks.ts'
import { skipWithoutKeptBoxes, textOf, useKeptStage } from './kept-stage.ts'

const names = ['judgemessage.txt', 'teammessage.txt', 'score.txt']

describe('what is done in boxes that are kept', { skip: skipWithoutKeptBoxes }, () => {
  const stage = useKeptStage(source)

  /** One test in which both do this; answers what both said. */
  async function talk(word: string) {
    const { partner, program } = await stage.talk({ words: `${word} ${word}`, names })
    return { partner: textOf(partner).split('\n'), program: textOf(program).split('\n') }
  }

  it('has a name of its own for each attack', () => {
    assert.equal(new Set(Object.keys(attacks).map(wordOf)).size, Object.keys(attacks).length)
  })

  let usual: Awaited<ReturnType<typeof talk>>
  before(async () => {
    await talk('nothing')
    usual = await talk('look')
  })

  for (const name of Object.keys(attacks)) {
    it(`leaves nothing to the next test: ${name}`, async () => {
      assert.ok(usual.partner.length > 50 && usual.partner.includes('heard well'), usual.partner.join('\n'))
      await talk(wordOf(name))
      assert.deepEqual(await talk('look'), usual)
    })
  }
})
