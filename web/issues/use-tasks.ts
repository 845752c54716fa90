/** Ticking tasks of a text in place: written at once, unless somebody else has changed the text meanwhile. */
import { useCallback, useRef, useState } from 'preact/hooks'
import { Fault } from '../api/fault.ts'
import { useAct } from '../parts/form.tsx'
import { Overtaken, saveEdit } from './saving.ts'
import { tickTask } from './tasks.ts'
import { makeTickable } from './tickable.ts'

type Needs = { readonly path: string; readonly body: string; reload(): void }

export function useTasks(needs: Needs) {
  const act = useAct()
  const latest = useRef({ ...needs, act })
  latest.current = { ...needs, act }
  const focused = useRef<{ line?: number | undefined }>({})
  // Raised where nothing was written, so that the boxes show again what the text says.
  const [refusals, setRefusals] = useState(0)
  const whenDrawn = useCallback(
    (place: HTMLElement) => {
      for (const box of place.querySelectorAll<HTMLInputElement>('input[data-line]')) box.checked = box.defaultChecked
      return makeTickable(place, focused.current, (line, isDone) => {
        const { path, body, reload, act: now } = latest.current
        void now.run(async () => {
          try {
            const text = tickTask(body, line, isDone)
            if (text === undefined)
              throw new Fault(422, 'This task could not be found in the text. Edit the text instead.')
            await saveEdit({ path, field: 'body', base: body, text })
          } catch (error) {
            setRefusals((count) => count + 1)
            if (!(error instanceof Overtaken)) throw error
            throw new Fault(
              409,
              'Somebody else has changed this text in the meantime, so nothing was ticked. It is shown as it is now.',
            )
          } finally {
            reload()
          }
        })
      })
    },
    [refusals],
  )
  return { act, whenDrawn }
}
