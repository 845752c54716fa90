/** The branch that a pull is merged into; another one is chosen by its author and by people with write access. */
import { readList, repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull } from '../api/issue-types.ts'
import { useAct } from '../parts/form.tsx'
import { Picker } from '../parts/picker.tsx'
import { FailedAct } from '../parts/state.tsx'

type Props = { readonly pull: Pull; readonly repository: Repository; reload(): void }

export function BasePicker({ pull, repository, reload }: Props) {
  const act = useAct()
  const path = (...rest: (string | number)[]) => repositoryPath(repository.owner.login, repository.name, ...rest)
  return (
    <>
      <Picker
        label="Change base"
        what="branches"
        isSingle
        isBusy={act.isBusy}
        load={async () => {
          const { items } = await readList<{ readonly name: string }>(path('branches'), { per_page: 100 })
          return items.map(({ name }) => ({ value: name, text: name }))
        }}
        isChosen={(name) => name === pull.base.ref}
        choose={(name) =>
          name !== pull.base.ref &&
          void act.run(async () => {
            await send('PATCH', path('pulls', pull.number), { base: name })
            reload()
          })
        }
      />
      <FailedAct act={act} />
    </>
  )
}
