/** Saving an edit: where somebody else changed the same text meanwhile, that is told, and nothing is overwritten. */
import { read, send } from '../api/forge.ts'

/** The current text, which differs from the one the edit started from. */
export class Overtaken extends Error {
  readonly current: string
  constructor(current: string) {
    super('Somebody else has changed this in the meantime.')
    this.current = current
  }
}

type Edit = {
  /** Of the thing, as the interface names it. */
  readonly path: string
  readonly field: 'body' | 'title'
  /** The text when the edit started. */
  readonly base: string
  readonly text: string
}

const lines = (text: string): string => text.replaceAll('\r\n', '\n')

export async function saveEdit({ path, field, base, text }: Edit): Promise<void> {
  const now = lines((await read<Readonly<Record<string, string | null>>>(path))[field] ?? '')
  if (now !== lines(base) && now !== lines(text)) throw new Overtaken(now)
  await send('PATCH', path, { [field]: text })
}
