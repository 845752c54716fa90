/** Decodes Base64 as the contract defines it, at once or from a JSON string that arrives in chunks. */

/** Undefined for anything but padded Base64 with + and /, without line breaks. */
export function decodeBase64(text: string): Buffer | undefined {
  const padding = /={0,2}$/.exec(text.slice(-2))![0].length
  const bytes = Buffer.from(text, 'base64')
  // Node skips characters that are not Base64, which gives fewer bytes than the length implies, and also accepts the
  // URL alphabet.
  const isWhole = text.length % 4 === 0 && bytes.length === (text.length / 4) * 3 - padding
  return isWhole && !/[-_]/.test(text) ? bytes : undefined
}

const nothing = Buffer.alloc(0)

/** Decodes the content of a JSON string, including escapes. */
export class Base64Reader {
  /** Whether the content so far is valid in a JSON string. */
  isJson = true
  isBase64 = true
  /** The UTF-8 length with escapes resolved; approximate if the text is not Base64. */
  textBytes = 0
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  /** An escape sequence that is not complete yet. */
  #escape = ''
  /** The last characters so far, which padding may follow. */
  #undecoded = ''
  /** Most uploads are plain Base64 without escapes, which is decoded directly. */
  #isPlain = true

  push(bytes: Buffer): Buffer {
    if (!this.#isPlain) return this.#read(() => this.#utf8.decode(bytes, { stream: true }), false)
    const text = this.#undecoded + bytes.toString('latin1')
    const decoded = decodeWhole(text)
    if (!decoded) return this.#leavePlain(text, { stream: true })
    const end = endOfQuads(text)
    this.textBytes += end
    this.#undecoded = text.slice(end)
    return decoded
  }

  end(): Buffer {
    return this.#isPlain ? this.#leavePlain(this.#undecoded, {}) : this.#read(() => this.#utf8.decode(), true)
  }

  #leavePlain(text: string, options: { stream?: boolean }): Buffer {
    this.#isPlain = false
    this.#undecoded = ''
    return this.#read(() => this.#utf8.decode(Buffer.from(text, 'latin1'), options), !options.stream)
  }

  #read(decodeUtf8: () => string, isEnd: boolean): Buffer {
    if (!this.isJson) return nothing
    let text: string
    try {
      const spelled = this.#escape + decodeUtf8()
      const whole = isEnd ? spelled.length : endOfWhole(spelled)
      this.#escape = spelled.slice(whole)
      // JSON.parse decides what is valid in a string.
      text = JSON.parse(`"${spelled.slice(0, whole)}"`)
    } catch {
      this.isJson = false
      return nothing
    }
    this.textBytes += Buffer.byteLength(text)
    return this.isBase64 ? this.#decode(this.#undecoded + text, isEnd) : nothing
  }

  #decode(text: string, isEnd: boolean): Buffer {
    const decoded = isEnd ? decodeBase64(text) : decodeWhole(text)
    this.isBase64 = decoded !== undefined
    this.#undecoded = text.slice(endOfQuads(text))
    return decoded ?? nothing
  }
}

/** All but the last one to four characters. */
const endOfQuads = (text: string): number => 4 * Math.max(0, Math.ceil(text.length / 4) - 1)

function decodeWhole(text: string): Buffer | undefined {
  const end = endOfQuads(text)
  const bytes = decodeBase64(text.slice(0, end))
  return bytes && bytes.length * 4 === end * 3 ? bytes : undefined
}

/** The position of an incomplete escape sequence, or the end of the text. */
function endOfWhole(spelled: string): number {
  const last = spelled.lastIndexOf('\\')
  if (last === -1 || last < spelled.length - 6) return spelled.length
  let first = last
  while (first > 0 && spelled[first - 1] === '\\') first--
  const isEscaped = (last - first) % 2 === 1
  const length = spelled[last + 1] === 'u' ? 6 : 2
  return isEscaped || spelled.length - last >= length ? spelled.length : last
}
