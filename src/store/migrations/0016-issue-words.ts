/** The words of issues and their comments, for searching, and which pulls close which issues. */
import type { Ddl } from './ddl.ts'

/**
 * A word has one row per text that contains it: `source` is -1 for the title, 0 for the text of the issue, and
 * otherwise the id of a comment. It includes the repository, so that searching one costs nothing for others.
 */
export const issueWords = ({ engine }: Ddl): string[] => [
  `create table issue_word (
    repository_id bigint not null,
    word text not null,
    issue_id bigint not null references issue (id) on delete cascade,
    source bigint not null,
    primary key (repository_id, word, issue_id, source)
  )`,
  'create index issue_word_by_word on issue_word (word, issue_id)',
  'create index issue_word_by_source on issue_word (issue_id, source)',
  `create table issue_connection (
    issue_id bigint not null references issue (id) on delete cascade,
    pull_id bigint not null references issue (id) on delete cascade,
    created_at bigint not null,
    primary key (issue_id, pull_id)
  )`,
  'create index issue_connection_by_pull on issue_connection (pull_id)',
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

/** The words of an issue move with it to another repository, and are deleted with it. */
const move = 'update issue_word set repository_id = new.repository_id where issue_id = new.id'
const drop = 'delete from issue_word where issue_id = new.id'

const sqliteTriggers = [
  `create trigger issue_words_moved after update of repository_id on issue
    when new.repository_id <> old.repository_id begin ${move}; end`,
  `create trigger issue_words_dropped after update of deleted_at on issue
    when new.deleted_at is not null begin ${drop}; end`,
]

const postgresTriggers = [
  `create function keep_issue_words() returns trigger language plpgsql as $$
  begin
    if new.repository_id <> old.repository_id then ${move}; end if;
    if new.deleted_at is not null and old.deleted_at is null then ${drop}; end if;
    return null;
  end
  $$`,
  `create trigger issue_words_kept after update of repository_id, deleted_at on issue
    for each row execute function keep_issue_words()`,
]
