/** Stops clients that expect a word before they send their body from waiting for it. Expectations that nobody knows are passed over, as HTTP allows. */
import type { Server } from 'node:http'

export function answerExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    // Behind an answer that is still to come, Node writes these words into the body of this one, and its length is wrong.
    if (response.socket) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
