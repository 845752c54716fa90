/** A field for a number that may have decimals. A number field of the browser drops the comma of “17,5”. */
import { readDecimal } from './decimal.ts'

type Props = {
  readonly value: string
  readonly maximum: number
  readonly required?: boolean
  readonly class?: string
  readonly 'aria-label'?: string
  readonly 'aria-describedby'?: string
  write(text: string): void
}

export const DecimalInput = ({ value, maximum, write, ...rest }: Props) => (
  <input
    {...rest}
    type="text"
    inputMode="decimal"
    autocomplete="off"
    maxLength={32}
    value={value}
    onInput={(event) => {
      const field = event.currentTarget
      const number = readDecimal(field.value)
      const isRight = field.value.trim() === '' || (number !== null && number <= maximum)
      field.setCustomValidity(isRight ? '' : `Enter a number from 0 to ${maximum}, such as 17.5.`)
      write(field.value)
    }}
  />
)
