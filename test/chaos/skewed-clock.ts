/** A program on a machine whose clock is wrong: `node skewed-clock.ts MILLISECONDS PROGRAM [WORDS]`. */
const [offset, program] = process.argv.splice(2, 2)
process.argv[1] = program!
const offsetMs = Number(offset)
const now = Date.now.bind(Date)

globalThis.Date = new Proxy(Date, {
  construct: (target, words, made) => Reflect.construct(target, words.length === 0 ? [now() + offsetMs] : words, made),
  get: (target, key) => (key === 'now' ? () => now() + offsetMs : Reflect.get(target, key)),
})

await import(program!)
