/** The place of an act in the audit log: a repository with the organisation that owns it, or an organisation. */
import type { Person } from '../person.ts'
import { fullName, type Repository } from './repository.ts'

export const auditOrganisation = ({ id, login }: Pick<Person, 'id' | 'login'>) => ({
  organisation: { id, name: login },
})

export const auditRepository = (repository: Pick<Repository, 'id' | 'owner' | 'name'>) => ({
  repository: { id: repository.id, name: fullName(repository) },
  ...(repository.owner.kind === 'organisation' && auditOrganisation(repository.owner)),
})

export const auditUser = ({ id, login }: Pick<Person, 'id' | 'login'>) => ({ user: { id, name: login } })
