/** The columns that paths may refer to. Each gets one slot, however many paths refer to it. */
import type { Column } from '../columns.ts'
import type { FieldPath } from '../query/filter.ts'

export class ColumnSlots {
  readonly columns: Column[] = []
  readonly #slots = new Map<string, number>()

  /** The slots of the columns that a path may refer to; missing ones are added. */
  of(path: FieldPath): number[] {
    return spellings(path).map((spelling) => {
      const key = JSON.stringify(spelling)
      const slot = this.#slots.get(key) ?? this.columns.push({ path: spelling, rank: 0 }) - 1
      this.#slots.set(key, slot)
      return slot
    })
  }
}

/** A segment of digits may be an index or a name. */
function spellings(path: FieldPath): (string | number)[][] {
  let all: (string | number)[][] = [[]]
  for (const [i, segment] of path.entries()) {
    const forms = i > 0 && /^\d{1,6}$/.test(segment) ? [segment, Number(segment)] : [segment]
    all = all.flatMap((start) => forms.map((form) => [...start, form])).slice(0, 16)
  }
  return all
}
