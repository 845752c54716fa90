/** A place that files can be dropped on; beside it a button does the same for the keyboard. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type ChosenFile, fromDrop } from './chosen-files.ts'

type Props = {
  readonly class: string
  readonly isDisabled?: boolean
  readonly children: ComponentChildren
  take(files: readonly ChosenFile[]): void
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true

export function DropZone({ class: name, isDisabled = false, children, take }: Props) {
  const [isOver, setOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is beside the button, which does the same
    <div
      class={isOver ? `${name} over` : name}
      onDragOver={(event) => {
        if (isDisabled || !hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (isDisabled || !event.dataTransfer || !hasFiles(event)) return
        event.preventDefault()
        void fromDrop(event.dataTransfer).then((files) => files.length > 0 && take(files))
      }}
    >
      {children}
    </div>
  )
}
