/** Streams an Arrow file by that project's own library: the schema, a record batch for every few rows, the footer. */
import type { Data, RecordBatch, Schema } from 'apache-arrow'
import type { ColumnType } from '../column-type.ts'
import type { ColumnarPart, ColumnarPlan } from '../columnar-part.ts'

/** Loaded with the first file, because few requests ask for one. */
const loadLibrary = () => import('apache-arrow')

type Library = Awaited<ReturnType<typeof loadLibrary>>

export async function* streamArrow(
  { names, types }: ColumnarPlan,
  parts: AsyncIterable<ColumnarPart>,
): AsyncGenerator<Buffer> {
  const library = await loadLibrary()
  const schema = new library.Schema(names.map((name, i) => new library.Field(name, typeOf(library, types[i]!), true)))
  const file = openFile(library)
  file.writer.reset(undefined, schema)
  yield file.take()
  for await (const part of parts) {
    if (part.rowCount === 0) continue
    file.writer.write(makeBatch(library, schema, types, part))
    yield file.take()
  }
  file.writer.finish()
  yield file.take()
}

/** The library's own streams do not wait for a slow reader, so its output is taken after each batch. */
function openFile({ RecordBatchFileWriter }: Library) {
  let written: Uint8Array[] = []
  class FileWriter extends RecordBatchFileWriter {
    protected override _write(chunk: Uint8Array) {
      const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      written.push(bytes)
      this._position += bytes.length
      return this
    }
  }
  return {
    writer: new FileWriter(),
    take(): Buffer {
      const bytes = Buffer.concat(written)
      written = []
      return bytes
    },
  }
}

function typeOf({ Bool, Float64, Int64, Utf8 }: Library, type: ColumnType) {
  if (type === 'integer') return new Int64()
  if (type === 'double') return new Float64()
  return type === 'boolean' ? new Bool() : new Utf8()
}

/** A part's buffers are those of the format: each column's bitmap, the ends of its texts, its values. */
function makeBatch(library: Library, schema: Schema, types: readonly ColumnType[], part: ColumnarPart): RecordBatch {
  const { rowCount: length, bytes, lengths, missing } = part
  let [place, at] = [0, bytes.byteOffset]
  const next = <T>(view: new (buffer: ArrayBuffer, offset: number, length: number) => T, size: number): T => {
    const byteLength = lengths[place++]!
    const made = new view(bytes.buffer as ArrayBuffer, at, byteLength / size)
    at += byteLength + padding(byteLength)
    return made
  }
  const children: Data[] = types.map((type, i) => {
    const common = { length, nullCount: missing[i]!, nullBitmap: next(Uint8Array, 1) }
    if (type === 'boolean') return library.makeData({ type: new library.Bool(), ...common, data: next(Uint8Array, 1) })
    if (type === 'integer')
      return library.makeData({ type: new library.Int64(), ...common, data: next(BigInt64Array, 8) })
    if (type === 'double')
      return library.makeData({ type: new library.Float64(), ...common, data: next(Float64Array, 8) })
    const valueOffsets = next(Int32Array, 4)
    return library.makeData({ type: new library.Utf8(), ...common, valueOffsets, data: next(Uint8Array, 1) })
  })
  const rows = library.makeData({ type: new library.Struct(schema.fields), length, nullCount: 0, children })
  return new library.RecordBatch(schema, rows)
}

/** Every buffer begins at a multiple of eight bytes. */
export const padding = (length: number): number => -length & 7
