/** The audit log of the whole server. */
import { AuditLog } from '../parts/audit-log.tsx'
import { Heading } from '../parts/heading.tsx'
import { Only } from '../parts/only.tsx'
import { AdminTabs } from './admin-tabs.tsx'

export const Audit = () => (
  <Only who="admins" title="Audit log">
    <Heading title="Audit log" note="Who did what to access, newest first." />
    <AdminTabs />
    <AuditLog path="/enterprises/guildhall/audit-log" />
  </Only>
)
