/** A file's patch as lines: each with its numbers on both sides, and beside it the line that it replaced. */

export type Side = 'LEFT' | 'RIGHT'

export type PatchLine = {
  readonly kind: 'context' | 'added' | 'removed'
  readonly text: string
  readonly oldNumber: number | undefined
  readonly newNumber: number | undefined
  /** Which hunk it is in, and where its text begins among that hunk's old or new lines. */
  readonly hunk: number
  readonly oldOffset: number
  readonly newOffset: number
  /** The file ends here without a line end. */
  lacksEnd: boolean
  /** Of a removed line the one that stands in its place, and the other way round. */
  partner: PatchLine | undefined
}

export type Hunk = {
  readonly head: string
  readonly lines: readonly PatchLine[]
  /** Its lines of each side, as one text: what is parsed to be coloured. */
  readonly oldText: string
  readonly newText: string
}

/** One row of the view: the head of a hunk, or a line of either side or of both. */
export type Row =
  | { readonly kind: 'hunk'; readonly head: string }
  | { readonly kind: 'line'; readonly left: PatchLine | undefined; readonly right: PatchLine | undefined }

const headForm = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/s

/** Only a line feed ends a line of a patch. */
export function parsePatch(patch: string): Hunk[] {
  const hunks: (Hunk & { lines: PatchLine[] })[] = []
  let [oldNumber, newNumber] = [0, 0]
  let old: string[] = []
  let fresh: string[] = []
  let [oldOffset, newOffset] = [0, 0]
  const close = () => {
    const hunk = hunks.at(-1)
    if (hunk) Object.assign(hunk, { oldText: old.join('\n'), newText: fresh.join('\n') })
  }
  for (const line of patch.split('\n')) {
    const head = headForm.exec(line)
    if (head) {
      close()
      ;[oldNumber, newNumber] = [Number(head[1]), Number(head[2])]
      ;[old, fresh, oldOffset, newOffset] = [[], [], 0, 0]
      hunks.push({ head: line, lines: [], oldText: '', newText: '' })
      continue
    }
    const hunk = hunks.at(-1)
    if (!hunk) continue
    const [sign, text] = [line[0], line.slice(1)]
    if (sign === '\\') {
      const last = hunk.lines.at(-1)
      if (last) last.lacksEnd = true
      continue
    }
    const isOld = sign !== '+'
    const isNew = sign !== '-'
    hunk.lines.push({
      kind: isOld && isNew ? 'context' : isOld ? 'removed' : 'added',
      text,
      oldNumber: isOld ? oldNumber++ : undefined,
      newNumber: isNew ? newNumber++ : undefined,
      hunk: hunks.length - 1,
      oldOffset,
      newOffset,
      lacksEnd: false,
      partner: undefined,
    })
    if (isOld) {
      old.push(text)
      oldOffset += text.length + 1
    }
    if (isNew) {
      fresh.push(text)
      newOffset += text.length + 1
    }
  }
  close()
  for (const { lines } of hunks) pairLines(lines)
  return hunks
}

/** The n-th of some removed lines is shown beside the n-th of the added ones that follow them. */
function pairLines(lines: readonly PatchLine[]): void {
  for (let at = 0; at < lines.length; ) {
    const removed = countKind(lines, at, 'removed')
    const added = countKind(lines, at + removed, 'added')
    for (let i = 0; i < Math.min(removed, added); i++) {
      const [left, right] = [lines[at + i]!, lines[at + removed + i]!]
      left.partner = right
      right.partner = left
    }
    at += Math.max(1, removed + added)
  }
}

function countKind(lines: readonly PatchLine[], from: number, kind: PatchLine['kind']): number {
  let count = 0
  while (lines[from + count]?.kind === kind) count++
  return count
}

export type Layout = 'unified' | 'split'

export const toRows = (hunks: readonly Hunk[], layout: Layout): Row[] =>
  hunks.flatMap((hunk) => [
    { kind: 'hunk', head: hunk.head } as const,
    ...(layout === 'unified' ? oneBelowAnother(hunk) : sideBySide(hunk)),
  ])

const oneBelowAnother = ({ lines }: Hunk): Row[] =>
  lines.map((line) => ({
    kind: 'line',
    left: line.kind === 'added' ? undefined : line,
    right: line.kind === 'removed' ? undefined : line,
  }))

const sideBySide = ({ lines }: Hunk): Row[] =>
  lines.flatMap((line): Row[] => {
    if (line.kind === 'context') return [{ kind: 'line', left: line, right: line }]
    if (line.kind === 'removed') return [{ kind: 'line', left: line, right: line.partner }]
    return line.partner ? [] : [{ kind: 'line', left: undefined, right: line }]
  })

/** From where to where a line differs from its partner; undefined where hardly anything is the same. */
export function findChangedPart({ text, partner }: PatchLine): readonly [from: number, to: number] | undefined {
  if (!partner || text.length > 1_000 || partner.text.length > 1_000) return undefined
  const most = Math.min(text.length, partner.text.length)
  let start = 0
  while (start < most && text[start] === partner.text[start]) start++
  let end = 0
  while (end < most - start && text.at(-1 - end) === partner.text.at(-1 - end)) end++
  const same = text.slice(0, start).trim().length + text.slice(text.length - end).trim().length
  return same * 3 >= most && same > 0 ? [start, text.length - end] : undefined
}
