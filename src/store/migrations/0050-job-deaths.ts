/**
 * How often the process that ran a job ended or hung before the job did: one that causes this at each try is given up.
 */
export const jobDeaths = (): string[] => ['alter table job add column deaths bigint not null default 0']
