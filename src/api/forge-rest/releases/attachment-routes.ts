/**
 * Routes of attachments: files for issues and comments. They are served so that none can run as a page of this server.
 */
import { isShown } from '../../../forge/attachments/attachment-type.ts'
import type { Attachment, Attachments } from '../../../forge/attachments/attachments.ts'
import { dispositionOf, readFileName } from '../../../forge/files/file-name.ts'
import { changed, type Door, readable } from '../doors.ts'
import { serveFile } from '../file-answer.ts'
import { created } from '../rest-answer.ts'
import { fileRoute, type Route, route } from '../route.ts'

/** Opens the repository that the attachment belongs to. */
const attached: Door<Attachment> = {
  ...readable,
  kind: 'anyone',
  scopes: [],
  opener: (need) => (services, actor, params) =>
    services.attachments.open(actor, params.uuid ?? '', {
      ...need,
      scopes: ['repo'],
      level: 'read',
      signIn: false,
      writes: false,
    }),
}

export const attachmentRoutes = ({ attachments }: { attachments: Attachments }): readonly Route[] => [
  fileRoute('POST /repos/:owner/:repo/attachments', {
    id: 'upload-an-attachment',
    summary: 'Stores the body as the file `name` and answers its address. This endpoint is our own.',
    door: changed('read'),
    permission: 'issues=write; pull_requests=write',
    resource: 'Attachment',
    createsContent: true,
    fileMib: ({ attachmentMib }) => attachmentMib,
    async handle({ target, query, body, view }) {
      const name = readFileName(query.text('name'))
      const { uuid, contentType, size } = await attachments.add(target, name, body)
      const url = `${view.origin}/-/attachments/${uuid}/${encodeURIComponent(name)}`
      return created({ url, name, content_type: contentType, size }, url)
    },
  }),
  route('GET /-/attachments/:uuid/:name', {
    id: 'get-an-attachment',
    summary:
      'Shows an attachment to people who can read its repository: some images are displayed, everything else is downloaded.',
    door: attached,
    permission: 'issues=read; pull_requests=read',
    handle: (call) => {
      const { target } = call
      return serveFile(call, {
        ...target,
        type: target.contentType,
        headers: {
          'content-disposition': dispositionOf(isShown(target.contentType) ? 'inline' : 'attachment', target.name),
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'same-origin',
        },
        open: (part) => attachments.read(target, part),
      })
    },
  }),
]
