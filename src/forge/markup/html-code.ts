/** Finds code that is written as HTML: the text between `<code>` and `</code>` and similar tags. Pure. */

export type CodeTag = { readonly name: string; readonly isClosing: boolean }

/** `<code>`, `</PRE>`, `<tt class="x">`; undefined for any other tag. */
export function readCodeTag(tag: string): CodeTag | undefined {
  const found = /^<(\/?)(code|pre|samp|tt)(?=[\s/>])/i.exec(tag)
  return found ? { name: found[2]!.toLowerCase(), isClosing: found[1] === '/' } : undefined
}

/** Pairs each opening tag with its closing tag, as indexes into the list. An unclosed tag makes no code. */
export function matchCodeTags(tags: readonly CodeTag[]): (readonly [opening: number, closing: number])[] {
  const pairs: (readonly [number, number])[] = []
  const open = new Map<string, number[]>()
  for (const [index, { name, isClosing }] of tags.entries()) {
    const places = open.get(name) ?? []
    open.set(name, places)
    if (!isClosing) places.push(index)
    else if (places.length > 0) pairs.push([places.pop()!, index])
  }
  return pairs.sort(([a], [b]) => a - b)
}
