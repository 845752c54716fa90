/**
 * Answers `Expect: 100-continue`, so that clients do not wait before sending their body. Unknown expectations are
 * ignored, as HTTP allows.
 */
import type { Server } from 'node:http'

export function answerExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    // Without a socket, this response waits behind an earlier one: Node would write the interim answer into its body,
    // and its length would be wrong.
    if (response.socket) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
