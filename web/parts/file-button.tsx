/** A button that offers a file, as all other buttons look. The field itself is there for the keyboard and for readers. */
type Props = {
  readonly label: string
  readonly hint?: string
  readonly accept: string
  readonly isDisabled?: boolean
  readonly isMany?: boolean
  choose(files: readonly File[]): void
}

export const FileButton = ({ label, hint, accept, isDisabled = false, isMany = false, choose }: Props) => (
  <div class="field">
    <label class={isDisabled ? 'button file-button disabled' : 'button file-button'}>
      <input
        type="file"
        class="hidden-text"
        accept={accept}
        disabled={isDisabled}
        multiple={isMany}
        onChange={(event) => {
          const field = event.currentTarget
          const files = [...(field.files ?? [])]
          // The same file again is a choice, too.
          field.value = ''
          if (files.length > 0) choose(files)
        }}
      />
      <span>{label}</span>
    </label>
    {hint && <small>{hint}</small>}
  </div>
)
