"""Drives PyGithub against the server at argv[1] as two people (tokens in ANN, BOB): prints each part done, or what was wrong and ends."""
import datetime, io, os, subprocess, sys, tempfile, time, traceback, urllib.request
from github import Github, GithubException, InputGitTreeElement

base, receiver = sys.argv[1:3]
ann, bob = (Github(os.environ[name], base_url=base + '/api/v3', per_page=5, retry=0) for name in ('ANN', 'BOB'))
me, you = ann.get_user(), bob.get_user()
TODAY = datetime.datetime.utcnow() + datetime.timedelta(days=1)


def same(actual, expected, what):
    assert actual == expected, f'{what}: {actual!r} instead of {expected!r}'


def sound(*things):
    """Every member is of the type that PyGithub knows: it complains when one that is not is read, and follows `url` for what is missing."""
    for thing in things:
        for name in dir(type(thing)):
            if not name.startswith('_') and isinstance(getattr(type(thing), name), property):
                try:
                    getattr(thing, name)
                except Exception as error:
                    raise AssertionError(f'{type(thing).__name__}.{name}: {error!r}')
    return things[0]


def refused(status, act, *words):
    try:
        act(*words)
    except GithubException as error:
        same(error.status, status, f'refusal of {act.__name__}')
    else:
        raise AssertionError(f'{act.__name__} was not refused with {status}')


def until(condition, what):
    for _ in range(400):
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f'never: {what}')


def names(things, member='name'):
    return [getattr(thing, member) for thing in things]


def repositories():
    repo = me.create_repo('tool', description='Hammers', private=True, auto_init=True, has_wiki=False)
    sound(me, repo)
    same((repo.full_name, repo.private, repo.default_branch, repo.permissions.admin), ('ann/tool', True, 'main', True), 'new repository')
    refused(404, bob.get_repo, 'ann/tool')
    refused(422, me.create_repo, 'tool')
    repo.edit(private=False, description='Nails', has_wiki=True)
    same(bob.get_repo('ann/tool').description, 'Nails', 'description after edit')
    repo.replace_topics(['iron', 'wood'])
    same(repo.get_topics(), ['iron', 'wood'], 'topics')
    same(sorted(names(me.get_repos())), ['tool'], 'own repositories')
    you.add_to_starred(repo)
    same((you.has_in_starred(repo), names(repo.get_stargazers(), 'login')), (True, ['bob']), 'stars')
    same(names((one.user for one in repo.get_stargazers_with_dates()), 'login'), ['bob'], 'stars with dates')
    you.add_to_watched(repo)
    same(you.has_in_watched(repo), True, 'watching')
    invitation = repo.add_to_collaborators('bob', 'push')
    sound(invitation)
    you.accept_invitation(invitation)
    same(sorted(names(repo.get_collaborators(), 'login')), ['ann', 'bob'], 'collaborators')
    same(repo.get_collaborator_permission('bob'), 'write', 'permission')
    sound(ann.get_rate_limit().core, ann.get_user('bob'), ann.get_repo(repo.id))
    same(ann.get_user_by_id(you.id).login, 'bob', 'user by id')
    same(ann.render_markdown('**yes**').strip(), '<p><strong>yes</strong></p>', 'markdown')
    same('repo' in ann.oauth_scopes, True, 'scopes')


def issues():
    repo, theirs = ann.get_repo('ann/tool'), bob.get_repo('ann/tool')
    label = sound(repo.create_label('rust', 'aa0000', 'Old iron'))
    label.edit('decay', 'bb0000', 'Old')
    due = datetime.datetime(2030, 5, 1)
    milestone = sound(repo.create_milestone('Spring', 'open', 'When it thaws', due))
    same(milestone.due_on.date(), due.date(), 'due date')
    issue = repo.create_issue('It creaks', 'Oil it, @bob', milestone=milestone, labels=[label, 'bug'], assignees=['ann'])
    same((issue.number, sorted(names(issue.labels)), issue.milestone.title, names(issue.assignees, 'login')),
         (1, ['bug', 'decay'], 'Spring', ['ann']), 'new issue')
    issue.edit(title='It squeaks', body='Grease', assignees=['ann', 'bob'])
    issue.remove_from_labels('bug')
    issue.add_to_labels('enhancement')
    issue.remove_from_assignees('bob')
    issue.edit(milestone=None)
    issue.edit(milestone=milestone)
    comment = sound(theirs.get_issue(1).create_comment('Done, see #1'))
    comment.edit('Done.')
    heart = sound(comment.create_reaction('heart'))
    same(names(comment.get_reactions(), 'content'), ['heart'], 'reactions to a comment')
    same(comment.delete_reaction(heart.id), True, 'reaction deleted')
    same(sound(issue.create_reaction('+1')).user.login, 'ann', 'reaction')
    issue.lock('resolved')
    same((repo.get_issue(1).locked, repo.get_issue(1).active_lock_reason), (True, 'resolved'), 'lock')
    issue.unlock()
    issue.edit(state='closed')
    closed = repo.get_issue(1)
    sound(closed, closed.milestone, closed.labels[0], *closed.get_comments())
    same((closed.state, closed.closed_by.login, closed.comments, closed.body), ('closed', 'ann', 1, 'Grease'), 'closed issue')
    told = ['mentioned', 'subscribed', 'assigned', 'labeled', 'labeled', 'milestoned', 'renamed', 'assigned', 'unlabeled', 'labeled', 'unassigned',
            'demilestoned', 'milestoned', 'locked', 'unlocked', 'closed']
    events = list(issue.get_events())
    same(sorted(names(events, 'event')), sorted(told), 'events of the issue')
    same(names(events, 'id'), sorted(names(events, 'id')), 'order of events')
    sound(*events, repo.get_issues_event(events[0].id))
    same(names(repo.get_issues_events(), 'id'), names(reversed(events), 'id'), 'events of the repository')
    timeline = list(issue.get_timeline())
    same([one.body for one in timeline if one.event == 'commented'], ['Done.'], 'comments in the timeline')
    same(sorted(names(timeline, 'event')), sorted([*told, 'commented']), 'timeline')
    sound(*timeline)
    for title in 'abcdef':
        theirs.create_issue(title)
    same(names(repo.get_issues(sort='created', direction='asc'), 'title'), list('abcdef'), 'open issues over pages')
    same(repo.get_issues(state='all').totalCount, 7, 'number of issues')
    same(names(repo.get_issues(state='all', labels=[repo.get_label('decay')]), 'number'), [1], 'issues by label')
    same(names(repo.get_issues(state='all', milestone=milestone, assignee='ann', creator='ann', mentioned=ann.get_user('bob')), 'number'),
         [1], 'filtered issues')
    same(repo.get_issues(since=TODAY).totalCount, 0, 'issues since tomorrow')
    same(names(repo.get_issues_comments(), 'body'), ['Done.'], 'comments of the repository')
    same(names(me.get_issues(state='all'), 'number'), [1], 'issues assigned to me')
    same([repo.get_milestone(1).open_issues, repo.get_milestone(1).closed_issues], [0, 1], 'counts of the milestone')
    comment.delete()
    same(list(issue.get_comments()), [], 'comments after deletion')
    refused(404, repo.get_issue, 99)


def code():
    repo = ann.get_repo('ann/tool')
    made = repo.create_file('docs/how to.md', 'Explain', 'strike\n', branch='main')
    sound(made['content'], made['commit'])
    same(repo.get_contents('docs/how to.md').decoded_content, b'strike\n', 'content')
    refused(409, repo.update_file, 'docs/how to.md', 'No', 'x', '0' * 40)
    changed = repo.update_file('docs/how to.md', 'Explain more', 'strike twice\n', made['content'].sha)
    same(changed['commit'].parents[0].sha, made['commit'].sha, 'parent')
    same(names(repo.get_contents('docs'), 'path'), ['docs/how to.md'], 'folder')
    head = repo.get_branch('main').commit
    same(head.sha, changed['commit'].sha, 'head of main')
    ref = sound(repo.create_git_ref('refs/heads/side', head.sha))
    tree = repo.create_git_tree([InputGitTreeElement('side.txt', '100644', 'blob', content='side\n')], head.commit.tree)
    commit = sound(repo.create_git_commit('Aside', tree, [repo.get_git_commit(head.sha)]))
    ref.edit(commit.sha)
    same(repo.get_git_ref('heads/side').object.sha, commit.sha, 'moved ref')
    same([file.filename for file in repo.compare('main', 'side').files], ['side.txt'], 'compared files')
    same(sound(repo.merge('main', 'side', 'Take side')).commit.message, 'Take side', 'merge')
    ref.delete()
    refused(404, repo.get_git_ref, 'heads/side')
    repo.delete_file('docs/how to.md', 'Enough said', changed['content'].sha)
    refused(404, repo.get_contents, 'docs/how to.md')
    newest = repo.get_commits()[0]
    same(sound(newest, newest.commit, newest.files[0]).commit.message, 'Enough said', 'newest commit')
    sound(newest.create_status('pending', 'http://ci.example/1', 'Running', 'ci/one'))
    newest.create_status('success', context='ci/two')
    combined = sound(newest.get_combined_status())
    same((combined.state, sorted(names(combined.statuses, 'context'))), ('pending', ['ci/one', 'ci/two']), 'combined status')
    sound(newest.create_comment('Well said'), *newest.get_statuses())
    same(names(repo.get_comments(), 'body'), ['Well said'], 'commit comments')
    sound(repo.create_git_tag('v0', 'Zero', newest.sha, 'commit'), repo.get_git_blob(newest.files[0].sha), repo.get_readme())
    with urllib.request.urlopen(repo.get_archive_link('tarball', 'main')) as archive:
        same(archive.read(2), b'\x1f\x8b', 'tarball')


def protection():
    branch = ann.get_repo('ann/tool').get_branch('main')
    branch.edit_protection(strict=True, contexts=['ci/one'], enforce_admins=True, required_approving_review_count=1, dismiss_stale_reviews=True)
    shown = sound(branch.get_protection())
    same((shown.enforce_admins, shown.required_status_checks.contexts), (True, ['ci/one']), 'protection')
    same(sound(branch.get_required_pull_request_reviews()).required_approving_review_count, 1, 'required reviews')
    branch.edit_required_status_checks(strict=False, contexts=['ci/one', 'ci/two'])
    same(sound(branch.get_required_status_checks()).contexts, ['ci/one', 'ci/two'], 'required statuses')
    refused(409, ann.get_repo('ann/tool').create_file, 'past.txt', 'Past the rules', '')
    branch.remove_admin_enforcement()
    same((branch.get_admin_enforcement(), ann.get_repo('ann/tool').get_branch('main').protected), (False, True), 'enforcement')
    branch.remove_protection()
    refused(404, branch.get_protection)


def people():
    you.edit(name='Bob B.', bio='Smith', location='Forge')
    same((ann.get_user('bob').name, ann.get_user('bob').bio), ('Bob B.', 'Smith'), 'profile')
    me.add_to_following(ann.get_user('bob'))
    same(names(ann.get_user('bob').get_followers(), 'login'), ['ann'], 'followers')
    sound(ann.get_user('bob'), *you.get_emails())
    repo = ann.get_repo('ann/tool')
    same(names(repo.get_forks(), 'full_name'), ['bob/tool'], 'forks')
    same('ann' in names(repo.get_contributors(), 'login'), True, 'contributors')
    same('bob' in names(repo.get_assignees(), 'login'), True, 'assignees')
    activity = list(repo.get_events())
    sound(*activity)
    kinds = set(names(activity, 'type'))
    same({'IssuesEvent', 'PullRequestEvent', 'PushEvent', 'ReleaseEvent', 'WatchEvent'} - kinds, set(), 'missing kinds of activity')


def pulls():
    repo = ann.get_repo('ann/tool')
    fork = you.create_fork(repo)
    until(lambda: fork.get_branches().totalCount, 'the fork has its branches')
    with tempfile.TemporaryDirectory() as folder:
        def git(*words):
            told = ['git', '-c', 'user.name=Bob', '-c', 'user.email=bob@example.org', *words]
            return subprocess.run(told, cwd=folder, check=True, capture_output=True, text=True).stdout

        git('clone', '--quiet', fork.clone_url.replace('://', f"://bob:{os.environ['BOB']}@"), '.')
        git('switch', '--quiet', '-c', 'oil')
        with open(f'{folder}/oil.txt', 'w') as file:
            file.write('one\ntwo\nthree\n')
        git('add', '.')
        git('commit', '--quiet', '-m', 'Oil it\n\nFixes #2')
        git('push', '--quiet', 'origin', 'oil')
        sha = git('rev-parse', 'HEAD').strip()
    pull = bob.get_repo('ann/tool').create_pull(title='Oil', body='Smooth', head='bob:oil', base='main')
    same((pull.number, pull.head.sha, pull.head.repo.full_name, pull.user.login), (8, sha, 'bob/tool', 'bob'), 'new pull')
    pull.create_review_request(['ann'])
    same(names(pull.get_review_requests()[0], 'login'), ['ann'], 'requested reviewers')
    pull = repo.get_pull(8)
    same((pull.commits, pull.changed_files, pull.additions, pull.mergeable), (1, 1, 3, True), 'figures of the pull')
    sound(pull, pull.base, pull.head, *pull.get_files(), *pull.get_commits())
    commit = repo.get_commit(sha)
    noted = sound(pull.create_review_comment('Which oil?', commit, 'oil.txt', 2))
    reply = sound(repo.get_pull(8).create_review_comment_reply(noted.id, 'Olive'))
    same(reply.in_reply_to_id, noted.id, 'reply')
    noted.edit('Which oil is it?')
    noted.create_reaction('eyes')
    same(sorted(names(pull.get_review_comments(), 'body')), ['Olive', 'Which oil is it?'], 'review comments')
    asked = sound(pull.create_review(commit, 'More of it', 'REQUEST_CHANGES', [{'path': 'oil.txt', 'position': 1, 'body': 'More'}]))
    same(asked.state, 'CHANGES_REQUESTED', 'review')
    same(names(pull.get_single_review_comments(asked.id), 'body'), ['More'], "a review's comments")
    asked.dismiss('Enough')
    same(pull.get_review(asked.id).state, 'DISMISSED', 'dismissed review')
    pull.create_review(commit, 'Good', 'APPROVE')
    same(names(pull.get_reviews(), 'state')[-2:], ['DISMISSED', 'APPROVED'], 'reviews')
    sound(pull.create_issue_comment('Thanks'))
    pull.edit(title='Oil it')
    pull.add_to_labels('bug')
    same(names(repo.get_pulls(head='bob:oil', base='main'), 'title'), ['Oil it'], 'pulls by head')
    refused(409, lambda: pull.merge(sha='0' * 40))
    merged = sound(pull.merge('Because it squeaks', 'Oil the hinge', 'squash', sha))
    same((merged.merged, pull.is_merged()), (True, True), 'merge')
    same(repo.get_commits()[0].commit.message, 'Oil the hinge\n\nBecause it squeaks', 'squashed commit')
    done = sound(repo.get_pull(8))
    same((done.state, done.merged_by.login, done.merge_commit_sha), ('closed', 'ann', merged.sha), 'merged pull')
    same([name for name in names(done.as_issue().get_events(), 'event') if name in ('merged', 'closed')], ['merged', 'closed'], 'events of a merge')
    same(names(commit.get_pulls(), 'number'), [8], 'pulls of a commit')
    sound(*done.get_issue_events(), *done.as_issue().get_timeline(), repo.get_issue(8).as_pull_request())


def releases():
    repo = ann.get_repo('ann/tool')
    release = sound(repo.create_git_release('v1', 'One', 'The first', draft=True, target_commitish='main'))
    refused(404, bob.get_repo('ann/tool').get_release, 'v1')
    with tempfile.NamedTemporaryFile(suffix='.txt') as file:
        file.write(b'from a file')
        file.flush()
        asset = sound(release.upload_asset(file.name, 'A file', 'text/plain', 'file.txt'))
    same((asset.name, asset.label, asset.size, asset.content_type, asset.state), ('file.txt', 'A file', 11, 'text/plain', 'uploaded'), 'asset')
    memory = release.upload_asset_from_memory(io.BytesIO(b'\0\1\2'), 3, 'memory.bin')
    same(memory.update_asset('bytes.bin', 'Bytes').name, 'bytes.bin', 'renamed asset')
    release = release.update_release('One!', 'The very first', draft=False)
    same((release.title, release.draft, repo.get_latest_release().tag_name), ('One!', False, 'v1'), 'published release')
    same(sorted(names(repo.get_release('v1').get_assets())), ['bytes.bin', 'file.txt'], 'assets')
    with urllib.request.urlopen(asset.browser_download_url) as answer:
        same(answer.read(), b'from a file', 'downloaded asset')
    same(repo.get_release_asset(asset.id).download_count, 1, 'downloads')
    memory.delete_asset()
    same(names(repo.get_tags()), ['v1'], 'tags')
    sound(repo.create_git_tag_and_release('v2', 'Two', 'Two', 'The second', repo.get_branch('main').commit.sha, 'commit', prerelease=True))
    same(names(repo.get_releases(), 'tag_name'), ['v2', 'v1'], 'releases')
    repo.get_release('v2').delete_release()
    refused(404, repo.get_release, 'v2')


def search():
    found = bob.search_issues('squeaks in:title is:issue', repo='ann/tool', state='closed')
    same((found.totalCount, names(found, 'number')), (1, [1]), 'issues found')
    same(names(bob.search_issues('is:merged', type='pr', author='bob'), 'title'), ['Oil it'], 'pulls found')
    sound(*found)
    same(names(bob.search_repositories('nails in:description', sort='updated'), 'full_name'), ['ann/tool'], 'repositories found')
    files = until(lambda: list(ann.search_code('three', repo='ann/tool', highlight=True)), 'the code is found')
    same((names(files, 'path'), files[0].repository.full_name), (['oil.txt'], 'ann/tool'), 'code found')
    sound(*files)
    same(names(bob.search_users('ann', type='user'), 'login'), ['ann'], 'users found')
    same([commit.commit.message.split('\n')[0] for commit in bob.search_commits('hinge repo:ann/tool')], ['Oil the hinge'], 'commits found')


def notifications():
    repo = ann.get_repo('ann/tool')
    you.mark_notifications_as_read(TODAY)
    until(lambda: you.get_notifications().totalCount == 0, 'everything is read')
    for title in ('First', 'Second', 'Third'):
        repo.create_issue(title, '@bob' if title == 'First' else '')
    until(lambda: you.get_notifications().totalCount == 3, 'three threads')
    threads = list(you.get_notifications())
    same([(one.subject.title, one.reason, one.unread) for one in threads],
         [('Third', 'subscribed', True), ('Second', 'subscribed', True), ('First', 'mention', True)], 'inbox')
    sound(*threads, threads[0].subject)
    same(threads[2].get_issue().title, 'First', 'subject')
    same(names(you.get_notifications(participating=True), 'id'), [threads[2].id], 'participating')
    same(list(you.get_notifications(since=TODAY)), [], 'since tomorrow')
    threads[0].mark_as_read()
    same((you.get_notification(threads[0].id).unread, you.get_notifications().totalCount), (False, 2), 'a thread read')
    same(threads[0].id in names(you.get_notifications(all=True), 'id'), True, 'read ones with all')
    way = threads[1].subscription_url
    same(bob.get_repo('ann/tool').get_notifications().totalCount, 2, 'of the repository')
    ask = threads[1]._requester.requestJsonAndCheck
    same(ask('PUT', way, input={'ignored': True})[1]['ignored'], True, 'ignored thread')
    same(ask('GET', way)[1]['subscribed'], False, 'subscription of the thread')
    ask('DELETE', way)
    bob.get_repo('ann/tool').mark_notifications_as_read(TODAY)
    until(lambda: bob.get_repo('ann/tool').get_notifications().totalCount == 0, 'the repository is read')
    subscription = ask('PUT', f'{repo.url}/subscription', input={'ignored': True})[1]
    same(subscription['ignored'], True, 'ignored repository')


def hooks():
    repo = ann.get_repo('ann/tool')
    hook = sound(repo.create_hook('web', {'url': receiver, 'content_type': 'json', 'secret': 'quiet'}, ['issues'], True))
    same((hook.config['secret'], hook.events), ('********', ['issues']), 'hook')
    hook.edit('web', hook.config, add_events=['push'])
    same(sorted(repo.get_hook(hook.id).events), ['issues', 'push'], 'events of the hook')
    hook.ping()
    repo.create_issue('Heard', '')
    deliveries = lambda: repo._requester.requestJsonAndCheck('GET', f'{hook.url}/deliveries')[1]
    until(lambda: sorted(one['event'] for one in deliveries() if one['status_code'] == 204) == ['issues', 'ping', 'ping'], 'deliveries')
    same(sound(repo.get_hook(hook.id)).last_response.status, 'active', 'last response')
    same(names(repo.get_hooks(), 'id'), [hook.id], 'hooks')
    hook.delete()
    refused(404, repo.get_hook, hook.id)


def migrations():
    migration = sound(me.create_migration(['ann/tool'], lock_repositories=True, exclude_attachments=True))
    same((migration.state, migration.lock_repositories, migration.exclude_attachments), ('pending', True, True), 'migration')
    until(lambda: migration.get_status() == 'exported', 'exported')
    same(names(me.get_migrations(), 'id'), [migration.id], 'migrations')
    same(names(migration.repositories), ['tool'], 'its repositories')
    with urllib.request.urlopen(migration.get_archive_url()) as archive:
        same(archive.read(2), b'\x1f\x8b', 'archive')
    refused(403, lambda: ann.get_repo('ann/tool').edit(description='Locked'))
    migration.unlock_repo('tool')
    migration.delete()
    refused(404, migration.get_archive_url)
    ann.get_repo('ann/tool').delete()
    refused(404, ann.get_repo, 'ann/tool')


failures = []
for part in (repositories, issues, code, protection, pulls, releases, people, search, notifications, hooks, migrations):
    try:
        part()
        print(part.__name__)
    except Exception as error:
        frames = [f'{frame.name}:{frame.lineno}' for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
        failures.append(f"{' > '.join(frames[1:])}: {type(error).__name__}: {error}")
sys.exit('\n'.join(failures) or 0)
