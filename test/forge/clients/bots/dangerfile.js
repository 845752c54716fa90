/** The rules that Danger is run with: what it knows of a pull, a remark on a line, a label, and a verdict. */
const { danger, markdown, message, warn } = require('danger')

schedule(async () => {
  const { pr, reviews, requested_reviewers: asked, commits, utils } = danger.github
  const { created_files: created, modified_files: modified } = danger.git
  message(
    `${pr.title} by ${pr.user.login}: ${commits.length} commit, ${reviews.length} review, ${asked.users.length} asked`,
  )
  message(`created ${created.join()}, modified ${modified.join() || 'nothing'}`)
  message(`It says: ${await utils.fileContents('for-danger-0.txt')}`)
  markdown('### A table')
  warn('Slates are better', 'for-danger-0.txt', 1)
  await utils.createOrAddLabel({ name: 'looked-at', color: '00aaff', description: 'By Danger' })
})
