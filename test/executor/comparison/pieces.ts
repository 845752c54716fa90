/** Cuts a text into pieces of so many bytes. */
export function pieces(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}
