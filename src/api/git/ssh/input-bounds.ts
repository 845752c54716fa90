/** Limits of what a client sends: few messages before it has signed in, and a pace at all times. */
import type { Socket } from 'node:net'
import type { Connection } from 'ssh2'
import { Failure } from '../../../lib/failure.ts'
import type { InputScheduler } from './input-scheduler.ts'
import { interceptBytes, sendReason, watchMessages } from './library.ts'

/** A client sends some ten before it has signed in, and two more for each key. */
const mostMessages = 128
const mostTries = 30

const keyExchange = 20
const signInTry = 50
const firstAfterSignIn = 80

/** `signedIn` lifts the limits of messages. */
export function boundInput(connection: Connection, socket: Socket, pace: InputScheduler): { signedIn(): void } {
  const count = makeMessageCount()
  let isKnown = false

  function refuse(error: unknown): void {
    connection.emit('error', error as Error)
    if (error instanceof Failure) sendReason(connection, error.message)
    connection.end()
    socket.destroySoon()
  }

  watchMessages(connection, (message) => {
    if (!isKnown) count(message)
  })
  interceptBytes(connection, (from, to, parse) =>
    pace.take({
      ...{ source: socket, from, to },
      parse(start, end) {
        if (!socket.writable) return false
        try {
          return parse(start, end)
        } catch (error) {
          refuse(error)
          return false
        }
      },
    }),
  )
  return {
    signedIn() {
      isKnown = true
    },
  }
}

/** The function that it returns throws if the message is one too many. */
function makeMessageCount(): (message: number) => void {
  let messages = 0
  let exchanges = 0
  let tries = 0
  return (message) => {
    messages++
    if (message === keyExchange) exchanges++
    if (message === signInTry) tries++
    // RFC 4252, section 6: numbers from 80 are an error before the sign-in, and the server must disconnect.
    const isWithin = messages <= mostMessages && exchanges <= 1 && tries <= mostTries && message < firstAfterSignIn
    if (!isWithin) throw new Failure('limited', 'too-many-messages', 'Sign in first: too many or wrong messages.')
  }
}
