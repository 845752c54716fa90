/** The tables of the store itself: which data folder belongs to this database, and which backups are running. */

/** Has only one row. */
export type InstallationTable = { singleton: 1; id: string; created_at: number }

/** While an unexpired hold exists, folders of deleted repositories stay: a backup may still need them. */
export type BackupHoldTable = { id: string; expires_at: number }

export type InstallationSchema = { installation: InstallationTable; backup_hold: BackupHoldTable }
