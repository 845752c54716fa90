/** Tests from a zip, all or none, with how far it is, what was read and what was not. */
import { useState } from 'preact/hooks'
import { call } from '../../api/rpc.ts'
import { callWithProgress } from '../../api/upload.ts'
import { Done } from '../../parts/state.tsx'
import { toBase64, ZipField } from './zip-field.tsx'
import { listOthers, listZipNames } from './zip-names.ts'

const countTests = async (ProblemUUID: string): Promise<number> =>
  (await call('get_problem_test_case_snippet_list', { ProblemUUID, Offset: 0, Limit: 1 })).TotalTestCaseCount

const mostNamed = 20

export function ZipUpload({ uuid, reload }: { uuid: string; reload(): void }) {
  const [added, setAdded] = useState<{ count: number; others: readonly string[] }>()
  const send = async (file: File, onProgress: (part: number) => void) => {
    setAdded(undefined)
    const before = await countTests(uuid)
    const params = new Blob([
      `{"ProblemUUID":"${uuid}","KeepsFolders":true,"ZippedTestData":"`,
      await toBase64(file),
      '"}',
    ])
    await callWithProgress('create_test_case_list', params, onProgress)
    setAdded({ count: (await countTests(uuid)) - before, others: listOthers(await listZipNames(file)) })
    reload()
  }
  return (
    <section class="card" aria-labelledby="zip">
      <h2 id="zip">Add many from a zip</h2>
      <p class="soft small">
        Pairs <code>NAME.in</code> with <code>NAME.out</code> or <code>NAME.ans</code>, or folders with{' '}
        <code>input.txt</code> and <code>output.txt</code>, at any depth. Each folder becomes a group, except{' '}
        <code>sample</code>, whose tests are open; all others are hidden. If any of them is invalid, none are added.
      </p>
      <ZipField advice="split it and add the parts one by one." send={send} />
      {added && (
        <>
          <Done>{added.count === 1 ? '1 test was added.' : `${added.count} tests were added.`}</Done>
          {added.others.length > 0 && (
            <>
              <p class="small">
                {added.others.length} other {added.others.length === 1 ? 'file was' : 'files were'} left out:
              </p>
              <ul class="small">
                {added.others.slice(0, mostNamed).map((name) => (
                  <li key={name}>{name}</li>
                ))}
                {added.others.length > mostNamed && <li>…</li>}
              </ul>
            </>
          )}
        </>
      )}
    </section>
  )
}
