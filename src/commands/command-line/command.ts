/** A command: its name, its arguments and options, and what it does. */

export type OptionShape = {
  readonly type: 'string' | 'boolean'
  /** The placeholder of the value in the usage text. */
  readonly hint?: string
  readonly sentence: string
  readonly isRequired?: boolean
}

export type Options = Readonly<Record<string, OptionShape>>

type Given<O extends Options> = { readonly [K in keyof O]?: O[K]['type'] extends 'string' ? string : boolean }

export type Invocation<O extends Options = Options> = {
  /** The positional arguments, as many as the command names; those in brackets are optional. */
  readonly words: readonly string[]
  readonly options: Given<O>
  readonly environment: NodeJS.ProcessEnv
}

export type Command<O extends Options = Options> = {
  /** One or two words: `serve`, `account add`. */
  readonly name: string
  readonly summary: string
  readonly words: readonly string[]
  readonly options: O
  /** Lines at the end of the command's help. */
  readonly notes?: readonly string[]
  /** Resolves with the exit code; undefined counts as 0. */
  run(invocation: Invocation<O>): Promise<number | undefined>
}

/** Types the options for the command itself; the list of commands holds commands of one type. */
export function defineCommand<const O extends Options>(
  command: Omit<Command<O>, 'words' | 'options' | 'run'> & {
    words?: readonly string[]
    options?: O
    run(invocation: Invocation<O>): Promise<unknown>
  },
): Command {
  const run = async (invocation: Invocation) => {
    const outcome = await command.run(invocation as Invocation<O>)
    return typeof outcome === 'number' ? outcome : undefined
  }
  return { words: [], ...command, options: command.options ?? {}, run }
}

export function describeUsage({ name, words, options }: Command): string {
  const parts = Object.entries(options).map(([option, { hint, isRequired }]) => {
    const spelled = hint ? `--${option} ${hint}` : `--${option}`
    return isRequired ? spelled : `[${spelled}]`
  })
  return ['npm run guildhall --', name, ...words, ...parts].join(' ')
}
