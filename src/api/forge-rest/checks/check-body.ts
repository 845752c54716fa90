/** Bodies of check runs. */
import type { Static } from 'typebox'
import type { Annotation } from '../../../forge/checks/check.ts'
import type { RunChange } from '../../../forge/checks/checks.ts'
import { invalidField } from '../../../forge/failures.ts'
import { List, NullableText, OneOf, Optional, Shape, Text, Type } from '../schemas.ts'

const maxText = 65_535
/** The public platform's bound of one request. */
const maxAnnotations = 50
const Line = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })

const AnnotationBody = Shape({
  path: Text(4096, 1),
  start_line: Line,
  end_line: Line,
  start_column: Optional(Line),
  end_column: Optional(Line),
  annotation_level: OneOf('notice', 'warning', 'failure'),
  message: Text(maxText, 1),
  title: Optional(NullableText(255)),
  raw_details: Optional(NullableText(maxText)),
})

/** Pictures are taken and not shown. */
const Picture = Shape({ alt: Text(1024), image_url: Text(2048), caption: Optional(NullableText(1024)) })

const outputOf = <T>(Title: T) => ({
  title: Title,
  text: Optional(NullableText(maxText)),
  annotations: Optional(List(AnnotationBody, { maxItems: maxAnnotations })),
  images: Optional(List(Picture, { maxItems: 50 })),
})

/** Buttons are taken and not shown. */
const Action = Shape({ label: Text(20, 1), description: Text(40, 1), identifier: Text(20, 1) })

const members = {
  details_url: Optional(NullableText(2048)),
  external_id: Optional(NullableText(1024)),
  status: Optional(OneOf('queued', 'in_progress', 'completed', 'waiting', 'requested', 'pending')),
  started_at: Optional(NullableText(40)),
  conclusion: Optional(
    OneOf('action_required', 'cancelled', 'failure', 'neutral', 'success', 'skipped', 'stale', 'timed_out'),
  ),
  completed_at: Optional(NullableText(40)),
  actions: Optional(List(Action, { maxItems: 3 })),
}

export const RunBody = Shape({
  ...members,
  name: Text(255, 1),
  head_sha: Text(64, 1),
  output: Optional(Shape({ ...outputOf(Text(255, 1)), summary: Text(maxText) })),
})

export const RunChangeBody = Shape({
  ...members,
  name: Optional(Text(255, 1)),
  output: Optional(Shape({ ...outputOf(Optional(Text(255, 1))), summary: Optional(Text(maxText)) })),
})

type Given = Static<typeof RunChangeBody>

function readTime(name: string, text: string | null | undefined): Date | undefined {
  if (!text) return undefined
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw invalidField(name, 'invalid', `${name} is a time as YYYY-MM-DDTHH:MM:SSZ.`)
  return new Date(time)
}

const readAnnotation = (given: Static<typeof AnnotationBody>): Annotation => ({
  path: given.path,
  startLine: given.start_line,
  endLine: given.end_line,
  startColumn: given.start_column ?? null,
  endColumn: given.end_column ?? null,
  level: given.annotation_level,
  title: given.title ?? null,
  message: given.message,
  rawDetails: given.raw_details ?? null,
})

export function toRunChange(body: Given): RunChange {
  const { output } = body
  return {
    name: body.name,
    externalId: body.external_id ?? undefined,
    detailsUrl: body.details_url ?? undefined,
    status: body.status,
    conclusion: body.conclusion,
    startedAt: readTime('started_at', body.started_at),
    completedAt: readTime('completed_at', body.completed_at),
    ...(output && {
      output: {
        ...(output.title !== undefined && { title: output.title }),
        ...(output.summary !== undefined && { summary: output.summary }),
        ...(output.text !== undefined && { text: output.text }),
      },
      annotations: output.annotations?.map(readAnnotation),
    }),
  }
}
