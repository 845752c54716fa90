/** An app of Probot that answers a new issue and sets a check on a new pull. It tells its port, and ends with its input. */
import { createServer } from 'node:http'
import { createNodeMiddleware, Probot } from 'probot'

const { APP_ID, PRIVATE_KEY, WEBHOOK_SECRET, API_URL } = process.env

const probot = new Probot({
  ...{ appId: Number(APP_ID), privateKey: PRIVATE_KEY, secret: WEBHOOK_SECRET, baseUrl: API_URL },
  logLevel: 'error',
})
const welcome = (app) => {
  app.on('issues.opened', async (context) => {
    const { login } = context.payload.sender
    await context.octokit.rest.issues.createComment(context.issue({ body: `Thanks, ${login}.` }))
  })
  app.on('pull_request.opened', async (context) => {
    const { sha } = context.payload.pull_request.head
    const run = { name: 'welcome', head_sha: sha, status: 'completed', conclusion: 'success' }
    await context.octokit.rest.checks.create(context.repo(run))
  })
}
const server = createServer(await createNodeMiddleware(welcome, { probot, webhooksPath: '/hook' }))
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
process.stdin.resume()
process.stdin.on('end', () => process.exit())
