/** A process that asks the same small thing at a fixed rate until its input ends, and prints how long each answer took. */
import { Agent, request } from 'node:http'

const [url = '', everyMs = '10'] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const times: number[] = []

/** A question is due whether the last one was answered or not: its time counts from then, so a stall is seen in full. */
function ask(dueAt: number): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      response.resume()
      response.on('end', () => {
        times.push(performance.now() - dueAt)
        resolve()
      })
    })
      .on('error', reject)
      .end()
  })
}

for (let i = 0; i < 20; i++) await ask(performance.now())
times.length = 0
process.stdout.write('ready\n')
const waiting = new Set<Promise<void>>()
let dueAt = performance.now()
const timer = setInterval(() => {
  for (; dueAt <= performance.now(); dueAt += Number(everyMs)) {
    const asked: Promise<void> = ask(dueAt).finally(() => waiting.delete(asked))
    waiting.add(asked)
  }
}, 1)
process.stdin
  .on('data', () => {})
  .on('end', async () => {
    clearInterval(timer)
    await Promise.all(waiting)
    process.stdout.write(`${JSON.stringify(times)}\n`)
    process.exit(0)
  })
