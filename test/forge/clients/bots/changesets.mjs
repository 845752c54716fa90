/** The lines of a change log that Changesets writes for each commit, as JSON. */
import changelog from '@changesets/changelog-github'

const [repo, ...commits] = process.argv.slice(2)
const lines = []
for (const commit of commits) {
  const changeset = { summary: 'Mend it', commit, id: commit, releases: [] }
  lines.push((await changelog.getReleaseLine(changeset, 'patch', { repo })).trim())
}
process.stdout.write(JSON.stringify(lines))
