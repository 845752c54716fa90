/** Combines the CRC-32 of two neighbouring parts, so that parts can be compressed on several threads. */

const polynomial = 0xedb88320

/**
 * The checksum of A followed by B, from both checksums and B's length: A's is shifted past B's bytes by squaring a bit
 * matrix.
 */
export function combineCrc(first: number, second: number, secondLength: number): number {
  let crc = first
  let matrix = square(square(shiftByOneBit()))
  for (let rest = secondLength; rest > 0; rest = Math.floor(rest / 2)) {
    matrix = square(matrix)
    if (rest % 2 === 1) crc = multiply(matrix, crc)
  }
  return (crc ^ second) >>> 0
}

function shiftByOneBit(): Uint32Array {
  const matrix = new Uint32Array(32)
  matrix[0] = polynomial
  for (let i = 1; i < 32; i++) matrix[i] = 2 ** (i - 1)
  return matrix
}

function square(matrix: Uint32Array): Uint32Array {
  return matrix.map((row) => multiply(matrix, row))
}

function multiply(matrix: Uint32Array, vector: number): number {
  let sum = 0
  let rest = vector >>> 0
  for (let i = 0; rest !== 0; i++, rest >>>= 1) if ((rest & 1) === 1) sum ^= matrix[i]!
  return sum >>> 0
}
