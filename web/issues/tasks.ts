/** The tasks of a text: how many there are, how many are done, and the text with one of them ticked. */
type Tasks = { readonly done: number; readonly all: number }

/** Marks of quotations and lists, the last of them a list's; blanks stand before a mark alone, so that it is read once. */
const task = /^((?:[ \t]*(?:>|[-*+]|\d{1,9}[.)]))+(?<!>)[ \t]+)\[([ xX])\](?=[ \t\u00A0])/
const fence = /^[ \t>]*(`{3,}|~{3,})/

const split = (text: string): string[] => text.split(/(\r\n|\r|\n)/)

/** As the server counts lines; code and comments of HTML hold no tasks. */
export function countTasks(text: string | null): Tasks {
  let [done, all] = [0, 0]
  let open: string | undefined
  for (const line of (text ?? '').replace(/<!--[\s\S]*?(?:-->|$)/g, '').split(/\r\n|\r|\n/)) {
    const mark = fence.exec(line)?.[1]
    if (open !== undefined) {
      if (mark?.startsWith(open)) open = undefined
      continue
    }
    if (mark !== undefined) open = mark
    const found = task.exec(line)
    if (!found) continue
    all++
    if (found[2] !== ' ') done++
  }
  return { done, all }
}

/** Undefined if no task stands in this line, counted from 0. */
export function tickTask(text: string, line: number, isDone: boolean): string | undefined {
  const parts = split(text)
  const now = parts[2 * line]
  if (now === undefined || !task.test(now)) return undefined
  parts[2 * line] = now.replace(task, (_all, before) => `${before}[${isDone ? 'x' : ' '}]`)
  return parts.join('')
}
