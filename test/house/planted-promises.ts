/** What `started-promises.ts` must find, and what it must not: never run, only read by its test. */

declare const act: (word: string) => Promise<string>
declare const words: readonly string[]
declare const on: (heard: () => void) => void
declare const onAll: (heard: () => void | Promise<void>) => void

export async function apart(): Promise<unknown> {
  const first = words.map((word) => act(word))
  const second = words.map((word) => act(word)) // found
  return { first: await Promise.all(first), second: await Promise.all(second) }
}

export async function oneApart(): Promise<string> {
  const started = act('a') // found
  const other = await act('b')
  return other + (await started)
}

export async function inOneExpression(): Promise<unknown> {
  return Promise.all([
    act('a'), // found
    await act('b'),
  ])
}

export function dropped(): void {
  on(async () => void (await act('a'))) // found
  setTimeout(() => act('a'), 5) // found
  onAll(async () => void (await act('a')))
}

export async function together(): Promise<unknown> {
  const first = words.map((word) => act(word))
  const second = act('b')
  await Promise.all([...first, second])
  const later = act('c')
  later.catch(() => undefined)
  await act('d')
  const last = await act('e')
  return [await later, last, act('f')]
}
