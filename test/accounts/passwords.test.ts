import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { makePasswords } from '../../src/accounts/sign-in/passwords.ts'

test('dozens of passwords at once leave room for files to be read meanwhile', async () => {
  const passwords = makePasswords()
  const stored = await passwords.hash('the right password')
  let checked = 0
  const checking = Array.from({ length: 40 }, async () => {
    await passwords.matches('a wrong password', stored)
    checked++
  })
  await readFile(import.meta.filename)
  assert.ok(checked < 20, `the file was read after ${checked} of them`)
  await Promise.all(checking)
  assert.equal(checked, 40)
})

test('a password matches its own hash, in any number at once', async () => {
  const passwords = makePasswords()
  const hashes = await Promise.all(['one password', 'another one', 'a third one'].map(passwords.hash))
  const matches = await Promise.all(hashes.map((stored) => passwords.matches('another one', stored)))
  assert.deepEqual(matches, [false, true, false])
})
