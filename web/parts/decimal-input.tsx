/** Fields for numbers. A number field of the browser drops the comma of “17,5”, and reads “1,000” as 1. */
import { useState } from 'preact/hooks'
import { type DecimalRange, findDecimalFault, readDecimal } from './decimal.ts'

type Common = DecimalRange & {
  readonly required?: boolean
  readonly disabled?: boolean
  readonly class?: string
  readonly 'aria-label'?: string
  readonly 'aria-describedby'?: string
}
type Props = Common & { readonly value: string; write(text: string): void }

export const DecimalInput = ({ value, minimum, maximum, isWhole, write, ...rest }: Props) => (
  <input
    {...rest}
    type="text"
    inputMode={isWhole ? 'numeric' : 'decimal'}
    autocomplete="off"
    maxLength={32}
    value={value}
    onInput={(event) => {
      const field = event.currentTarget
      const range = { maximum, ...(minimum !== undefined && { minimum }), ...(isWhole && { isWhole }) }
      field.setCustomValidity(findDecimalFault(field.value, range))
      write(field.value)
    }}
  />
)

type NumberProps = Common & {
  /** Null if nothing is entered. */
  readonly value: number | null
  write(value: number | null): void
}

/** For a value that is kept as a number. The form can’t be sent while the text is no such number. */
export function NumberInput({ value, write, ...rest }: NumberProps) {
  const spell = (number: number | null) => (number === null ? '' : String(number))
  const [text, setText] = useState(spell(value))
  const isSame = readDecimal(text) === value || (text.trim() === '' && value === null)
  const isFaulty = findDecimalFault(text, rest) !== ''
  return (
    <DecimalInput
      {...rest}
      value={isSame || isFaulty ? text : spell(value)}
      write={(now) => {
        setText(now)
        if (now.trim() === '') write(null)
        else if (findDecimalFault(now, rest) === '') write(readDecimal(now))
      }}
    />
  )
}
