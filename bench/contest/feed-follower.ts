/** A client of a feed that goes on after its last token wherever a server answers, and has what it was told. */
import { type Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** When each submission was answered to its team, in ms of the process. */
export type AnsweredAt = ReadonlyMap<string, number>

type Needs = {
  readonly agent: Agent
  readonly localAddress: string
  /** Of a server, another one each time. */
  nextAddress(): string
  isOver(): boolean
  readonly answeredAt: AnsweredAt
}

export type FeedFollower = ReturnType<typeof followFeed>

const retryMs = 200
const form = /^\{"type":"([a-z-]+)","id":(?:null|"([^"]*)"),"data":(.*),"token":"([^"]*)"\}$/
/** All clients are told the same: each text is kept once. */
const texts = new Map<string, string>()

function intern(text: string): string {
  const known = texts.get(text)
  if (known !== undefined) return known
  const own = Buffer.from(text).toString()
  texts.set(own, own)
  return own
}

export function followFeed({ agent, localAddress, nextAddress, isOver, answeredAt }: Needs) {
  const objects = new Map<string, string>()
  const delays: number[] = []
  const begunAt = performance.now()
  let since = ''
  let [told, refused] = [0, 0]

  function take(line: string): void {
    const found = form.exec(line)
    if (!found) return
    told++
    const [, type, id, data, token] = found as unknown as [string, string, string | undefined, string, string]
    since = `?since_token=${token}`
    if (type === 'submissions' && id !== undefined && !objects.has(`${type} ${id}`)) {
      const at = answeredAt.get(id) ?? performance.now()
      if (at > begunAt) delays.push(performance.now() - at)
    }
    if (id === undefined && data.startsWith('[')) {
      for (const key of [...objects.keys()]) if (key.startsWith(`${type} `)) objects.delete(key)
      for (const one of JSON.parse(data)) objects.set(`${type} ${one.id}`, intern(JSON.stringify(one)))
    } else if (data === 'null') objects.delete(`${type} ${id}`)
    else objects.set(`${type} ${id ?? ''}`, intern(data))
  }

  const connect = () =>
    new Promise<void>((resolve) => {
      let rest = ''
      const request = get(`${nextAddress()}${since}`, { agent, localAddress }, (response) => {
        const isTaken = response.statusCode === 200
        if (!isTaken) refused++
        // Its token is unknown by now: it begins anew.
        if (response.statusCode === 400) {
          since = ''
          objects.clear()
        }
        response.setEncoding('utf8')
        response.on('data', (text: string) => {
          if (!isTaken) return
          const lines = (rest + text).split('\n')
          rest = lines.pop()!
          lines.forEach(take)
          if (isOver()) request.destroy()
        })
        response.on('close', resolve)
      })
      request.on('error', () => resolve())
    })

  const following = (async () => {
    for (; !isOver(); await sleep(retryMs)) await connect()
  })()

  return { objects, delays, following, told: () => told, refused: () => refused }
}
