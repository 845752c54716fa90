/** An Arrow file as it is sent: the schema, a record batch for every few rows, and a footer that tells where each is. */
import type { ColumnarPart, ColumnarPlan } from '../columnar-part.ts'
import { FlatBuffer } from './flat-buffer.ts'
import { type Block, schema, writeFooter, writeMessage, writeSchema } from './message.ts'

const magic = Buffer.from('ARROW1')
const endOfStream = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])

export async function* streamArrow(
  { names, types }: ColumnarPlan,
  parts: AsyncIterable<ColumnarPart>,
): AsyncGenerator<Buffer> {
  const flat = new FlatBuffer()
  const start = Buffer.concat([magic, Buffer.alloc(2), writeMessage(flat, schema, writeSchema(flat, names, types), 0)])
  yield start
  const blocks: Block[] = []
  let offset = start.length
  for await (const { rowCount, bytes, lengths } of parts) {
    if (rowCount === 0) continue
    blocks.push({ offset, metadataLength: lengths[0]!, bodyLength: lengths[1]! })
    offset += bytes.length
    yield bytes
  }
  const footer = writeFooter(names, types, blocks)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.length)
  yield Buffer.concat([endOfStream, footer, length, magic])
}
