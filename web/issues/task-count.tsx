/** How many tasks of a text are done. */
import { countTasks } from './tasks.ts'

export function TaskCount({ text }: { text: string | null }) {
  const { done, all } = countTasks(text)
  if (all === 0) return null
  return (
    <span class="small soft nowrap">
      <progress class="task-progress" value={done} max={all} aria-hidden="true" /> {done} of {all}
      <span class="hidden-text"> tasks done</span>
    </span>
  )
}
