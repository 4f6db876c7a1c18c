import type { CommandSpec, CommandUsage, OptionGroups } from '../command-spec.js'
import { DIFF_OPTIONS, together, WALK_OPTIONS } from './git-options.js'

const LOG_OPTIONS = together(WALK_OPTIONS, DIFF_OPTIONS)

/** A subcommand that reads the repository: its settings can make it run programs. */
function reading(
  options: OptionGroups,
  operands: CommandUsage['operands'] = [],
  more: CommandUsage = {},
): CommandUsage {
  const flags = [options.flags, '-h'].filter((names) => names !== undefined).join(' ')
  return { ...more, usesRepository: true, options: { ...options, flags }, operands }
}

const REFERENCE_FILTERS = '--contains --no-contains --merged --no-merged --points-at'

const log = reading(LOG_OPTIONS, ['reads...'])
const blame = reading(
  {
    flags:
      '-b --root -t -f --show-name -n --show-number -s -e --show-email -w -l -c -p --porcelain --line-porcelain ' +
      '--incremental --show-stats --score-debug --progress --no-progress --color-lines --color-by-age --minimal ' +
      '--first-parent -k',
    values: '-L --ignore-rev --date --since --encoding',
    attached: '-M -C --abbrev',
    roles: { reads: '--contents --ignore-revs-file -S' },
  },
  ['reads...'],
)
const diffPlumbing = reading(
  together(DIFF_OPTIONS, {
    flags: '-r -t -m -c --cc --root --stdin --always --no-commit-id --cached --merge-base -q -v --combined-all-paths',
    attached: '--pretty --format',
  }),
  ['reads...'],
)

const history: Readonly<Record<string, CommandUsage>> = {
  annotate: blame,
  blame,
  cherry: reading({ flags: '-v', attached: '--abbrev' }, ['text...']),
  describe: reading(
    {
      flags: '--all --tags --contains --long --always --first-parent --exact-match --debug',
      values: '--candidates --match --exclude',
      attached: '--abbrev --dirty --broken',
    },
    ['text...'],
  ),
  log,
  'merge-base': reading({ flags: '-a --all --octopus --independent --is-ancestor --fork-point' }, ['text...']),
  'name-rev': reading(
    {
      flags: '--tags --all --stdin --annotate-stdin --name-only --no-undefined --undefined --always',
      values: '--refs --exclude',
    },
    ['text...'],
  ),
  'range-diff': reading(
    together(DIFF_OPTIONS, {
      flags: '--no-dual-color --dual-color --left-only --right-only --no-notes',
      attached: '--notes',
      values: '--creation-factor',
    }),
    ['text...'],
  ),
  reflog: {
    usesRepository: true,
    options: LOG_OPTIONS,
    subcommands: { '': {}, show: log, exists: { operands: ['text'] }, list: {} },
  },
  'rev-list': reading(
    together(WALK_OPTIONS, {
      flags: '--count --objects --objects-edge --no-object-names --header --timestamp --use-bitmap-index --quiet',
      attached: '--disk-usage --filter',
    }),
    ['text...'],
  ),
  shortlog: reading(
    together(WALK_OPTIONS, {
      flags: '-n --numbered -s --summary -e --email -c --committer',
      values: '--group',
      attached: '-w',
    }),
    ['text...'],
  ),
  show: log,
  'show-branch': reading(
    {
      flags:
        '-a --all -r --remotes --current --topo-order --date-order --sparse --no-name --sha1-name --list ' +
        '--independent --merge-base --topics --no-color',
      attached: '--more --color -g --reflog',
    },
    ['text...'],
  ),
  stash: {
    usesRepository: true,
    subcommands: {
      list: log,
      show: reading(together(DIFF_OPTIONS, { flags: '--include-untracked --only-untracked' }), ['text']),
    },
  },
  'verify-commit': reading({ flags: '-v --verbose --raw' }, ['text...']),
  'verify-tag': reading({ flags: '-v --verbose --raw', values: '--format' }, ['text...']),
  whatchanged: log,
}

const tree: Readonly<Record<string, CommandUsage>> = {
  apply: reading(
    { flags: '--stat --numstat --summary --check -z -v --verbose -R --reverse', attached: '-p -C' },
    ['reads...'],
    { requires: ['--stat --numstat --summary --check'] },
  ),
  'check-attr': reading({ flags: '-a --all --cached -z --stdin', values: '--source' }, ['text...']),
  'check-ignore': reading({ flags: '-q --quiet -v --verbose -z --stdin -n --non-matching --no-index' }, ['text...']),
  diff: reading(
    together(DIFF_OPTIONS, {
      flags: '--cached --staged --merge-base --no-index --base --ours --theirs -# -t -r -c --cc',
    }),
    ['reads...'],
  ),
  'diff-files': diffPlumbing,
  'diff-index': diffPlumbing,
  'diff-tree': diffPlumbing,
  grep: reading(
    {
      flags:
        '--cached --untracked --no-index --recurse-submodules --exclude-standard --no-exclude-standard -v ' +
        '--invert-match -i --ignore-case -w --word-regexp -a --text -I -r --recursive --no-recursive -H ' +
        '--full-name -E --extended-regexp -G --basic-regexp -F --fixed-strings -P --perl-regexp -n --line-number ' +
        '--column -l --files-with-matches --name-only -L --files-without-match -z --null -o --only-matching -c ' +
        '--count --no-color --break --heading -p --show-function -W --function-context --and --or --not --all-match ' +
        '-q --quiet -#',
      values: '-m --max-count --max-depth -A --after-context -B --before-context -C --context --threads -e',
      roles: { reads: '-f' },
      attached: '--color',
      refused: '-O --open-files-in-pager --textconv',
    },
    ['text', 'tree...'],
    { operandsWith: [{ options: '-e -f', operands: ['tree...'] }] },
  ),
  'hash-object': reading({ flags: '--stdin --stdin-paths --no-filters --literally', values: '-t --path' }, [
    'reads...',
  ]),
  'ls-files': reading(
    {
      flags:
        '-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed -t -v ' +
        '-f -z --directory --no-empty-directory --eol --deduplicate --full-name --recurse-submodules ' +
        '--error-unmatch --debug --sparse --exclude-standard --resolve-undo',
      values: '-x --exclude --with-tree --format --exclude-per-directory',
      attached: '--abbrev',
      roles: { reads: '-X --exclude-from' },
    },
    ['text...'],
  ),
  status: reading(
    {
      flags:
        '-s --short -b --branch --show-stash --long -v --verbose -z --ahead-behind --no-ahead-behind --renames ' +
        '--no-renames --no-column',
      attached: '--porcelain -u --untracked-files --ignored --ignore-submodules --column --find-renames -M',
    },
    ['text...'],
  ),
  submodule: {
    usesRepository: true,
    options: { flags: '-q --quiet' },
    subcommands: { '': {}, status: reading({ flags: '--cached --recursive -q --quiet' }, ['text...']) },
  },
}

const references: Readonly<Record<string, CommandUsage>> = {
  branch: reading(
    {
      flags:
        '-a --all -r --remotes -l --list -v --verbose -i --ignore-case --show-current --no-color --no-column ' +
        '--omit-empty --no-abbrev',
      values: `${REFERENCE_FILTERS} --sort --format`,
      attached: '--color --abbrev --column',
    },
    [],
    { operandsWith: [{ options: `-l --list ${REFERENCE_FILTERS}`, operands: ['text...'] }] },
  ),
  'for-each-ref': reading(
    {
      flags: '-s --shell -p --perl --python --tcl --ignore-case --stdin --omit-empty --include-root-refs',
      values: `${REFERENCE_FILTERS} --sort --format --count --exclude`,
      attached: '--color',
    },
    ['text...'],
  ),
  notes: {
    usesRepository: true,
    options: { values: '--ref' },
    subcommands: {
      '': {},
      list: { operands: ['text'] },
      show: { usesRepository: true, operands: ['text'] },
      'get-ref': {},
    },
  },
  remote: {
    usesRepository: true,
    options: { flags: '-v --verbose' },
    subcommands: {
      '': {},
      'get-url': { options: { flags: '--push --all' }, operands: ['text'] },
      show: { options: { flags: '-n' }, operandsWith: [{ options: '-n', operands: ['text...'] }] },
    },
  },
  'show-ref': reading(
    {
      flags: '--head --heads --branches --tags -d --dereference --verify -q --quiet --exists',
      attached: '-s --hash --abbrev --exclude-existing',
    },
    ['text...'],
  ),
  'symbolic-ref': reading({ flags: '-q --quiet --short --recurse --no-recurse' }, ['text']),
  tag: reading(
    {
      flags: '-l --list -i --ignore-case --no-color --no-column --omit-empty',
      values: `${REFERENCE_FILTERS} --sort --format`,
      attached: '-n --column --color',
    },
    [],
    { operandsWith: [{ options: `-l --list -n ${REFERENCE_FILTERS}`, operands: ['text...'] }] },
  ),
  worktree: {
    usesRepository: true,
    subcommands: { list: { options: { flags: '-v --verbose --porcelain -z', values: '--expire' } } },
  },
}

const plumbing: Readonly<Record<string, CommandUsage>> = {
  archive: reading({ flags: '-l --list' }, [], { requires: ['-l --list'] }),
  bisect: { usesRepository: true, subcommands: { log: {} } },
  bundle: {
    usesRepository: true,
    subcommands: {
      'list-heads': { operands: ['reads', 'text...'] },
      verify: { options: { flags: '-q --quiet' }, operands: ['reads'] },
    },
  },
  'cat-file': reading(
    {
      flags:
        '-t -s -e -p --batch-all-objects --buffer --unordered --follow-symlinks --allow-unknown-type --mailmap ' +
        '--use-mailmap --no-mailmap -z -Z',
      attached: '--batch --batch-check --batch-command',
      refused: '--textconv --filters',
    },
    ['text...'],
  ),
  'check-mailmap': reading({ flags: '--stdin' }, ['text...']),
  'check-ref-format': reading(
    { flags: '--branch --normalize --allow-onelevel --no-allow-onelevel --refspec-pattern' },
    ['text'],
  ),
  column: reading({ attached: '--mode --raw-mode --width --indent --nl --padding --command' }),
  config: reading(
    {
      flags:
        '-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --show-origin ' +
        '--show-scope --name-only -z --null --local --global --system --worktree --includes --no-includes --bool ' +
        '--int --bool-or-int --bool-or-str --path --expiry-date --no-type --fixed-value',
      values: '--type --default --blob',
      roles: { reads: '-f --file' },
    },
    ['setting'],
    {
      operandsWith: [
        { options: '-l --list', operands: [] },
        {
          options: '--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool',
          operands: ['text', 'text', 'text'],
        },
      ],
    },
  ),
  'count-objects': reading({ flags: '-v --verbose -H --human-readable' }),
  fsck: reading(
    {
      flags:
        '--unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --full --no-full ' +
        '--connectivity-only --strict -v --verbose --progress --no-progress --name-objects',
      refused: '--lost-found',
    },
    ['text...'],
  ),
  'get-tar-commit-id': reading({}),
  help: reading(
    { flags: '-a --all -g --guides -c --config --no-verbose --verbose --no-external-commands --no-aliases' },
    [],
    { requires: ['-a --all -g --guides -c --config'] },
  ),
  'ls-tree': reading(
    {
      flags: '-d -r -t -l --long -z --name-only --name-status --object-only --full-name --full-tree',
      values: '--format',
      attached: '--abbrev',
    },
    ['text...'],
  ),
  'patch-id': reading({ flags: '--stable --unstable --verbatim' }),
  rerere: { usesRepository: true, subcommands: { status: {}, remaining: {}, diff: {} } },
  'rev-parse': reading(
    {
      flags:
        '--verify -q --quiet --sq --symbolic --symbolic-full-name --all --git-dir --absolute-git-dir ' +
        '--git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository ' +
        '--show-toplevel --show-cdup --show-prefix --show-superproject-working-tree --shared-index-path --revs-only ' +
        '--no-revs --flags --no-flags --not --local-env-vars --end-of-options --show-ref-format',
      values: '--default --prefix --git-path',
      attached:
        '--short --abbrev-ref --branches --tags --remotes --show-object-format --disambiguate --path-format --since ' +
        '--until --after --before --glob --exclude',
    },
    ['text...'],
  ),
  'sparse-checkout': { usesRepository: true, subcommands: { list: {} } },
  stripspace: reading({ flags: '-s --strip-comments -c --comment-lines' }),
  var: reading({ flags: '-l' }, ['text']),
  'verify-pack': reading({ flags: '-v --verbose -s --stat-only' }, ['reads...']),
  version: { options: { flags: '--build-options' } },
}

/** Git, from the manual pages of its subcommands. Options are never abbreviated here: one that is not listed is refused. */
export const git: readonly CommandSpec[] = [
  {
    names: 'git',
    manual: 'git(1)',
    isObserved: true,
    options: {
      flags:
        '--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs ' +
        '--no-replace-objects --no-lazy-fetch --no-advice --html-path --man-path --info-path -v -h',
      roles: {
        here: '-C',
        refused: '-c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --list-cmds',
      },
      refused: '-p --paginate --exec-path --bare',
    },
    subcommands: { '': {}, ...history, ...tree, ...references, ...plumbing },
    examples: [
      'git --version',
      'git annotate README.md',
      'git apply --stat docs/fix.patch',
      'git apply --check docs/fix.patch',
      'git archive --list',
      'git blame -e README.md',
      'git blame -L1,2 src/utils.js',
      'git branch',
      'git branch -a',
      'git branch -vv',
      "git branch --list 'top*'",
      'git branch --contains HEAD~1',
      'git branch --show-current',
      'git cat-file -p HEAD',
      'git cat-file -t HEAD',
      'git cat-file --batch-check --batch-all-objects',
      'git check-attr -a README.md',
      'git check-ignore -v node_modules',
      'git check-mailmap "A <a@example.com>"',
      'git check-ref-format --branch main',
      'git cherry main topic',
      'git column --mode=column </dev/null',
      'git config --list --show-origin',
      'git config --get user.name',
      'git config remote.origin.url',
      'git count-objects -vH',
      'git describe --tags --always',
      'git describe --dirty',
      'git diff',
      'git diff --cached',
      'git diff --staged --stat',
      'git diff --word-diff HEAD~1',
      'git diff -M HEAD~2..HEAD -- src/',
      'git diff --no-index a.txt b.txt',
      'git diff-files',
      'git diff-index --cached HEAD',
      'git diff-tree --no-commit-id --name-only -r HEAD',
      "git for-each-ref --format='%(refname:short)' refs/heads",
      'git fsck --no-dangling',
      'git grep -n TODO',
      'git grep -e TODO -- src',
      'git hash-object README.md',
      'git help -a',
      'git log',
      'git log --oneline -5',
      'git log --graph --decorate --all -20',
      'git log -p -1',
      'git log --stat -2 -- src',
      'git log --follow -- src/utils.js',
      'git log -L1,2:src/utils.js',
      "git log -S'three' --oneline",
      'git log --format=%an',
      'git log --since="2 weeks ago"',
      'git ls-files',
      'git ls-files -m',
      'git ls-files --others --exclude-standard',
      'git ls-tree -r HEAD',
      'git merge-base main topic',
      'git name-rev HEAD',
      'git notes list',
      'git notes show HEAD',
      'git patch-id </dev/null',
      'git range-diff HEAD~2 HEAD~1 HEAD',
      'git reflog -5',
      'git reflog show main',
      'git remote -v',
      'git remote show',
      'git remote get-url origin',
      'git remote show -n origin',
      'git rerere status',
      'git rev-list --count HEAD',
      'git rev-parse --short HEAD',
      'git rev-parse --git-dir',
      'git shortlog -sn HEAD',
      'git show',
      'git show --stat HEAD~1',
      'git show HEAD:src/utils.js',
      'git show v1.1.0',
      'git show-branch --all --list',
      'git show-ref --heads',
      'git stash list',
      'git stash show -p',
      'git status',
      'git status -sb',
      'git status --porcelain=v2',
      'git stripspace </dev/null',
      'git submodule status',
      'git symbolic-ref --short HEAD',
      'git tag',
      'git tag -n',
      "git tag -l 'v1*'",
      'git tag --points-at HEAD',
      'git var GIT_AUTHOR_IDENT',
      'git verify-commit HEAD',
      'git version --build-options',
      'git whatchanged -1',
      'git worktree list',
    ],
  },
]
