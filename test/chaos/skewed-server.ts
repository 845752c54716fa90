/** The server with a machine's clock that is wrong: `node skewed-server.ts MILLISECONDS serve`. */
const offsetMs = Number(process.argv.splice(2, 1)[0])
const now = Date.now.bind(Date)

globalThis.Date = new Proxy(Date, {
  construct: (target, words, made) => Reflect.construct(target, words.length === 0 ? [now() + offsetMs] : words, made),
  get: (target, key) => (key === 'now' ? () => now() + offsetMs : Reflect.get(target, key)),
})

await import('../../src/cli.ts')
