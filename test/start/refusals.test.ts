/** A start that can't be: one clear line, a non-zero exit, no stack, and nothing damaged. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { OperatorError } from '../../src/lib/failure.ts'
import { readSettings, settingList } from '../../src/settings.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { makeDatabase } from '../support/engines.ts'
import { type Environment, runProgram, startProgram } from '../support/program.ts'

const wrongSettings: Record<string, readonly string[]> = {
  GUILDHALL_PORT: ['x', '-1', '65536', '80.5', '0x50', ' 80'],
  GUILDHALL_BASE_URL: ['example.org', 'ftp://example.org', 'https://example.org/path', 'https://u@example.org'],
  DATABASE_URL: ['mysql://x/y', 'postgres', 'postgres://[', '/var/lib'],
  GUILDHALL_ADMIN_NAME: ['-admin', 'two words', 'a'.repeat(40)],
  GUILDHALL_ADMIN_PASSWORD: ['short', 'x'.repeat(257)],
  GUILDHALL_ADMIN_TOKEN: ['too-short', 'with a blank in the middle'],
  GUILDHALL_EXECUTORS: ['many', '-1', '1025'],
  GUILDHALL_LIMITS: ['yes', 'ON'],
  GUILDHALL_LOG: ['loud'],
  GUILDHALL_EXECUTOR_WITHOUT: ['everything', 'limits,all'],
  GUILDHALL_TRUST_PROXY: ['maybe'],
}

describe('a wrong setting', () => {
  for (const [name, values] of Object.entries(wrongSettings)) {
    for (const value of values) {
      it(`is refused by its name: ${name}=${value.slice(0, 40)}`, () => {
        assert.throws(
          () => readSettings({ [name]: value }),
          (error) => error instanceof OperatorError && new RegExp(`^${name} must [^\n]+$`).test(error.message),
        )
      })
    }
  }

  it('is known for every setting that can be wrong by itself', () => {
    // An address and a folder are only found wrong when they are used; a room's own settings have their own tests.
    const known = [...Object.keys(wrongSettings), 'GUILDHALL_HOST', 'GUILDHALL_DATA']
    for (const name of known)
      assert.ok(
        Object.values(settingList).some((setting) => setting.name === name),
        name,
      )
  })

  it('never repeats a secret', () => {
    for (const name of ['GUILDHALL_ADMIN_PASSWORD', 'GUILDHALL_ADMIN_TOKEN', 'DATABASE_URL']) {
      assert.throws(
        () => readSettings({ [name]: 's3cr3t' }),
        (error: Error) => !error.message.includes('s3cr3t'),
      )
    }
  })
})

describe('a start that fails', () => {
  let place: string
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-start-'))
  })
  after(() => rm(place, { recursive: true, force: true }))
  const at = (...names: string[]) => join(place, ...names)

  async function refuse(environment: Environment, says: RegExp): Promise<void> {
    const { code, out, err } = await runProgram(['serve'], { GUILDHALL_DATA: at('data'), ...environment })
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, /^guildhall: [^\n]+\n$/)
    assert.match(err, says)
  }

  it('for a wrong setting, before anything is made', async () => {
    await refuse({ GUILDHALL_LIMITS: 'perhaps' }, /GUILDHALL_LIMITS must be on or off/)
    assert.deepEqual(await readdir(place), [])
  })

  it('for a data folder that can not be', async () => {
    await writeFile(at('file'), 'mine')
    await refuse({ GUILDHALL_DATA: at('file', 'data') }, /can't be written \(ENOTDIR\): set GUILDHALL_DATA/)
    await refuse({ GUILDHALL_DATA: at('file') }, /can't be written/)
    await refuse({ GUILDHALL_DATA: '/proc/guildhall' }, /can't be written/)
    // Even root may write no file here, though the folder says it may.
    await refuse({ GUILDHALL_DATA: '/proc' }, /can't be written/)
    assert.equal(await readFile(at('file'), 'utf8'), 'mine')
  })

  it('for a host that is not this machine', async () => {
    await refuse({ GUILDHALL_HOST: '192.0.2.1' }, /can't listen on 192\.0\.2\.1/)
  })

  it('for a busy port, and keeps the first password for the start that succeeds', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    await refuse({ GUILDHALL_DATA: at('busy'), GUILDHALL_PORT: String(port) }, /Port \d+ is in use/)
    assert.equal(existsSync(at('busy')), false)
    other.close()
    const server = await startProgram({ GUILDHALL_DATA: at('busy') })
    assert.match(server.output(), /sign in as admin with the password \w{20}/)
    assert.equal(await server.end('SIGTERM'), 0)
  })

  it('for a folder that another Guildhall serves, which goes on', async () => {
    const first = await startProgram({ GUILDHALL_DATA: at('busy') })
    await refuse({ GUILDHALL_DATA: at('busy') }, /Another Guildhall serves the data folder/)
    assert.equal((await fetch(`${first.url}/healthz`)).status, 200)
    assert.equal(await first.end('SIGTERM'), 0)
  })

  it('for a file that is no database, or another program’s, and leaves it as it was', async () => {
    await mkdir(at('odd'))
    const file = at('odd', 'guildhall.db')
    await writeFile(file, 'This is a letter to my aunt, and it is long enough to have a header. '.repeat(20))
    const letter = await readFile(file)
    await refuse({ GUILDHALL_DATA: at('odd') }, /can't be opened: file is not a database/)
    assert.deepEqual(await readFile(file), letter)
    await rm(file)
    const foreign = new DatabaseSync(file)
    foreign.exec('create table account (whose text)')
    foreign.close()
    const whole = await readFile(file)
    await refuse({ GUILDHALL_DATA: at('odd') }, /was not made by Guildhall/)
    assert.deepEqual(await readFile(file), whole)
  })

  it('for a damaged database', async () => {
    await mkdir(at('torn'))
    await copyFile(at('busy', 'guildhall.db'), at('torn', 'guildhall.db'))
    const bytes = await readFile(at('torn', 'guildhall.db'))
    bytes.fill(0xff, 120, 4096)
    await writeFile(at('torn', 'guildhall.db'), bytes)
    await refuse({ GUILDHALL_DATA: at('torn') }, /malformed|not a database/)
    assert.deepEqual(await readFile(at('torn', 'guildhall.db')), bytes)
  })

  it('for a database that is newer than the code (SQLite)', async () => {
    const file = at('newer', 'guildhall.db')
    await (await openSqlite(file)).close()
    const database = new DatabaseSync(file)
    database.exec(`insert into schema_migration values (9999, 'to come', 'x', 0)`)
    await refuse({ GUILDHALL_DATA: at('newer') }, /written by a newer Guildhall \(schema 9999/)
    assert.equal(database.prepare('select count(*) as n from schema_migration where number > 9000').get()!.n, 1)
    assert.equal(database.prepare('select count(*) as n from account').get()!.n, 0)
    database.close()
  })

  it('for a PostgreSQL that is down, refuses us, lacks the database, or is newer', async () => {
    const database = await makeDatabase('postgres')
    await (await database.open()).close()
    const client = new pg.Client(database.url!)
    await client.connect()
    try {
      const with_ = (change: (url: URL) => void) => {
        const url = new URL(database.url!)
        change(url)
        return url.href
      }
      const secret = 'wr0ng-secret'
      const cases: [string, RegExp][] = [
        ['postgres://guild:wr0ng-secret@127.0.0.1:1/guild', /ECONNREFUSED/],
        [
          with_((url) => {
            url.password = secret
          }),
          /password authentication failed/,
        ],
        [
          with_((url) => {
            url.pathname = '/nowhere'
          }),
          /"nowhere" does not exist/,
        ],
      ]
      for (const [url, says] of cases) {
        await refuse({ DATABASE_URL: url }, says)
        const { err } = await runProgram(['account', 'list'], { DATABASE_URL: url })
        assert.ok(!err.includes(secret))
        assert.match(err, /^guildhall: The database postgres:[^\n]+ can't be used: [^\n]+\n$/)
      }
      await client.query(`insert into schema_migration values (9999, 'to come', 'x', 0)`)
      await refuse({ DATABASE_URL: database.url }, /written by a newer Guildhall/)
      assert.equal((await client.query('select * from account')).rowCount, 0)
    } finally {
      await client.end()
      await database.drop()
    }
  })
})
