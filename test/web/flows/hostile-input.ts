/** No script of a user's ever runs: texts, names, files, pictures and links that try, on every page that shows them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submit } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { makeZip } from '../../support/zip.ts'
import { chosenFile, see, show } from '../hands.ts'
import { makeDataset, makeSum, password, type Stage } from '../stage.ts'
import type { World } from '../world.ts'

declare const window: Json

const tag = '<img src=x onerror=window.pwned=1>'
const schemes = ['javascript', 'JaVaScRiPt', ' javascript', 'java\nscript', 'vbscript', 'data', 'file', 'blob', 'about']
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1"><script>window.pwned=1;top.pwned=1</script><a href="javascript:window.pwned=1"><text y="9">x</text></a></svg>`

const texts: readonly string[] = [
  tag,
  '<script>window.pwned=1</script>',
  '<svg onload=window.pwned=1>',
  '"onmouseover="window.pwned=1',
  '<iframe srcdoc="<script>top.pwned=1</script>">',
  '<math><mtext><style><img src=x onerror=window.pwned=1></style></mtext></math>',
  `![a](data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')})`,
  '![a](odd.svg)',
  '![a](https://elsewhere.example/a.png)',
  '$\\href{javascript:window.pwned=1}{x}$ $\\text{<img src=x onerror=window.pwned=1>}$',
  '```"><img src=x onerror=window.pwned=1>\nx\n```',
  ...schemes.flatMap((scheme) => [
    `[a](${scheme}:window.pwned=1)`,
    `[a](<${scheme}:window.pwned=1>)`,
    `<${scheme}:window.pwned=1>`,
    `![a](${scheme}:window.pwned=1)`,
  ]),
  '[a]: javascript:window.pwned=1\n\n[a]',
  '[a](//elsewhere.example) [b](\\\\elsewhere.example)',
]

/** In the page: links that leave it or run something, and pictures from elsewhere. */
const findBad = (): string[] =>
  [
    ...window.document.querySelectorAll(
      'main a[href], main img[src], main script, main iframe, main [onerror], main [onload]',
    ),
  ]
    .filter((element: Json) => {
      const address = element.href ?? element.src
      if (typeof address !== 'string') return true
      const { protocol, origin } = new URL(address, window.location.href)
      const isPicture = element.tagName === 'IMG' && protocol === 'data:'
      return (
        !isPicture && (!/^https?:$/.test(protocol) || (element.tagName === 'IMG' && origin !== window.location.origin))
      )
    })
    .map((element: Json) => element.outerHTML.slice(0, 160))

export function testHostileInput(world: World): void {
  test('nothing that people write, name or draw runs as a script, wherever it is shown', async () => {
    const { stage } = world
    const { uuid, submissionId, datasetId } = await fill(stage)
    const { page } = await stage.openAs('ada')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const problem = `/-/judge/problems/${uuid}`
    const dataset = `/-/datasets/${datasetId}`
    const paths = [
      '/-/',
      '/-/account',
      '/-/account/tokens',
      '/-/account/sessions',
      '/-/judge',
      '/-/judge?by=me',
      problem,
      `${problem}/edit`,
      `${problem}/tests`,
      `${problem}/judging`,
      `${problem}/rejudge`,
      `/-/judge/submissions/${submissionId}`,
      '/-/judge/submissions?by=all',
      '/-/judge/results',
      '/-/admin/accounts',
      '/-/admin/judging',
      '/-/admin/settings',
      '/-/datasets',
      dataset,
      ...['export', 'add', 'fields', 'schema', 'access'].map((tab) => `${dataset}?tab=${tab}`),
      `/-/judge/submissions?by=${encodeURIComponent(tag)}&problem=${encodeURIComponent(tag)}&language=${encodeURIComponent(tag)}`,
      ...schemes.map((scheme) => `/-/sign-in?to=${encodeURIComponent(`${scheme}:window.pwned=1`)}`),
      '/-/sign-in?to=//elsewhere.example',
      `/-/docs?q=${encodeURIComponent(tag)}`,
    ]
    const isUntouched = async (where: string) => {
      assert.equal(await page.evaluate(() => window.pwned), undefined, where)
      assert.deepEqual(await page.evaluate(findBad), [], where)
    }
    for (const path of paths) {
      await show(page, path)
      await isUntouched(path)
      assert.ok(page.url().startsWith(`${stage.url}/-/`), path)
    }

    // Names of files, as they are chosen.
    const offer = (label: string | RegExp, file: ReturnType<typeof chosenFile>) =>
      page.getByLabel(label).first().setInputFiles(file)
    await show(page, `${problem}/tests`)
    const zip = makeZip([
      { path: `${tag.replaceAll('/', '')}.txt`, data: 'x' },
      { path: '1.in', data: tag },
      { path: '1.out', data: tag },
    ])
    await offer('Zip file', chosenFile(`${tag}.zip`, zip))
    await see(page, '1 test was added')
    await isUntouched('a zip')
    await show(page, `${problem}/judging`)
    await page.getByRole('radio', { name: /testlib checker/ }).check()
    await offer('Files of the checker', chosenFile(`${tag}.py`, tag))
    await page.locator('.files summary').first().press('Enter')
    await isUntouched('a checker')
    await page.reload()
    page.on('dialog', (dialog) => void dialog.accept())
    await show(page, `${dataset}?tab=add`)
    await offer(/Drop a JSON/, chosenFile(`${tag}.json`, tag))
    await see(page, /not valid JSON/)
    await isUntouched('a file of items')
    await show(page, `${problem}/edit`)
    await offer('Add a picture', { ...chosenFile(`${tag}.svg`, svg), mimeType: 'image/svg+xml' })
    await see(page, /A picture is a PNG/)
    await isUntouched('a picture')

    // A picture that is opened by itself, in the page's own origin.
    const picture = await page.goto(`${problem}/files/statement/odd.svg`)
    assert.ok(picture!.ok())
    assert.equal(await page.evaluate(() => window.pwned), undefined, 'a picture by itself')
    const elsewhere = asked.filter((url) => !url.startsWith(stage.url) && !url.startsWith('data:'))
    assert.deepEqual(elsewhere, [])
  })
}

/** Everything that people can write, name or draw, with all that is tried in it. */
async function fill(stage: Stage): Promise<{ uuid: string; submissionId: number; datasetId: string }> {
  const { admin, anonymous, worker } = stage.cast
  const all = texts.join('\n\n')
  const short = texts[0]!.slice(0, 60)
  const ada = await anonymous.signIn('ada', password)
  const { UUID } = await makeSum(stage, {
    DisplayName: tag,
    Description: all,
    ExampleList: [{ Input: all, Output: all }],
  })
  const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'image/svg+xml' }
  const stored = await fetch(`${stage.url}/-/judge/problems/${UUID}/files/statement/odd.svg`, {
    method: 'PUT',
    headers,
    body: svg,
  })
  assert.ok(stored.ok, await stored.text())
  const { ID } = await submit(admin, UUID, { Content: all })
  await ada.call('update_account', { ID: (await ada.call('get_session')).Account.ID, DisplayName: short })
  await ada.call('create_token', { Kind: 'classic', Note: short })
  await admin.call('update_problem_judging', {
    UUID,
    Judging: { GroupList: [{ Name: short, MaximumScore: 1 }], IsScored: true },
  })
  const list = await admin.call('get_problem_test_case_judging_list', { ProblemUUID: UUID, Offset: 0, Limit: 9 })
  await admin.call('update_test_case_judging', { UUID: list.TestCaseJudgingList[1].UUID, Group: short })
  await worker.call('register_executor', {
    Name: short,
    LanguageList: [{ Value: 'x', Name: short }],
    ParallelRunCount: 1,
  })
  await admin.call('create_account', { AccountName: 'odd', DisplayName: short, Role: 'contestant', Password: password })
  const items = [{ [all]: all, [tag]: { '<b>': all, link: 'javascript:window.pwned=1' } }]
  const datasetId = await makeDataset(stage, 'odd', items, { title: texts.slice(0, 5).join(' ') })
  return { uuid: UUID, submissionId: ID, datasetId }
}
