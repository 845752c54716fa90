/** Shots at the data sets: every route, every format, every parameter of an export, and items of every kind. */
import { formats } from '../../src/datasets/query/item-query.ts'
import { drawCredential } from './credentials.ts'
import type { Random } from './random.ts'
import { drawEncoding, drawHeaders, type RequestParts } from './shot.ts'
import { drawOddJson, drawOddWord, drawQuery } from './values.ts'
import type { World } from './world.ts'

const flags = ['1', '0', 'true', 'false']
const names = ['url', 'n', 'list', 'deep', 'deep.a', 'url,n', 'list,list', 'odd%20name', '%F0%9F%98%80']
const rightQueries: Record<string, readonly string[]> = {
  format: formats,
  offset: ['0', '1', '1000000'],
  limit: ['0', '1', '5'],
  desc: flags,
  clean: flags,
  skipHidden: flags,
  skipEmpty: flags,
  skipFailedPages: flags,
  simplified: flags,
  attachment: flags,
  bom: flags,
  skipHeaderRow: flags,
  unnamed: flags,
  fields: names,
  omit: names,
  unwind: names,
  flatten: names,
  outputFields: names,
  delimiter: [';', '%09', '%22', '%F0%9F%98%80'],
  xmlRoot: ['root', 'x:y', '%3C'],
  xmlRow: ['row', '-'],
  feedTitle: ['%00', '%3Cb%3E', 'A%0aB'],
  feedDescription: ['x'],
  view: ['overview', '__proto__'],
  filter: ['n%3D1', 'n%20%3E%201%20and%20not%20url%20exists', 'list%20contains%20%22a%22', '((', 'n%20%3D'],
  search: ['a', '%00', '%F0%9F%98%80'],
  sort: ['n', '-url,n', 'deep/a', '%60odd%20name%60', '-', ',', '%60'],
  distinct: ['n', 'list,deep', 'deep/a/0', '%60'],
  guessTypes: flags,
  signature: ['x', 'a.b'],
  name: ['spare', 'A%20B'],
  token: ['x', ''],
}

export function drawDatasets(random: Random, world: World): RequestParts {
  const id = random.isChance(0.8) ? random.pick(world.datasets) : drawOddWord(random)
  const spare = random.isChance(0.8) ? world.spareDataset : drawOddWord(random)
  const [method, path, body] = random.pick<() => [string, string, (string | Buffer)?]>([
    () => ['GET', `/datasets/${id}/items`],
    () => ['GET', `/datasets/${id}/items`],
    () => [random.pick(['GET', 'HEAD']), `/datasets/${id}/items`],
    () => ['POST', `/datasets/${spare}/items`, drawItems(random)],
    () => ['DELETE', `/datasets/${spare}/items`],
    // One that is taken would go on for ever.
    () => [random.pick(['POST', 'PUT', 'DELETE']), `/datasets/${id}/items/live`],
    () => ['GET', `/datasets/${drawOddWord(random)}/items/live`],
    () => ['POST', `/datasets/${spare}/items`, drawItems(random)],
    () => ['GET', '/datasets'],
    () => ['POST', '/datasets', drawDraft(random)],
    () => ['GET', `/datasets/${id}`],
    () => ['PUT', `/datasets/${spare}`, drawDraft(random)],
    () => ['DELETE', `/datasets/${drawOddWord(random)}`],
    () => ['GET', `/datasets/${id}/statistics`],
    () => ['GET', `/users/${random.pick(['me', 'ann', drawOddWord(random)])}`],
    () => [random.pick(['PATCH', 'PUT', 'OPTIONS', 'TRACE', 'HEAD']), `/datasets/${id}/${drawOddWord(random)}`],
  ])()
  const packed = drawEncoding(random, body)
  return {
    method,
    path: `/v2${path}${drawQuery(random, Object.keys(rightQueries), rightQueries)}`,
    headers: [
      ...drawCredential(random, world.credentials, ['ann', 'ann', 'admin', 'none']),
      ...packed.headers,
      ...drawHeaders(random),
    ],
    body: packed.body,
    isChunked: random.isChance(0.1),
  }
}

function drawItems(random: Random): string | Buffer {
  return random.pick<() => string | Buffer>([
    () => `[${Array.from({ length: random.below(4) }, () => drawOddJson(random)).join()}]`,
    () => drawOddJson(random),
    () => `{"a":${drawOddJson(random)},"${'k'.repeat(random.below(300))}":${drawOddJson(random)}}`,
    () => '[{"a":1},{"a":2,"a":3}]',
    () => '\ufeff[{"a":1}]',
    () => '{"a":1}\n{"a":2}',
    () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    () => random.bytes(50),
    () => '[{"a":1},',
    () => '',
  ])()
}

function drawDraft(random: Random): string {
  const members = ['name', 'title', 'generalAccess', 'schema', '__proto__'].filter(() => random.isChance(0.6))
  const schemas = [
    '{"fields":{"type":"object"},"views":{}}',
    '{"fields":{"$ref":"#"}}',
    '{"fields":{"type":"object","properties":{"a":{"pattern":"("}}}}',
    '{"views":{"overview":{"transformation":{"fields":["a"]}}}}',
  ]
  return `{${members.map((name) => `"${name}":${name === 'schema' ? random.pick([...schemas, drawOddJson(random)]) : drawOddJson(random)}`).join()}}`
}
