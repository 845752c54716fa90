/** Passwords that are drawn: twelve of 31 characters that nobody takes for each other, some 59 bits of chance. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const length = 12

export function drawPassword(): string {
  let password = ''
  while (password.length < length) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    // Bytes past the last whole round would make the first letters likelier.
    if (byte! < 256 - (256 % letters.length)) password += letters[byte! % letters.length]
  }
  return password.replace(/(.{4})(?=.)/g, '$1-')
}
