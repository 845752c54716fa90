import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { makePasswords } from '../../src/accounts/sign-in/passwords.ts'
import { networkOf } from '../../src/lib/network.ts'

const ann = { address: '192.0.2.1', name: 'ann' }

test('dozens of passwords at once leave room for files to be read meanwhile', async () => {
  const passwords = makePasswords()
  const stored = await passwords.hash('the right password', ann)
  let checked = 0
  const checking = Array.from({ length: 20 }, async () => {
    await passwords.matches('a wrong password', stored, ann)
    checked++
  })
  await readFile(import.meta.filename)
  assert.ok(checked < 10, `the file was read after ${checked} of them`)
  await Promise.all(checking)
  assert.equal(checked, 20)
})

test('a password matches its own hash, in any number at once', async () => {
  const passwords = makePasswords()
  const hashes = await Promise.all(
    ['one password', 'another one', 'a third one'].map((word) => passwords.hash(word, ann)),
  )
  const matches = await Promise.all(hashes.map((stored) => passwords.matches('another one', stored, ann)))
  assert.deepEqual(matches, [false, true, false])
  for (const hash of hashes) assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('passwords wait in the lines of their networks, which are bounded, and a network that has none waiting finds a place', async () => {
  const passwords = makePasswords({ perNetwork: 4, inAll: 6 })
  const hash = (address: string, name = 'ann') => passwords.hash('a password', { address, name })
  // As many as are hashed at once, and as many as may wait.
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, (_, i) => hash(`2001:db8:0:1::${i}`)))
  const refused = outcomes
    .filter(({ status }) => status === 'rejected')
    .map((each) => (each as PromiseRejectedResult).reason)
  assert.ok(refused.length >= 12 - 4 - 3 && refused.length < 12, String(refused.length))
  for (const { kind, message } of refused) {
    assert.deepEqual(
      [kind, message],
      ['limited', 'Too many requests wait for passwords to be checked: try again in a moment.'],
    )
  }
  const crowd = ['a', 'b'].flatMap((host) => Array.from({ length: 7 }, () => hash(host)))
  const late = hash('2001:db8:0:2::1')
  await Promise.allSettled(crowd)
  assert.match(await late, /^\$argon2id/)
})

test('an address counts for its network', () => {
  const cases = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['house', 'house'],
  ]
  for (const [address, network] of cases) assert.equal(networkOf(address!), network, address)
})
