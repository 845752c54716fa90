/** A button that copies a text, and says that it did. */
import { useState } from 'preact/hooks'

export function Copy({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <button type="button" class="button tight quiet" onClick={() => void copy()} aria-label={`Copy ${what}`}>
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  )
}
