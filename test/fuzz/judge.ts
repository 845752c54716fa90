/** Shots at the judge: every operation alone and in batches, broken envelopes, and uploads long enough to be read in pieces. */
import { toBase64 } from '../support/zip.ts'
import { drawCredential } from './credentials.ts'
import type { Random } from './random.ts'
import { drawEncoding, drawHeaders, type RequestParts } from './shot.ts'
import { drawBody, drawOddJson } from './values.ts'
import type { Operation, World } from './world.ts'

const id = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'

/** What everybody's calls depend on: changed only where something in it is wrong. */
const endings = new Set(['update_setting', 'delete_session'])

export function drawJudge(random: Random, world: World): RequestParts {
  const chance = random.below(20)
  const text =
    chance < 14
      ? drawCall(random, world)
      : chance < 17
        ? `[${Array.from({ length: random.pick([0, 1, 3, 20, 101]) }, () => drawCall(random, world)).join()}]`
        : chance < 18
          ? drawUpload(random, world)
          : random.pick([drawOddJson(random), '', '\ufeff{}', '{"jsonrpc":"2.0"', '\u0000', '[]', '[[]]', '[1,2]'])
  const isBytes = random.isChance(0.03)
  const { body, headers } = drawEncoding(random, isBytes ? random.bytes(random.below(300)) : text)
  return {
    method: random.isChance(0.97) ? 'POST' : random.pick(['PUT', 'GET', 'DELETE', 'OPTIONS']),
    path: random.pick(['/', '/', '/', '/', '/?x=1', '//']),
    headers: [
      ...drawCredential(random, world.credentials, ['admin', 'ann', 'wil', 'session']),
      ...headers,
      ...drawHeaders(random),
    ],
    body,
    isChunked: random.isChance(0.15),
  }
}

function drawCall(random: Random, world: World): string {
  const operation = random.pick(world.operations)
  const params = endings.has(operation.name)
    ? `{"Setting":${drawOddJson(random)}}`
    : drawParams(random, operation, world)
  const envelope = [
    `"jsonrpc":${random.isChance(0.95) ? '"2.0"' : drawOddJson(random)}`,
    `"method":${random.isChance(0.97) ? JSON.stringify(operation.name) : drawOddJson(random)}`,
    `"params":${random.isChance(0.97) ? params : drawOddJson(random)}`,
  ]
  if (random.isChance(0.95)) envelope.push(`"id":${random.isChance(0.95) ? JSON.stringify(id) : drawOddJson(random)}`)
  return `{${envelope.join()}}`
}

function drawParams(random: Random, { name, params }: Operation, world: World): string {
  const isRead = name.startsWith('get_') || name.startsWith('wait_')
  const problem = JSON.stringify(isRead ? world.problem : random.pick([world.problem, world.spareProblem]))
  const right = {
    ID: name.includes('account') ? String(isRead ? world.accountId : world.spareAccountId) : String(world.submission),
    AccountID: String(world.accountId),
    UUID: name.includes('problem')
      ? name.startsWith('delete')
        ? JSON.stringify(world.spareProblem)
        : problem
      : JSON.stringify(world.testCase),
    ProblemUUID: problem,
    Offset: '0',
    Limit: '10',
    Language: '"python"',
    LanguageList: '["python"]',
    AccountName: '"spare"',
    Role: '"contestant"',
    ZippedTestData: JSON.stringify(
      toBase64([
        { path: '1.in', data: '1' },
        { path: '1.out', data: '2' },
      ]),
    ),
    // Nobody has half a minute for each of them.
    WaitMillisecond: '20',
  }
  return drawBody(random, params, right).replace(/("WaitMillisecond":)(?!20\b)\d{3,5}\b/g, '$120')
}

/** Over a mebibyte, so that it is read as it arrives. */
function drawUpload(random: Random, { problem }: World): string {
  const zip = toBase64([
    { path: '1.in', data: 'x'.repeat(900_000), isPacked: false },
    { path: '1.out', data: 'y'.repeat(random.pick([10, 300_000])), isPacked: random.isChance(0.5) },
  ])
  const spoilt = random.pick([
    zip,
    zip.slice(0, random.below(zip.length)),
    zip.replace('A', '!'),
    `${zip.slice(0, 900_000)}\\u0041${zip.slice(900_000)}`,
    '='.repeat(1_200_000),
    `${zip}"`,
  ])
  const params = `{"ProblemUUID":${JSON.stringify(problem)},"ZippedTestData":"${spoilt}"}`
  return `{"jsonrpc":"2.0","id":"${id}","method":"create_test_case_list","params":${params}}`
}
