/** Sections of the settings of git that contain no credentials. */
export const SECTIONS_WITHOUT_CREDENTIALS: ReadonlySet<string> = new Set([
  ...['user', 'author', 'committer', 'core', 'alias', 'color', 'column', 'diff', 'difftool', 'merge', 'mergetool'],
  ...['init', 'pull', 'push', 'fetch', 'rebase', 'rerere', 'log', 'format', 'safe', 'commit', 'gpg', 'tag', 'branch'],
  ...['advice', 'status', 'help', 'pager', 'interactive', 'delta', 'include', 'includeif', 'filter', 'lfs', 'index'],
  ...['feature', 'gc', 'maintenance', 'pack', 'protocol', 'submodule', 'blame', 'grep', 'worktree', 'checkout'],
  ...['stash', 'extensions', 'transfer', 'receive', 'apply', 'versionsort', 'i18n', 'mailmap', 'showbranch', 'man'],
])
