/** The command line itself: what is understood, what is refused, and with which exit code. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defineCommand } from '../../src/commands/command-line/command.ts'
import { runCommandLine } from '../../src/commands/command-line/command-line.ts'
import { runProgram } from '../support/program.ts'

const echo = defineCommand({
  name: 'echo loud',
  summary: 'Says it.',
  words: ['WHAT'],
  options: {
    times: { type: 'string', hint: 'N', sentence: 'How often.', isRequired: true },
    really: { type: 'boolean', sentence: 'For sure.' },
  },
  run: async ({ words: [what], options }) => {
    said.push([what!, options.times!, options.really ?? false])
    return what === 'fail' ? 1 : undefined
  },
})
const said: unknown[] = []

async function run(...words: string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) }
  return { code: await runCommandLine([echo], words, {}, terminal), out: out.join(''), err: err.join('') }
}

describe('the command line', () => {
  it('hands a command its words and options, and ends as the command says', async () => {
    assert.equal((await run('echo', 'loud', 'hello', '--times', '3')).code, 0)
    assert.equal((await run('echo', 'loud', '--really', '--times=1', '--', '--odd')).code, 0)
    assert.equal((await run('echo', 'loud', 'fail', '--times=1')).code, 1)
    assert.deepEqual(said, [
      ['hello', '3', false],
      ['--odd', '1', true],
      ['fail', '1', false],
    ])
  })

  const misunderstood: [string[], RegExp][] = [
    [[], /Name a command\.[\s\S]*echo loud/],
    [['nope'], /There is no command nope\.[\s\S]*usage:/],
    [['echo'], /echo loud[\s\S]*usage:/],
    [['echo', 'soft'], /echo loud[\s\S]*usage:/],
    [['help', 'nope'], /There is no command nope/],
    [
      ['echo', 'loud', '--times=1'],
      /WHAT is missing[\s\S]*usage: npm run guildhall -- echo loud WHAT --times N \[--really\]/,
    ],
    [['echo', 'loud', 'a'], /--times is missing/],
    [['echo', 'loud', 'a', '--times'], /--times/],
    [['echo', 'loud', 'a', 'b', '--times=1'], /too many arguments/],
    [['echo', 'loud', 'a', '--times=1', '--nope'], /--nope/],
    [['echo', 'loud', 'a', '--times=1', '--really=yes'], /--really/],
  ]
  for (const [words, says] of misunderstood) {
    it(`ends with 2 and the usage for: ${words.join(' ') || '(nothing)'}`, async () => {
      const { code, out, err } = await run(...words)
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, says)
    })
  }

  for (const words of [['help'], ['--help'], ['-h'], ['echo', '--help'], ['help', 'echo']]) {
    it(`lists the commands for: ${words.join(' ')}`, async () => {
      const { code, out, err } = await run(...words)
      assert.deepEqual([code, err], [0, ''])
      assert.match(out, /echo loud {2}Says it\./)
    })
  }

  for (const words of [
    ['echo', 'loud', '--help'],
    ['help', 'echo', 'loud'],
    ['echo', 'loud', 'x', '-h'],
  ]) {
    it(`explains the command for: ${words.join(' ')}`, async () => {
      const { code, out } = await run(...words)
      assert.equal(code, 0)
      assert.match(out, /usage: npm run guildhall -- echo loud WHAT --times N \[--really\][\s\S]*How often\./)
    })
  }

  it('never repeats a password that was put on the command line by mistake', async () => {
    const { code, out, err } = await runProgram(['account', 'add', 'ann', '--password=correct-horse'])
    assert.equal(code, 2)
    assert.doesNotMatch(out + err, /correct-horse/)
  })

  it('tells an executor without a token where to read how one is made', async () => {
    const { code, err } = await runProgram(['executor', '--server', 'http://127.0.0.1:1'])
    assert.equal(code, 1)
    assert.match(err, /GUILDHALL_EXECUTOR_TOKEN; docs\/executor\.md says how/)
  })

  it('shows every command of the program, each with a help of its own, though the settings are wrong', async () => {
    const wrong = { GUILDHALL_PORT: 'nonsense' }
    const { code, out } = await runProgram(['--help'], wrong)
    assert.equal(code, 0)
    const names = [...out.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}/gm)].map(([, name]) => name!)
    const ours = [
      'account add',
      'account list',
      'account passwd',
      'account role',
      'backup',
      'doctor',
      'restore',
      'serve',
    ]
    for (const name of [...ours, 'token add', 'token list', 'token revoke']) assert.ok(names.includes(name), name)
    for (const name of ['serve', 'token add']) {
      const help = await runProgram([...name.split(' '), '--help'], wrong)
      assert.equal(help.code, 0)
      assert.ok(help.out.startsWith(`usage: npm run guildhall -- ${name}`))
    }
  })
})
