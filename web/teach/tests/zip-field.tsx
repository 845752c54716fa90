/** A zip to be sent: chosen, turned into base64, and sent with how far it is. */
import { useState } from 'preact/hooks'
import { FileButton } from '../../parts/file-button.tsx'
import { useAct } from '../../parts/form.tsx'
import { Failed, Problem } from '../../parts/state.tsx'

const mostBytes = 64 * 1024 * 1024

type Props = {
  /** Advice for a file that is too large. */
  readonly advice: string
  send(file: File, onProgress: (part: number) => void): Promise<void>
}

export function ZipField({ advice, send }: Props) {
  const act = useAct()
  const [part, setPart] = useState<number>()
  const [isTooLarge, setTooLarge] = useState(false)
  const choose = (file: File | undefined) => {
    if (!file) return
    setTooLarge(file.size > mostBytes)
    if (file.size > mostBytes) return
    setPart(0)
    void act.run(() => send(file, setPart)).finally(() => setPart(undefined))
  }
  return (
    <>
      <FileButton
        label="Choose a zip file, up to 64 MiB"
        accept=".zip,application/zip"
        isDisabled={act.isBusy}
        choose={([file]) => choose(file)}
      />
      {part !== undefined && (
        <p>
          <progress aria-label="Sending the zip" value={part} max={1} />
          <span class="small soft">{part < 1 ? 'Sending …' : 'Unpacking …'}</span>
        </p>
      )}
      {isTooLarge && <Problem message={`The file is over 64 MiB: ${advice}`} />}
      {act.error !== undefined && <Failed error={act.error} />}
    </>
  )
}

export async function toBase64(file: File): Promise<string> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
  return address.slice(address.indexOf(',') + 1)
}
