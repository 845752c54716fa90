/** A part of the side bar: what is chosen, and for those who may, a list to choose from. */
import type { ComponentChildren } from 'preact'
import { useAct } from '../parts/form.tsx'
import { type Choice, Picker } from '../parts/picker.tsx'
import { FailedAct } from '../parts/state.tsx'

type Props = {
  readonly title: string
  readonly what: string
  readonly mayChange: boolean
  readonly isSingle?: boolean
  readonly children: ComponentChildren
  load(): Promise<readonly Omit<Choice, 'isChosen'>[]>
  isChosen(value: string): boolean
  /** Each choice is sent by itself, so that nobody's other choice is overwritten. */
  change(value: string, isChosen: boolean): Promise<unknown>
  reload(): void
}

export function SideSection({ title, what, mayChange, isSingle, children, load, isChosen, change, reload }: Props) {
  const act = useAct()
  return (
    <section class="side-section">
      <div class="row spread-tight">
        <h2>{title}</h2>
        {mayChange && (
          <Picker
            label={<span>Change {<span class="hidden-text">{title.toLowerCase()}</span>}</span>}
            what={what}
            class="button quiet tight"
            isBusy={act.isBusy}
            {...(isSingle && { isSingle })}
            load={load}
            isChosen={isChosen}
            choose={(value, isWanted) =>
              void act.run(async () => {
                await change(value, isWanted)
                reload()
              })
            }
          />
        )}
      </div>
      {children}
      <FailedAct act={act} />
    </section>
  )
}
