/** Opening a pull: title, description from the repository's template, whether it is a draft, and who and what belongs to it. */
import { useRef, useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useSession } from '../app/session.ts'
import { pathOf } from '../issues/issue-rows.tsx'
import { rightsOn } from '../issues/issue-side.tsx'
import { type Marks, NewSide, noMarks, toggled } from '../issues/new-side.tsx'
import { SideSection } from '../issues/side-section.tsx'
import { readPullTemplates, type Template } from '../issues/templates.ts'
import { ask } from '../parts/ask.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { DraftNotice } from '../parts/markdown/draft-notice.tsx'
import { useDraft } from '../parts/markdown/drafts.ts'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { SelectChoice } from '../parts/select-choice.tsx'
import { Ready } from '../parts/state.tsx'
import { readReviewers, toReviewers } from './reviewer-choices.tsx'

type Props = {
  readonly repository: Repository
  /** A branch of the repository. */
  readonly base: string
  /** A branch, or one of a fork as `owner:branch`. */
  readonly head: string
  /** What the title is unless another one is written: the first line of a single commit, say. */
  readonly title?: string | undefined
  /** What stands in the description, above the template. */
  readonly body?: string | undefined
}

export function OpenPullForm({ repository, base, head, title, body }: Props) {
  const { account } = useSession()
  const templates = useLoad(`pull templates ${repository.full_name}`, () => readPullTemplates(repository))
  if (!account)
    return (
      <p class="card">
        <a href={`/-/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`}>Sign in</a> to open a pull
        request.
      </p>
    )
  return (
    <Ready of={templates}>
      {(found) => (
        <Written
          key={`${base} ${head}`}
          repository={repository}
          base={base}
          head={head}
          title={title || titleOf(head)}
          body={body ?? ''}
          templates={found}
        />
      )}
    </Ready>
  )
}

/** `ann:fix-the-lamp` becomes `Fix the lamp`. */
const titleOf = (head: string): string =>
  head
    .replace(/^[^:]*:/, '')
    .replace(/[-_/]+/g, ' ')
    .trim()
    .replace(/^./, (first) => first.toUpperCase())

type WrittenProps = {
  readonly repository: Repository
  readonly base: string
  readonly head: string
  readonly title: string
  readonly body: string
  readonly templates: readonly Template[]
}

function Written({ repository, base, head, title: first, body: above, templates }: WrittenProps) {
  const body = [above, templates[0]?.body ?? ''].filter(Boolean).join('\n\n')
  const name = `new pull ${repository.full_name} ${base} ${head}`
  const title = useDraft(`${name} title`, first)
  const text = useDraft(name, body)
  const [isDraft, setDraft] = useState(false)
  const [isOpen, setOpen] = useState(true)
  const [marks, setMarks] = useState(noMarks)
  const [reviewers, setReviewers] = useState<readonly string[]>([])
  const opened = useRef<Pull | undefined>(undefined)
  const { mayTriage } = rightsOn(repository)
  const act = useAct()
  const isOfFork = head.includes(':')
  const create = () =>
    send<Pull>('POST', `/repos/${repository.full_name}/pulls`, {
      title: title.text.trim(),
      body: text.text,
      head,
      base,
      draft: isDraft,
      ...(isOfFork && { maintainer_can_modify: isOpen }),
    })
  const submit = async () => {
    // What was refused after the pull was opened is tried again without a second pull.
    opened.current ??= await create()
    const pull = opened.current
    await markPull(repository, pull.number, marks, reviewers)
    title.clear()
    text.clear()
    go(pathOf(pull))
  }
  return (
    <div class="thread">
      <Form act={act} submit={submit} class="card">
        <Field label="Title">
          <input
            required
            maxLength={256}
            value={title.text}
            onInput={(event) => title.write(event.currentTarget.value)}
          />
        </Field>
        <DraftNotice draft={text} />
        {templates.length > 1 && <TemplateChoice templates={templates} text={text.text} write={text.write} />}
        <MarkdownField
          label="Description"
          rows={8}
          value={text.text}
          change={text.write}
          repository={repository.full_name}
          submit={() => title.text.trim() && void act.run(submit)}
        />
        <label class="check">
          <input type="checkbox" checked={isDraft} onChange={(event) => setDraft(event.currentTarget.checked)} />
          <span>
            Draft <small class="soft">It can’t be merged until it is marked as ready.</small>
          </span>
        </label>
        {isOfFork && (
          <label class="check">
            <input type="checkbox" checked={isOpen} onChange={(event) => setOpen(event.currentTarget.checked)} />
            <span>
              Allow edits by maintainers <small class="soft">They can push to this branch.</small>
            </span>
          </label>
        )}
        <Submit act={act}>{isDraft ? 'Create draft pull request' : 'Create pull request'}</Submit>
      </Form>
      <NewSide
        repository={repository}
        mayChange={mayTriage}
        marks={marks}
        change={setMarks}
        before={<NewReviewers repository={repository} chosen={reviewers} change={setReviewers} />}
      />
    </div>
  )
}

async function markPull({ full_name: name }: Repository, number: number, marks: Marks, reviewers: readonly string[]) {
  const { labels, assignees, milestone } = marks
  if (labels.length + assignees.length > 0 || milestone !== undefined)
    await send('PATCH', `/repos/${name}/issues/${number}`, {
      ...{ labels, assignees },
      ...(milestone !== undefined && { milestone: milestone.number }),
    })
  if (reviewers.length > 0)
    await send('POST', `/repos/${name}/pulls/${number}/requested_reviewers`, toReviewers(reviewers))
}

type ReviewersProps = {
  readonly repository: Repository
  readonly chosen: readonly string[]
  change(chosen: readonly string[]): void
}

function NewReviewers({ repository, chosen, change }: ReviewersProps) {
  const { account } = useSession()
  const place = { owner: repository.owner.login, repo: repository.name }
  return (
    <SideSection
      title="Reviewers"
      what="people and teams"
      mayChange
      reload={() => {}}
      load={() => readReviewers(place, account?.AccountName)}
      isChosen={(value) => chosen.includes(value)}
      change={async (value, isWanted) => change(toggled(chosen, value, isWanted))}
    >
      <p class="small soft">{chosen.join(', ') || 'Nobody'}</p>
    </SideSection>
  )
}

type ChoiceProps = { readonly templates: readonly Template[]; readonly text: string; write(text: string): void }

/** Another template replaces the text; what somebody has written only if they say so. */
function TemplateChoice({ templates, text, write }: ChoiceProps) {
  const [chosen, setChosen] = useState(templates[0]!.file)
  const choose = async (file: string) => {
    const isOwn = text.trim() !== '' && templates.every(({ body }) => body !== text)
    const question = {
      title: 'Replace the description?',
      text: 'What you have written will be lost.',
      action: 'Replace',
    }
    if (isOwn && !(await ask(question))) return
    setChosen(file)
    write(templates.find((one) => one.file === file)?.body ?? '')
  }
  return (
    <SelectChoice
      label="Template"
      value={chosen}
      options={templates.map(({ file, name }) => [file, name] as const)}
      choose={(file) => void choose(file)}
    />
  )
}
