/** PostgreSQL's COPY in both directions, as streams with back-pressure: pg itself has no such query. */
import { once } from 'node:events'
import type pg from 'pg'

/** The interface that pg calls while it runs a query passed as an object. */
type Connection = {
  readonly stream: NodeJS.ReadWriteStream & { readonly writableNeedDrain: boolean }
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

const heldBytes = 8 * 1024 * 1024
const sentBytes = 256 * 1024
/**
 * `PGCOPY\n`, a non-text byte, line ends and a NUL, which text-mode transfers would corrupt; then no flags and no
 * extension.
 */
const head = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex')
const trailer = Buffer.from('ffff', 'hex')

/** The rows that a `copy … to stdout` returns in binary format, one at a time. */
export async function* copyOut(client: pg.Client, text: string): AsyncGenerator<Buffer> {
  const held: Buffer[] = []
  let [size, isOver, isFirst] = [0, false, true]
  let failure: Error | undefined
  let wake = () => {}
  let stream: Connection['stream'] | undefined
  const query = {
    submit(connection: Connection) {
      stream = connection.stream
      connection.query(text)
    },
    handleCopyData({ chunk }: { chunk: Buffer }) {
      // The first row is preceded by the header.
      const row = Buffer.from(isFirst ? chunk.subarray(head.length) : chunk)
      isFirst = false
      if (row.length > 0 && !row.equals(trailer)) held.push(row)
      size += row.length
      if (size > heldBytes) stream?.pause()
      wake()
    },
    handleCommandComplete() {},
    handleReadyForQuery() {
      isOver = true
      wake()
    },
    handleError(error: Error) {
      failure = error
      isOver = true
      wake()
    },
  }
  client.query(query as unknown as pg.Submittable)
  while (held.length > 0 || !isOver) {
    if (held.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      continue
    }
    const rows = held.splice(0)
    size = 0
    yield* rows
    stream?.resume()
  }
  if (failure) throw failure
}

/** Sends rows to a `copy … from stdin` in binary format. */
export function copyIn(client: pg.Client, text: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    const query = {
      submit: (connection: Connection) => connection.query(text),
      handleCopyInResponse(connection: Connection) {
        send(connection, pieces, () => failure !== undefined).catch((error: Error) => {
          failure ??= error
          connection.sendCopyFail('The rows could not be read.')
        })
      },
      handleCommandComplete() {},
      handleReadyForQuery: () => (failure ? reject(failure) : resolve()),
      handleError(error: Error) {
        failure ??= error
        reject(failure)
      },
    }
    client.query(query as unknown as pg.Submittable)
  })
}

async function send(connection: Connection, pieces: AsyncIterable<Buffer>, isOver: () => boolean): Promise<void> {
  connection.sendCopyFromChunk(head)
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length && !isOver(); at += sentBytes) {
      connection.sendCopyFromChunk(piece.subarray(at, at + sentBytes))
      if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
    }
    if (isOver()) return
  }
  connection.sendCopyFromChunk(trailer)
  connection.endCopyFrom()
}
