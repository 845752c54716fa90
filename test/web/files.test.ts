/** What the page makes of files and lists that people choose, as the commands would. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readClassList } from '../../src/accounts/class-list.ts'
import { readPortions } from '../../web/datasets/file-items.ts'

const read = (name: string, content: string | Buffer<ArrayBuffer>) => readPortions(new File([content], name))

test('the numbers of a column are numbers however they are written, with their digits', async () => {
  const csv = 'price,id,note\n9.50,007,true\n10.00,8,\n0.1,-1e3,+1\n'
  assert.deepEqual(await read('prices.csv', csv), [
    '[{"price":9.50,"id":"007","note":true},{"price":10.00,"id":8,"note":null},{"price":0.1,"id":-1e3,"note":"+1"}]',
  ])
  await assert.rejects(read('twice.csv', 'a,a\n1,2\n'), /Line 1: Two columns have the name "a"/)
})

test('a file that is not UTF-8 is refused, with what makes it so', async () => {
  for (const name of ['latin.csv', 'latin.jsonl', 'latin.json'])
    await assert.rejects(
      read(name, Buffer.from('{"name":"café"}\n', 'latin1')),
      /^Error: latin\.\w+ is not UTF-8 text: .*iconv -f WINDOWS-1252 -t UTF-8 FILE\.$/,
    )
})

test('a class is read by the delimiter that most of its lines have, and each line is kept as it is written', () => {
  const entriesOf = (text: string) =>
    readClassList(text).map(({ name, displayName, source }) => [name, displayName, source])
  assert.deepEqual(entriesOf('ann, Ann Lee\nbob\tBob Roy\nkim, "Kim; Moe" \n'), [
    ['ann', 'Ann Lee', 'ann, Ann Lee'],
    ['bob\tBob Roy', 'bob\tBob Roy', 'bob\tBob Roy'],
    ['kim', 'Kim; Moe', 'kim, "Kim; Moe"'],
  ])
  assert.deepEqual(entriesOf('name;shown\nann;Lee, Ann\nbob;"Roy,\nBob"\n'), [
    ['ann', 'Lee, Ann', 'ann;Lee, Ann'],
    ['bob', 'Roy,\nBob', 'bob;"Roy,\nBob"'],
  ])
})
