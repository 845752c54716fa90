/** Opening an issue: from a template of the repository where there are some, with labels, people and a milestone for those who may. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Fault } from '../api/fault.ts'
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Issue } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import { go, usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { UnlessArchived } from '../parts/archived.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { DraftNotice } from '../parts/markdown/draft-notice.tsx'
import { useDraft } from '../parts/markdown/drafts.ts'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Ready } from '../parts/state.tsx'
import { IssueFormFields } from './issue-form-fields.tsx'
import { type Answers, composeText, findMissing, firstAnswers, type IssueForm } from './issue-forms.ts'
import { pathOf } from './issue-rows.tsx'
import { rightsOn } from './issue-side.tsx'
import { type Marks, NewSide } from './new-side.tsx'
import { type IssueTemplates, readIssueTemplates, type Template } from './templates.ts'

export function NewIssueView({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  if (!isSignedIn) return null
  return (
    <RepositoryPage params={params} tab="issues">
      {(repository) => (
        <UnlessArchived repository={repository} title="New issue">
          <NewIssue repository={repository} />
        </UnlessArchived>
      )}
    </RepositoryPage>
  )
}

function NewIssue({ repository }: { repository: Repository }) {
  const { query } = usePlace()
  const loaded = useLoad(`issue templates ${repository.full_name}`, () => readIssueTemplates(repository))
  const chosen = query.get('template')
  return (
    <Ready of={loaded}>
      {(offered) => {
        const { templates, links } = offered
        const template = templates.find(({ file }) => file === chosen)
        const isOpen = query.size === 0 || (!template && !offered.isBlankOffered)
        if (templates.length + links.length > 0 && !template && isOpen)
          return <Choice repository={repository} offered={offered} />
        if (template?.form)
          return <FormPage key={template.file} repository={repository} template={template} form={template.form} />
        return <TextPage key={template?.file} repository={repository} template={template} />
      }}
    </Ready>
  )
}

type ChoiceProps = { readonly repository: Repository; readonly offered: IssueTemplates }

function Choice({ repository, offered: { templates, links, isBlankOffered } }: ChoiceProps) {
  const path = `/${repository.full_name}/issues/new`
  return (
    <>
      <Heading title="New issue" note="Choose what it is about." />
      <ul class="plain-list card flush">
        {templates.map((template) => (
          <li key={template.file} class="list-row row">
            <span class="grow">
              <b>{template.name}</b>
              <span class="soft block">{template.about}</span>
            </span>
            <a
              class="button"
              href={`${path}?${new URLSearchParams({ template: template.file })}`}
              aria-label={`Get started: ${template.name}`}
            >
              Get started
            </a>
          </li>
        ))}
        {links.map(({ name, about, url }) => (
          <li key={url} class="list-row row">
            <span class="grow">
              <b>{name}</b>
              <span class="soft block">{about}</span>
            </span>
            <a class="button" href={url} rel="noopener noreferrer nofollow" aria-label={`Open: ${name}`}>
              Open
            </a>
          </li>
        ))}
        {isBlankOffered && (
          <li class="list-row row">
            <span class="grow">
              <b>Blank issue</b>
              <span class="soft block">Without a template.</span>
            </span>
            <a class="button" href={`${path}?blank=1`} aria-label="Get started: Blank issue">
              Get started
            </a>
          </li>
        )}
      </ul>
    </>
  )
}

type TextProps = { readonly repository: Repository; readonly template: Template | undefined }

function TextPage({ repository, template }: TextProps) {
  const { query } = usePlace()
  const name = repository.full_name
  const text = useDraft(`new issue ${name} ${template?.file ?? ''}`, query.get('body') ?? template?.body ?? '')
  return (
    <NewIssuePage
      repository={repository}
      template={template}
      read={() => text.text}
      clear={text.clear}
      fields={(submit) => (
        <>
          <DraftNotice draft={text} />
          <MarkdownField
            label="Description"
            rows={12}
            value={text.text}
            change={text.write}
            repository={name}
            submit={submit}
          />
        </>
      )}
    />
  )
}

type FormProps = { readonly repository: Repository; readonly template: Template; readonly form: IssueForm }

function FormPage({ repository, template, form }: FormProps) {
  const first = firstAnswers(form)
  const draft = useDraft(`new issue ${repository.full_name} ${template.file}`, JSON.stringify(first))
  const answers = { ...first, ...readAnswers(draft.text) }
  return (
    <NewIssuePage
      repository={repository}
      template={template}
      read={() => {
        const missing = findMissing(form, answers)
        if (missing !== undefined) throw new Fault(422, `“${missing}” is required.`)
        return composeText(form, answers)
      }}
      clear={draft.clear}
      fields={() => (
        <IssueFormFields
          form={form}
          repository={repository.full_name}
          answers={answers}
          change={(next) => draft.write(JSON.stringify(next))}
        />
      )}
    />
  )
}

function readAnswers(text: string): Answers {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

type PageProps = TextProps & {
  /** The issue's text; throws what is still missing. */
  read(): string
  clear(): void
  fields(submit: () => void): ComponentChildren
}

function NewIssuePage({ repository, template, read, clear, fields }: PageProps) {
  const { query } = usePlace()
  const name = repository.full_name
  const draftName = `new issue ${name} ${template?.file ?? ''}`
  const title = useDraft(`${draftName} title`, query.get('title') ?? template?.title ?? '')
  const { mayTriage } = rightsOn(repository)
  const [marks, setMarks] = useState<Marks>({
    labels: query.get('labels')?.split(',').filter(Boolean) ?? template?.labels ?? [],
    assignees: query.get('assignees')?.split(',').filter(Boolean) ?? template?.assignees ?? [],
    milestone: undefined,
  })
  const act = useAct()
  const submit = async () => {
    const issue = await send<Issue>('POST', `/repos/${name}/issues`, {
      title: title.text.trim(),
      body: read(),
      ...(mayTriage && { ...marks, milestone: marks.milestone?.number ?? null }),
    })
    title.clear()
    clear()
    go(pathOf(issue))
  }
  return (
    <>
      <Heading title="New issue" note={template?.name} />
      <div class="thread">
        <Form act={act} submit={submit} class="conversation">
          <Field label="Title">
            <input
              required
              maxLength={256}
              value={title.text}
              onInput={(event) => title.write(event.currentTarget.value)}
            />
          </Field>
          {fields(() => title.text.trim() && void act.run(submit))}
          <div class="row end">
            <Submit act={act}>Create issue</Submit>
          </div>
        </Form>
        <NewSide repository={repository} mayChange={mayTriage} marks={marks} change={setMarks} />
      </div>
    </>
  )
}
