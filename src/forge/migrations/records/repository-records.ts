/** Records of repositories, with their labels and collaborators. */
import { levelOf } from '../../access/level.ts'
import { formatTime, inArchive } from './addresses.ts'
import { type ExportContext, type ExportedRepository, gitPath, wikiPath } from './export-context.ts'

export async function writeRepositories(context: ExportContext): Promise<void> {
  for (const repository of context.repositories) await writeRepository(context, repository)
}

async function writeRepository(context: ExportContext, repository: ExportedRepository): Promise<void> {
  const { addresses, people, files, flags } = context
  const { row } = repository
  const collaborators = await readCollaborators(context, repository)
  await people.look([row.owner_id, ...collaborators.map(({ user_id }) => user_id)])
  const { hasIssues = true, hasWiki = true, hasProjects = true, hasDownloads = true } = JSON.parse(row.options)
  await files.add({
    type: 'repository',
    url: addresses.repository(repository),
    owner: people.address(row.owner_id),
    name: row.name,
    description: row.description,
    website: row.homepage,
    private: row.is_private === 1,
    archived: row.is_archived === 1,
    has_issues: hasIssues,
    has_wiki: hasWiki,
    has_projects: hasProjects,
    has_downloads: hasDownloads,
    options: JSON.parse(row.options),
    labels: await readLabels(context, repository),
    collaborators: collaborators.map(({ user_id, rank }) => ({
      user: people.address(user_id),
      permission: levelOf(rank),
    })),
    repository_topics: JSON.parse(row.topics),
    former_names: await readFormerNames(context, repository),
    default_branch: row.default_branch,
    parent: findParent(context, row.parent_id),
    last_issue_number: row.last_issue_number,
    last_milestone_number: row.last_milestone_number,
    git_url: flags.excludeGitData ? null : inArchive(gitPath(repository)),
    wiki_url: context.wikis.has(repository.id) ? inArchive(wikiPath(repository)) : null,
    pushed_at: formatTime(row.pushed_at),
    created_at: formatTime(row.created_at),
    updated_at: formatTime(row.updated_at),
  })
}

/** The repository that it is a fork of, if that is exported as well. */
function findParent({ addresses, repositories }: ExportContext, parentId: number | null): string | null {
  const parent = repositories.find(({ id }) => id === parentId)
  return parent ? addresses.repository(parent) : null
}

/** The names that redirect to it since it was renamed. */
async function readFormerNames({ db }: ExportContext, { id, ownerId }: ExportedRepository): Promise<string[]> {
  const rows = await db
    .selectFrom('repository_former_name')
    .select('name_key')
    .where('repository_id', '=', id)
    .where('owner_id', '=', ownerId)
    .orderBy('name_key')
    .execute()
  return rows.map(({ name_key }) => name_key)
}

const readCollaborators = ({ db }: ExportContext, { id }: ExportedRepository) =>
  db.selectFrom('collaborator').select(['user_id', 'rank']).where('repository_id', '=', id).orderBy('user_id').execute()

async function readLabels({ db, addresses }: ExportContext, repository: ExportedRepository) {
  const rows = await db
    .selectFrom('label')
    .select(['name', 'color', 'description', 'is_default'])
    .where('repository_id', '=', repository.id)
    .orderBy('id')
    .execute()
  return rows.map(({ name, color, description, is_default }) => ({
    url: addresses.label(repository, name),
    name,
    color,
    description,
    default: is_default === 1,
  }))
}
