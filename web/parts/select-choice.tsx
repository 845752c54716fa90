/** One of a list, with its name beside it, as filters of a list have it. */
type Props = {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  choose(value: string): void
}

export const SelectChoice = ({ label, value, options, choose }: Props) => (
  <label class="row small choice">
    <span class="soft">{label}</span>
    <select class="input" value={value} onChange={(event) => choose(event.currentTarget.value)}>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  </label>
)
