/** Opens a pull with changed, new and deleted files by the plugin, then adds a commit; answers its number twice. */
import { Octokit } from '@octokit/rest'
import { createPullRequest, DELETE_FILE } from 'octokit-plugin-create-pull-request'

const { TOKEN, API_URL } = process.env
const [owner, repo] = process.argv.slice(2)
const octokit = new (Octokit.plugin(createPullRequest))({ auth: TOKEN, baseUrl: API_URL })
const draft = { owner, repo, title: 'Tidy', body: 'By a bot', head: 'tidy/all', update: true, labels: ['bug'] }
const numbers = []
for (const text of ['one', 'two']) {
  const files = {
    'new/deep.txt': text,
    'README.md': ({ content }) => `${Buffer.from(content, 'base64').toString()}More\n`,
    'main.ts': DELETE_FILE,
  }
  const { data } = await octokit.createPullRequest({ ...draft, changes: [{ files, commit: `Tidy ${text}` }] })
  numbers.push(data.number)
}
process.stdout.write(JSON.stringify(numbers))
