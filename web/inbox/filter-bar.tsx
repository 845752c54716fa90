/** The filters of the list: words of the title, reason, kind, and grouping. */
import type { RefObject } from 'preact'
import { setQuery } from '../app/location.ts'
import { SelectChoice } from '../parts/select-choice.tsx'
import type { Question } from './question.ts'
import { reasonWords, typeChoices } from './reasons.ts'

export function FilterBar({ question, field }: { question: Question; field: RefObject<HTMLInputElement | null> }) {
  const find = (event: Event) => {
    event.preventDefault()
    setQuery({ q: field.current?.value.trim(), thread: undefined })
    field.current?.blur()
  }
  return (
    <search class="row filters inbox-filters">
      <form class="row grow" onSubmit={find}>
        <input
          ref={field}
          class="input grow"
          type="search"
          maxLength={200}
          aria-label="Filter by words of the title"
          placeholder="Filter ( / )"
          defaultValue={question.words}
          key={question.words}
        />
      </form>
      <SelectChoice
        label="Reason"
        value={question.reason}
        options={[['', 'any'], ...Object.entries(reasonWords)]}
        choose={(reason) => setQuery({ reason, thread: undefined })}
      />
      <SelectChoice
        label="Kind"
        value={question.type}
        options={[['', 'any'], ...typeChoices]}
        choose={(type) => setQuery({ type, thread: undefined })}
      />
      <SelectChoice
        label="Group by"
        value={question.isByRepository ? 'repository' : ''}
        options={[
          ['', 'time'],
          ['repository', 'repository'],
        ]}
        choose={(group) => setQuery({ group })}
      />
    </search>
  )
}
