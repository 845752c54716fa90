/** A text that is shown once. */
import { Copy } from '../parts/copy.tsx'
import { useRevealed } from '../parts/revealed.ts'

type Props = { readonly what: string; readonly text: string; readonly isLong?: boolean }

export function Secret({ what, text, isLong = false }: Props) {
  const place = useRevealed<HTMLDivElement>(text)
  return (
    <div class="notice good" role="status" tabIndex={-1} ref={place}>
      <p>
        This is {what}. Copy it now: it will not be shown again. <Copy text={text} what={what} />
      </p>
      {isLong ? (
        <pre tabIndex={0} class="secret">
          {text}
        </pre>
      ) : (
        <p>
          <code class="secret">{text}</code>
        </p>
      )}
    </div>
  )
}
