/** As much of the `ssh` program as git needs of it: `ssh -i KEY [-o …] [-p PORT] USER@HOST COMMAND`. */
import { readFileSync } from 'node:fs'
import ssh2 from 'ssh2'

const words = process.argv.slice(2)
const options = { p: '22', i: '' }
const env = {}
let at = 0
for (; words[at]?.startsWith('-'); at += 2) {
  const [flag, value] = [words[at].slice(1), words[at + 1]]
  if (flag === 'o' && value === 'SendEnv=GIT_PROTOCOL' && process.env.GIT_PROTOCOL)
    env.GIT_PROTOCOL = process.env.GIT_PROTOCOL
  else options[flag] = value
}
const [username, host] = words[at].split('@')
const command = words.slice(at + 1).join(' ')

const fail = (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(255)
}

const client = new ssh2.Client()
client.on('error', fail)
client.on('ready', () => {
  client.exec(command, { env }, (error, channel) => {
    if (error) return fail(error)
    process.stdin.pipe(channel)
    channel.pipe(process.stdout)
    channel.stderr.pipe(process.stderr)
    channel.on('exit', (code) => {
      process.exitCode = code ?? 1
    })
    channel.on('close', () => {
      process.stdin.destroy()
      client.end()
    })
  })
})
client.connect({ host, port: Number(options.p), username, privateKey: readFileSync(options.i) })
