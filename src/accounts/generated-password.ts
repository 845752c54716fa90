/** Passwords that the server generates for people: printed on slips, typed from paper. */

/** Twelve of 31 characters that are not mistaken for each other: about 59 bits of randomness. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const length = 12

export function generatePassword(): string {
  let password = ''
  while (password.length < length) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    // Larger bytes would make the first letters more likely.
    if (byte! < 256 - (256 % letters.length)) password += letters[byte! % letters.length]
  }
  return password.replace(/(.{4})(?=.)/g, '$1-')
}
