import type { OptionGroups } from '../programs/command-spec.js'

/**
 * Options for showing differences. Excluded: `--output`, which writes; `--ext-diff` and `--textconv`, which run programs; and
 * `--submodule`, which enters folders that an old commit links to, and these are not examined.
 */
export const DIFF_OPTIONS: OptionGroups = {
  flags:
    '-p -u --patch -s --no-patch --raw --patch-with-raw --patch-with-stat --minimal --patience --histogram --numstat ' +
    '--shortstat --summary --compact-summary --name-only --name-status --cumulative -z --no-color --no-color-moved ' +
    '--no-color-moved-ws --no-renames --rename-empty --no-rename-empty --check --full-index --binary ' +
    '--find-copies-harder -D --irreversible-delete --pickaxe-all --pickaxe-regex -R --no-relative -a --text ' +
    '--ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -W ' +
    '--function-context --no-function-context --exit-code --quiet --no-ext-diff --no-textconv --no-prefix ' +
    '--default-prefix --indent-heuristic --no-indent-heuristic --ita-invisible-in-index --ita-visible-in-index -h',
  values:
    '-S -G -I --ignore-matching-lines --inter-hunk-context --word-diff-regex --diff-filter --anchored ' +
    '--diff-algorithm --src-prefix --dst-prefix --line-prefix -l --skip-to --rotate-to --find-object ' +
    '--ws-error-highlight --output-indicator-new --output-indicator-old --output-indicator-context --stat-width ' +
    '--stat-name-width --stat-count --stat-graph-width',
  attached:
    '-U --unified -M -C -B -X --stat --dirstat --dirstat-by-file --color --color-moved --color-moved-ws ' +
    '--color-words --word-diff --abbrev --find-renames --find-copies --break-rewrites --relative ' +
    '--ignore-submodules',
  roles: { reads: '-O' },
  targets: '--output',
  refused: '--output --ext-diff --textconv --submodule',
}

/** Options for walking and printing commits. Excluded: `--show-signature`, which runs a program. */
export const WALK_OPTIONS: OptionGroups = {
  flags:
    '-# --all --reverse --merges --no-merges --first-parent --not --no-min-parents --no-max-parents --full-history ' +
    '--dense --sparse --simplify-merges --simplify-by-decoration --show-pulls --cherry-pick --cherry-mark --cherry ' +
    '--left-only --right-only --left-right --boundary --topo-order --date-order --author-date-order --walk-reflogs -g ' +
    '--merge --do-walk --abbrev-commit --no-abbrev-commit --no-abbrev --oneline --graph --no-graph --parents ' +
    '--children --relative-date --log-size --no-notes --use-mailmap --mailmap --no-mailmap --source --full-diff ' +
    '--follow --no-decorate --clear-decorations -i --regexp-ignore-case -E --extended-regexp -F --fixed-strings -P ' +
    '--perl-regexp --basic-regexp --all-match --invert-grep --remove-empty --ignore-missing --bisect --reflog ' +
    '--single-worktree --exclude-first-parent-only --stdin -c --cc --combined-all-paths -m -r -t ' +
    '--root --always --no-commit-id --no-expand-tabs --end-of-options',
  values:
    '-n --max-count --skip --since --after --until --before --since-as-filter --author --committer --grep ' +
    '--grep-reflog --date --encoding --max-age --min-age --glob --exclude',
  // Excluded: `remerge`, which would run the merge drivers of the repository.
  choices: { '--diff-merges': 'off none on m first-parent 1 separate combined c dense-combined cc' },
  attached:
    '--branches --tags --remotes --no-walk --pretty --format --abbrev --decorate --notes --show-notes ' +
    '--ancestry-path --expand-tabs --show-linear-break --min-parents --max-parents',
  refused: '--show-signature --alternate-refs --remerge-diff',
}

/** Joins the lists of several groups, except `attachedRoles`, `pairs` and `runs`, which are not supported. */
export function mergeOptions(...groups: readonly OptionGroups[]): OptionGroups {
  const join = (name: 'flags' | 'values' | 'attached' | 'refused' | 'targets') =>
    groups
      .map((group) => group[name] ?? '')
      .filter((names) => names !== '')
      .join(' ')
  const roles: Record<string, string> = {}
  for (const group of groups) {
    for (const [role, names] of Object.entries(group.roles ?? {})) {
      roles[role] = [roles[role], names].filter((part) => part !== undefined).join(' ')
    }
  }
  const choices = Object.assign({}, ...groups.map((group) => group.choices ?? {}))
  return {
    ...{ flags: join('flags'), values: join('values'), attached: join('attached'), refused: join('refused') },
    targets: join('targets'),
    ...{ roles, choices },
  }
}
