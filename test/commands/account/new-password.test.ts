/** How a password is asked for: never shown, twice at a terminal, the first line of a pipe. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { readPassword } from '../../../src/commands/account/new-password.ts'

/** A keyboard that notes whether the terminal's own echo was off whenever something was typed. */
function makeKeyboard() {
  const modes: boolean[] = []
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) })
  const screen = new PassThrough()
  return { keyboard, screen, modes, shown: () => String(screen.read() ?? '') }
}

async function type(...lines: string[]) {
  const { keyboard, screen, modes, shown } = makeKeyboard()
  const asked = readPassword(keyboard, screen).catch((error: Error) => error)
  for (const line of lines) {
    keyboard.write(line)
    await new Promise(setImmediate)
  }
  const password = await asked
  return { password, shown: shown(), modes }
}

describe('a password', () => {
  it('is typed twice at a terminal and shown at no time', async () => {
    const { password, shown, modes } = await type('long-enough\r', 'long-enough\r')
    assert.equal(password, 'long-enough')
    assert.equal(shown, 'New password: \nAgain: \n')
    assert.deepEqual(modes, [true, false, true, false])
  })

  it('may come key by key, be mended, and hold any letter', async () => {
    const keys = ['w', 'r', 'o', '\u0015', 'pässwörx', '\u007f', 'd', '\r']
    const { password } = await type(...keys, 'pässwörd\n')
    assert.equal(password, 'pässwörd')
  })

  it('may be pasted with its repetition', async () => {
    assert.equal((await type('long-enough\rlong-enough\r')).password, 'long-enough')
  })

  const refused: [string, string[], RegExp][] = [
    ['two that differ', ['long-enough\r', 'long-enouhg\r'], /differ/],
    ['one that is too short', ['short\r'], /8 to 256/],
    ['none', ['\r'], /8 to 256/],
    ['an interruption', ['long-en\u0003'], /nothing was changed/],
    ['an end', ['\u0004'], /nothing was changed/],
  ]
  for (const [what, lines, says] of refused) {
    it(`is refused for ${what}, and the terminal is left as it was`, async () => {
      const { password, modes } = await type(...lines)
      assert.ok(password instanceof Error)
      assert.match(password.message, says)
      assert.equal(modes.at(-1), false)
    })
  }

  it('is the first line of a pipe', async () => {
    for (const piped of ['from a pipe', 'from a pipe\n', 'from a pipe\r\n', 'from a pipe\nmore\n']) {
      const input = new PassThrough()
      input.end(piped)
      assert.equal(await readPassword(input, new PassThrough()), 'from a pipe')
    }
  })

  it('is not made up from an empty pipe', async () => {
    const input = new PassThrough()
    input.end('')
    await assert.rejects(readPassword(input, new PassThrough()), /No password came/)
  })
})
