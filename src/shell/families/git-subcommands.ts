import type { CommandUsage, OptionGroups } from '../programs/command-spec.js'
import { DIFF_OPTIONS, mergeOptions, WALK_OPTIONS } from './git-options.js'

const LOG_OPTIONS = mergeOptions(WALK_OPTIONS, DIFF_OPTIONS, { values: '--decorate-refs --decorate-refs-exclude -L' })

/**
 * Returns the usage of a subcommand that only reads the repository, apart from programs that the repository's settings make
 * git run.
 */
function createReadOnlyUsage(
  options: OptionGroups,
  operands: CommandUsage['operands'] = [],
  extraUsage: CommandUsage = {},
): CommandUsage {
  const flags = [options.flags, '-h'].filter((names) => names !== undefined).join(' ')
  return { ...extraUsage, usesRepository: true, options: { ...options, flags }, operands }
}

/** The usage of a subcommand that runs programs named by its arguments, a file or a setting. */
const RUNS_OTHER_PROGRAMS: CommandUsage = { risk: 'runs another program', runsUnknown: true, operands: ['text...'] }

const REFERENCE_FILTERS = '--contains --no-contains --merged --no-merged --points-at'

const log = createReadOnlyUsage(LOG_OPTIONS, ['reads...'])
const blame = createReadOnlyUsage(
  {
    flags:
      '-b --root -t -f --show-name -n --show-number -s -e --show-email -w -l -c -p --porcelain --line-porcelain ' +
      '--incremental --show-stats --score-debug --progress --no-progress --color-lines --color-by-age --minimal ' +
      '--first-parent -k --reverse',
    values: '-L --ignore-rev --date --since --encoding',
    attached: '-M -C --abbrev',
    // Git looks for these files in the root of the repository, not in the working folder.
    refused: '--contents --ignore-revs-file -S',
  },
  ['reads...'],
)
const diffPlumbing = createReadOnlyUsage(
  mergeOptions(DIFF_OPTIONS, {
    flags: '-r -t -m -c --cc --root --stdin --always --no-commit-id --cached --merge-base -q -v --combined-all-paths',
    attached: '--pretty --format',
  }),
  ['reads...'],
)

const createHistoryUsages = (): Readonly<Record<string, CommandUsage>> => ({
  annotate: blame,
  blame,
  cherry: createReadOnlyUsage({ flags: '-v', attached: '--abbrev' }, ['text...']),
  describe: createReadOnlyUsage(
    {
      flags: '--all --tags --contains --long --always --first-parent --exact-match --debug',
      values: '--candidates --match --exclude',
      // `--dirty` and `--broken` would refresh the file times cached in the index, but a sandbox keeps them from writing;
      // without one they need approval.
      attached: '--abbrev --dirty --broken',
    },
    ['text...'],
  ),
  log,
  'merge-base': createReadOnlyUsage({ flags: '-a --all --octopus --independent --is-ancestor --fork-point' }, [
    'text...',
  ]),
  'name-rev': createReadOnlyUsage(
    {
      flags: '--tags --all --stdin --annotate-stdin --name-only --no-undefined --undefined --always',
      values: '--refs --exclude',
    },
    ['text...'],
  ),
  'range-diff': createReadOnlyUsage(
    mergeOptions(DIFF_OPTIONS, {
      flags: '--no-dual-color --dual-color --left-only --right-only --no-notes',
      attached: '--notes',
      values: '--creation-factor',
    }),
    ['text...'],
  ),
  reflog: {
    usesRepository: true,
    options: LOG_OPTIONS,
    // Any other word is the reference whose log is shown; only common references are listed.
    subcommands: { '': {}, show: log, HEAD: log, main: log, master: log, exists: { operands: ['text'] }, list: {} },
  },
  'rev-list': createReadOnlyUsage(
    mergeOptions(WALK_OPTIONS, {
      flags: '--count --objects --objects-edge --no-object-names --header --timestamp --use-bitmap-index --quiet',
      attached: '--disk-usage --filter',
    }),
    ['text...'],
  ),
  shortlog: createReadOnlyUsage(
    {
      flags:
        '-n --numbered -s --summary -e --email -c --committer --all --no-merges --merges --first-parent --reverse ' +
        '--not --cherry-pick --left-only --right-only --full-history -i --regexp-ignore-case -E -F --invert-grep',
      values: '--group --since --after --until --before --author --grep --max-count --skip --date',
      attached: '-w --format --branches --tags --remotes --abbrev',
    },
    ['text...'],
  ),
  show: log,
  'show-branch': createReadOnlyUsage(
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
      // Git passes words after `--` on to `git log`, where they may be options again, so no operands are allowed.
      list: createReadOnlyUsage(LOG_OPTIONS),
      show: createReadOnlyUsage(mergeOptions(DIFF_OPTIONS, { flags: '--include-untracked --only-untracked' }), [
        'text',
      ]),
    },
  },
  'verify-commit': createReadOnlyUsage({ flags: '-v --verbose --raw' }, ['text...']),
  'verify-tag': createReadOnlyUsage({ flags: '-v --verbose --raw', values: '--format' }, ['text...']),
  whatchanged: log,
})

const createTreeUsages = (): Readonly<Record<string, CommandUsage>> => ({
  apply: createReadOnlyUsage(
    { flags: '--stat --numstat --summary --check -z -v --verbose -R --reverse', attached: '-p -C' },
    ['reads...'],
    { requires: ['--stat --numstat --summary --check'] },
  ),
  // Git reads the attributes in the folders of the paths, even through links.
  'check-attr': createReadOnlyUsage({ flags: '-a --all --cached -z', values: '--source' }, ['attributed...']),
  'check-ignore': createReadOnlyUsage(
    { flags: '-q --quiet -v --verbose -z --stdin -n --non-matching --no-index' },
    ['text...'],
    {
      hasOnlyHarmlessOptions: true,
    },
  ),
  clean: createReadOnlyUsage({ flags: '-n --dry-run -d -x -X -q --quiet', values: '-e --exclude' }, ['text...'], {
    requires: ['-n --dry-run'],
  }),
  diff: createReadOnlyUsage(
    mergeOptions(DIFF_OPTIONS, {
      flags: '--cached --staged --merge-base --no-index --base --ours --theirs -# -t -r -c --cc',
    }),
    ['reads...'],
    { operandCases: [{ options: '--no-index', operands: ['attributed...'] }] },
  ),
  'diff-files': diffPlumbing,
  'diff-index': diffPlumbing,
  'diff-tree': diffPlumbing,
  grep: createReadOnlyUsage(
    {
      flags:
        '--cached --untracked --exclude-standard -v ' +
        '--invert-match -i --ignore-case -w --word-regexp -a --text -I -r --recursive --no-recursive -H ' +
        '--full-name -E --extended-regexp -G --basic-regexp -F --fixed-strings -P --perl-regexp -n --line-number ' +
        '--column -l --files-with-matches --name-only -L --files-without-match -z --null -o --only-matching -c ' +
        '--count --no-color --break --heading -p --show-function -W --function-context --and --or --not --all-match ' +
        '-q --quiet -#',
      values: '-m --max-count --max-depth -A --after-context -B --before-context -C --context --threads -e',
      roles: { reads: '-f' },
      attached: '--color',
      // In an old commit, `--recurse-submodules` enters folders that are not examined. The others may enter ignored folders,
      // in which the attributes that git reads are not examined either.
      refused: '--textconv --recurse-submodules --no-index --no-exclude-standard',
      runs: '-O --open-files-in-pager',
    },
    ['text', 'tree...'],
    { operandCases: [{ options: '-e -f', operands: ['tree...'] }] },
  ),
  'hash-object': createReadOnlyUsage(
    {
      flags: '--stdin --no-filters --literally',
      values: '-t',
      roles: { attributed: '--path' },
      refused: '--stdin-paths',
    },
    ['attributed...'],
  ),
  'ls-files': createReadOnlyUsage(
    {
      flags:
        '-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed -t -v ' +
        '-f -z --directory --no-empty-directory --eol --deduplicate --full-name --recurse-submodules ' +
        '--error-unmatch --debug --sparse --exclude-standard --resolve-undo',
      values: '-x --exclude --with-tree --format',
      attached: '--abbrev',
      roles: { reads: '-X --exclude-from' },
      // Git opens the file of this name in every folder. For the usual name, these files are examined.
      choices: { '--exclude-per-directory': '.gitignore' },
    },
    ['text...'],
    // In ignored folders, the attributes that git reads for `--eol` are not examined.
    { exclusivePairs: [['--eol', '-o --others -i --ignored -k --killed']] },
  ),
  status: createReadOnlyUsage(
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
    subcommands: {
      '': {},
      status: createReadOnlyUsage({ flags: '--cached --recursive -q --quiet' }, ['text...']),
      foreach: RUNS_OTHER_PROGRAMS,
    },
  },
})

/** Options that run a program which their value names. */
const RUNNING_OPTIONS: Readonly<Record<string, string>> = {
  clone: '--upload-pack -u --config -c --template',
  fetch: '--upload-pack',
  pull: '--upload-pack',
  push: '--receive-pack --exec',
}

/** Commands with effects that only print their usage if `-h` is the only argument. */
const HELP_ONLY_USAGES: Readonly<Record<string, CommandUsage>> = Object.fromEntries(
  'add am checkout cherry-pick clone commit fetch gc init merge mv pull push reset restore revert rm switch'
    .split(' ')
    .map((name) => [
      name,
      { usesRepository: true, options: { flags: '-h', runs: RUNNING_OPTIONS[name] ?? '' }, requires: ['-h'] },
    ]),
)

const createReferenceUsages = (): Readonly<Record<string, CommandUsage>> => ({
  branch: createReadOnlyUsage(
    {
      flags:
        '-a --all -r --remotes -l --list -v --verbose -i --ignore-case --show-current --no-color --no-column ' +
        '--omit-empty --no-abbrev',
      values: `${REFERENCE_FILTERS} --sort --format`,
      attached: '--color --abbrev --column',
    },
    [],
    { operandCases: [{ options: `-l --list ${REFERENCE_FILTERS}`, operands: ['text...'] }] },
  ),
  'for-each-ref': createReadOnlyUsage(
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
      show: { options: { flags: '-n' }, operandCases: [{ options: '-n', operands: ['text...'] }] },
    },
  },
  'show-ref': createReadOnlyUsage(
    {
      flags: '--head --heads --branches --tags -d --dereference --verify -q --quiet --exists',
      attached: '-s --hash --abbrev --exclude-existing',
    },
    ['text...'],
  ),
  'symbolic-ref': createReadOnlyUsage({ flags: '-q --quiet --short --recurse --no-recurse' }, ['text']),
  tag: createReadOnlyUsage(
    {
      flags: '-l --list -i --ignore-case --no-color --no-column --omit-empty',
      values: `${REFERENCE_FILTERS} --sort --format`,
      attached: '-n --column --color',
    },
    [],
    { operandCases: [{ options: `-l --list -n ${REFERENCE_FILTERS}`, operands: ['text...'] }] },
  ),
  worktree: {
    usesRepository: true,
    subcommands: { list: { options: { flags: '-v --verbose --porcelain -z', values: '--expire' } } },
  },
})

const createPlumbingUsages = (): Readonly<Record<string, CommandUsage>> => ({
  archive: createReadOnlyUsage({ flags: '-l --list', targets: '-o --output', runs: '--exec' }, [], {
    requires: ['-l --list'],
  }),
  bisect: { usesRepository: true, subcommands: { log: {}, run: RUNS_OTHER_PROGRAMS } },
  bundle: {
    usesRepository: true,
    subcommands: {
      'list-heads': { operands: ['reads', 'text...'] },
      verify: { options: { flags: '-q --quiet' }, operands: ['reads'] },
    },
  },
  'cat-file': createReadOnlyUsage(
    {
      flags:
        '-t -s -e -p --batch-all-objects --buffer --unordered --follow-symlinks --allow-unknown-type --mailmap ' +
        '--use-mailmap --no-mailmap -z -Z',
      attached: '--batch --batch-check --batch-command',
      refused: '--textconv --filters',
    },
    ['text...'],
  ),
  'check-mailmap': createReadOnlyUsage({ flags: '--stdin' }, ['text...']),
  'check-ref-format': createReadOnlyUsage(
    { flags: '--branch --normalize --allow-onelevel --no-allow-onelevel --refspec-pattern' },
    ['text'],
  ),
  column: createReadOnlyUsage({ attached: '--mode --raw-mode --width --indent --nl --padding --command' }),
  config: createReadOnlyUsage(
    {
      flags:
        '-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --show-origin ' +
        '--show-scope --name-only -z --null --local --global --system --worktree --no-includes --bool ' +
        '--int --bool-or-int --bool-or-str --path --expiry-date --no-type --fixed-value',
      values: '--type --default --blob',
      roles: { reads: '-f --file' },
    },
    ['setting'],
    {
      operandCases: [
        { options: '-l --list', operands: [] },
        { options: '--get-regexp', operands: ['text', 'text'] },
        {
          options: '--get --get-all --get-urlmatch --get-color --get-colorbool',
          operands: ['setting', 'text', 'text'],
        },
      ],
      // The settings of the user may contain credentials.
      // A pattern can select a single credential. A list shows the settings of the user too, but the sandbox hides their file
      // if it contains credentials, and without a sandbox the user is asked.
      conditionalRequirements: [['--get-regexp', '--local --worktree -f --file --blob']],
      changesOtherwise: '.git/config',
    },
  ),
  'count-objects': createReadOnlyUsage({ flags: '-v --verbose -H --human-readable' }),
  fsck: createReadOnlyUsage(
    {
      flags:
        '--unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --full --no-full ' +
        '--connectivity-only --strict -v --verbose --progress --no-progress --name-objects',
      refused: '--lost-found',
    },
    ['text...'],
  ),
  // Options with a separate value are not listed: `-n` numbers patches here, but is a count for other subcommands.
  'format-patch': createReadOnlyUsage(
    {
      flags:
        '--stdout -# --root -k --keep-subject -N --no-numbered --no-signature --no-stat -p --no-patch --zero-commit ' +
        '--no-binary --no-renames',
      attached: '-U --unified --stat',
      targets: '-o --output-directory --output',
    },
    ['text...'],
    { requires: ['--stdout'] },
  ),
  'get-tar-commit-id': createReadOnlyUsage({}),
  help: createReadOnlyUsage({
    flags: '-a --all -g --guides -c --config --no-verbose --verbose --no-external-commands --no-aliases',
  }),
  'ls-remote': createReadOnlyUsage({ flags: '--get-url', runs: '--upload-pack --exec' }, ['text'], {
    requires: ['--get-url'],
  }),
  'ls-tree': createReadOnlyUsage(
    {
      flags: '-d -r -t -l --long -z --name-only --name-status --object-only --full-name --full-tree',
      values: '--format',
      attached: '--abbrev',
    },
    ['text...'],
  ),
  'merge-file': createReadOnlyUsage(
    {
      flags: '-p --stdout -q --quiet --diff3 --zdiff3 --ours --theirs --union',
      values: '-L --marker-size',
    },
    ['reads', 'reads', 'reads'],
    { requires: ['-p --stdout'] },
  ),
  'patch-id': createReadOnlyUsage({ flags: '--stable --unstable --verbatim' }),
  replace: createReadOnlyUsage({ flags: '-l --list', values: '--format' }, [], {
    operandCases: [{ options: '-l --list', operands: ['text'] }],
  }),
  // Excluded: `diff`, because it opens whatever paths the file MERGE_RR lists, even outside the working tree.
  rerere: { usesRepository: true, subcommands: { status: {}, remaining: {} } },
  'rev-parse': createReadOnlyUsage(
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
  'show-index': createReadOnlyUsage({ values: '--object-format' }),
  'sparse-checkout': { usesRepository: true, subcommands: { list: {} } },
  stripspace: createReadOnlyUsage({ flags: '-s --strip-comments -c --comment-lines' }),
  version: { options: { flags: '--build-options' } },
})

/**
 * Returns the analysed subcommands of git, based on their manuals. Abbreviated options are refused, like all unlisted ones.
 */
export const createGitSubcommands = (): Readonly<Record<string, CommandUsage>> => ({
  '': {},
  difftool: RUNS_OTHER_PROGRAMS,
  'filter-branch': RUNS_OTHER_PROGRAMS,
  'for-each-repo': RUNS_OTHER_PROGRAMS,
  mergetool: RUNS_OTHER_PROGRAMS,
  rebase: { risk: 'rewrites history', options: { runs: '-x --exec' }, operands: ['text...'] },
  ...createHistoryUsages(),
  ...createTreeUsages(),
  ...createReferenceUsages(),
  ...createPlumbingUsages(),
  ...HELP_ONLY_USAGES,
})
