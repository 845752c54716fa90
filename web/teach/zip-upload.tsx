/** Tests from a zip, all or none, with how far it is. */
import { useState } from 'preact/hooks'
import { call } from '../api/rpc.ts'
import { callWithProgress } from '../api/upload.ts'
import { Field, useAct } from '../parts/form.tsx'
import { Done, Failed } from '../parts/state.tsx'

const mostBytes = 64 * 1024 * 1024

async function toBase64(file: File): Promise<string> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
  return address.slice(address.indexOf(',') + 1)
}

const countTests = async (ProblemUUID: string): Promise<number> =>
  (await call('get_problem_test_case_snippet_list', { ProblemUUID, Offset: 0, Limit: 1 })).TotalTestCaseCount

export function ZipUpload({ uuid, reload }: { uuid: string; reload(): void }) {
  const act = useAct()
  const [part, setPart] = useState<number>()
  const [added, setAdded] = useState<number>()
  const [isTooLarge, setTooLarge] = useState(false)
  const send = (file: File | undefined) => {
    if (!file) return
    setAdded(undefined)
    setTooLarge(file.size > mostBytes)
    if (file.size > mostBytes) return
    void act
      .run(async () => {
        setPart(0)
        const before = await countTests(uuid)
        const params = new Blob([`{"ProblemUUID":"${uuid}","ZippedTestData":"`, await toBase64(file), '"}'])
        await callWithProgress('create_test_case_list', params, setPart)
        setAdded((await countTests(uuid)) - before)
        reload()
      })
      .finally(() => setPart(undefined))
  }
  return (
    <section class="card" aria-labelledby="zip">
      <h2 id="zip">Add many from a zip</h2>
      <p class="soft small">
        Pairs <code>NAME.in</code> with <code>NAME.out</code> or <code>NAME.ans</code>, or folders with{' '}
        <code>input.txt</code> and <code>output.txt</code>, at any depth. All become hidden tests, or none if one is
        amiss.
      </p>
      <Field label="Zip file, up to 64 MiB">
        <input
          type="file"
          accept=".zip,application/zip"
          disabled={act.isBusy}
          onChange={(event) => {
            send(event.currentTarget.files?.[0])
            event.currentTarget.value = ''
          }}
        />
      </Field>
      {part !== undefined && (
        <p>
          <progress aria-label="Sending the zip" value={part} max={1} />
          <span class="small soft">{part < 1 ? 'Sending …' : 'Being unpacked …'}</span>
        </p>
      )}
      {added !== undefined && <Done>{added} tests were added.</Done>}
      {isTooLarge && <p role="alert">The file is over 64 MiB: split it, and add the parts one after another.</p>}
      {act.error !== undefined && <Failed error={act.error} />}
    </section>
  )
}
