/** One of a few, each with a sentence that says what it means. */
type Option<T extends string> = readonly [value: T, name: string, hint: string]

type Props<T extends string> = {
  readonly legend: string
  /** Of the buttons in their form. */
  readonly name: string
  readonly value: T
  readonly options: readonly Option<T>[]
  choose(value: T): void
}

export const RadioChoice = <T extends string>({ legend, name, value, options, choose }: Props<T>) => (
  <fieldset class="plain">
    <legend class="label">{legend}</legend>
    {options.map(([one, text, hint]) => (
      <label class="check" key={one}>
        <input type="radio" name={name} value={one} checked={one === value} onChange={() => choose(one)} />
        <span>
          {text} <small class="soft">{hint}</small>
        </span>
      </label>
    ))}
  </fieldset>
)
