/** Loaded into a server before it starts: it does, for requests that ask for it, what only a bug would do. */
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

subscribe('http.server.response.finish', (message) => {
  const { url = '' } = (message as { request: IncomingMessage }).request
  if (url.includes('plant=rejection')) void Promise.reject(new Error('planted'))
  if (url.includes('plant=exception')) {
    setImmediate(() => {
      throw new Error('planted')
    })
  }
})

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  if (!request.url?.includes('plant=answer')) return
  Object.assign(response, {
    _send() {
      throw new Error('planted')
    },
  })
})
