/** How often the process that ran a job ended, or stood still, before the job did: one that does so at each try is given up. */
export const jobDeaths = (): string[] => ['alter table job add column deaths bigint not null default 0']
