/** The parts of a repository that a git command uses. Each of them can make git run a program. */
export interface GitUse {
  /** Whether the command reads the index, which queries the file system monitor. */
  readonly readsIndex: boolean
  /** Whether the command may write a refreshed index, which runs a hook. */
  readonly mayRefreshIndex: boolean
  /** Whether the command shows contents after text conversion, which may run a program. */
  readonly usesTextconv: boolean
  /** Whether the command compares contents, which may run an external diff. */
  readonly usesExternalDiff: boolean
  /** Whether the command reads files of the working tree, which pass through clean filters. */
  readonly usesCleanFilter: boolean
  /** When the command verifies signatures, which runs a program such as gpg; `if set` means if a setting demands it. */
  readonly signatures: 'never' | 'if set' | 'always'
  /** Whether the command reads objects; a partial clone fetches missing ones. */
  readonly readsObjects: boolean
  /** Whether the command enters submodules, whose settings apply there. */
  readonly entersSubmodules: boolean
  /** Whether the command compares files of older commits, whose attributes git reads at their paths in the working tree. */
  readonly readsOldAttributes: boolean
}

/** An argument of the subcommand; null for a word that is known only at run time and is not an option. */
export type GitWord = string | null

const OBJECTS_ONLY_USE: GitUse = {
  readsIndex: false,
  mayRefreshIndex: false,
  usesTextconv: false,
  usesExternalDiff: false,
  usesCleanFilter: false,
  signatures: 'never',
  readsObjects: true,
  entersSubmodules: false,
  readsOldAttributes: false,
}
const USE_OF_EVERYTHING: GitUse = {
  readsIndex: true,
  mayRefreshIndex: true,
  usesTextconv: true,
  usesExternalDiff: true,
  usesCleanFilter: true,
  signatures: 'if set',
  readsObjects: true,
  entersSubmodules: true,
  readsOldAttributes: true,
}
const INDEX_USE: GitUse = { ...OBJECTS_ONLY_USE, readsIndex: true, entersSubmodules: true, usesCleanFilter: true }
const STATUS_USE: GitUse = { ...INDEX_USE, mayRefreshIndex: true }
const COMPARISON_USE: GitUse = { ...OBJECTS_ONLY_USE, readsOldAttributes: true }
const SETTINGS_ONLY: GitUse = { ...OBJECTS_ONLY_USE, readsObjects: false }

const USE_BY_SUBCOMMAND: Readonly<Record<string, (words: readonly GitWord[]) => GitUse>> = {
  annotate: useOfBlame,
  blame: useOfBlame,
  branch: useOfReferences,
  bisect: () => OBJECTS_ONLY_USE,
  'cat-file': (words) => (hasOnlyOptions(words, CAT_FILE_OPTIONS) ? OBJECTS_ONLY_USE : USE_OF_EVERYTHING),
  'check-attr': () => ({ ...COMPARISON_USE, readsIndex: true }),
  'check-ignore': () => ({ ...OBJECTS_ONLY_USE, readsIndex: true }),
  'check-ref-format': () => SETTINGS_ONLY,
  cherry: () => COMPARISON_USE,
  column: () => SETTINGS_ONLY,
  config: () => SETTINGS_ONLY,
  'count-objects': () => SETTINGS_ONLY,
  describe: (words) => (hasOnlyOptions(words, DESCRIBE_OPTIONS) ? OBJECTS_ONLY_USE : STATUS_USE),
  diff: useOfDiff,
  'for-each-ref': useOfReferences,
  fsck: () => ({ ...OBJECTS_ONLY_USE, readsIndex: true }),
  grep: useOfGrep,
  'hash-object': () => ({ ...COMPARISON_USE, usesCleanFilter: true }),
  help: () => SETTINGS_ONLY,
  log: useOfLog,
  'ls-files': () => INDEX_USE,
  'ls-tree': () => OBJECTS_ONLY_USE,
  'merge-base': () => OBJECTS_ONLY_USE,
  'name-rev': () => OBJECTS_ONLY_USE,
  // Options may precede the verb, as in `notes --ref=x show`, and a note may be a commit, which is shown like any other.
  notes: (words) => (words.length === 0 || words[0] === 'list' ? OBJECTS_ONLY_USE : useOfShow(words)),
  reflog: useOfLog,
  remote: () => SETTINGS_ONLY,
  rerere: () => OBJECTS_ONLY_USE,
  'rev-list': (words) => ({ ...OBJECTS_ONLY_USE, signatures: findLogSignatureUse(words) }),
  'rev-parse': () => OBJECTS_ONLY_USE,
  shortlog: (words) => ({ ...OBJECTS_ONLY_USE, signatures: findLogSignatureUse(words) }),
  show: useOfShow,
  'show-branch': () => OBJECTS_ONLY_USE,
  'show-ref': () => OBJECTS_ONLY_USE,
  stash: (words) => (words[0] === 'show' ? useOfStashShow(words.slice(1)) : useOfLog(words.slice(1))),
  status: (words) => (hasOnlyOptions(words, STATUS_OPTIONS) ? STATUS_USE : USE_OF_EVERYTHING),
  stripspace: () => SETTINGS_ONLY,
  'symbolic-ref': () => SETTINGS_ONLY,
  tag: useOfReferences,
  var: () => SETTINGS_ONLY,
  version: () => SETTINGS_ONLY,
  'verify-commit': () => ({ ...OBJECTS_ONLY_USE, signatures: 'always' }),
  'verify-tag': () => ({ ...OBJECTS_ONLY_USE, signatures: 'always' }),
  worktree: () => SETTINGS_ONLY,
}

/** Returns the parts of a repository that a subcommand uses; an unknown subcommand counts as using all of them. */
export function gitUseOf(subcommand: string, words: readonly GitWord[]): GitUse {
  const use = Object.hasOwn(USE_BY_SUBCOMMAND, subcommand) ? USE_BY_SUBCOMMAND[subcommand]?.(words) : undefined
  return use ?? { ...USE_OF_EVERYTHING, signatures: findLogSignatureUse(words) }
}

// Allow lists. For an option that is abbreviated or not listed, the worst case of the subcommand is assumed.
const CAT_FILE_OPTIONS = toPattern('-t -s -e -p --batch --batch-check --batch-all-objects --unordered')
const DESCRIBE_OPTIONS = toPattern(
  '--all --tags --contains --long --always --abbrev(=.*)? --match=.* --exclude=.* --first-parent',
)
const STATUS_OPTIONS = toPattern(
  '-s --short -b --branch --porcelain(=.*)? --long -z -u.* --untracked-files(=.*)? --ignored(=.*)? -sb -bs -sbu.* ' +
    '--show-stash --ahead-behind --no-ahead-behind --column(=.*)? --no-column --renames --no-renames',
)
const GREP_OPTIONS = toPattern(
  '-[nilLcowvEFGPHhzqapeI]+ -[ABC]?\\d+ --cached --count --line-number --name-only --files-with-matches --no-color ' +
    '--ignore-case --word-regexp --untracked --heading --break --fixed-strings --extended-regexp --column --and --or --not',
)
/** Options of a history walk that show no contents. */
const WALK_OPTION = toPattern(
  '-\\d+ -n\\d* --max-count(=.*)? --oneline --graph --all --decorate(=.*)? --no-decorate --reverse --merges --no-merges ' +
    '--since=.* --until=.* --after=.* --before=.* --author=.* --committer=.* --grep=.* --branches(=.*)? --tags(=.*)? ' +
    '--remotes(=.*)? --first-parent --abbrev-commit --date=.* --format=.* --pretty(=.*)? --follow --topo-order ' +
    '--date-order --cherry --no-color --color(=.*)? -i --abbrev(=.*)? --no-walk --relative-date --full-history ' +
    '--simplify-by-decoration --boundary --left-right --show-signature',
)
/** Options that summarise changes without showing contents. */
const SUMMARY_OPTION = toPattern(
  '--stat(=.*)? --numstat --shortstat --name-only --name-status --raw --summary --no-patch -s --dirstat(=.*)? ' +
    '--compact-summary',
)
const DIFF_SHAPE_OPTIONS = toPattern(
  '--cached --staged --no-ext-diff --no-textconv -M -z -r -R --no-renames --find-renames(=.*)? --diff-filter=.* ' +
    '--relative --no-color --color(=.*)? --ignore-submodules(=.*)? --merge-base --no-commit-id --root',
)

/** Returns what `git grep` uses. Without a commit, it searches tracked files. */
function useOfGrep(words: readonly GitWord[]): GitUse {
  if (!hasOnlyOptions(words, GREP_OPTIONS)) return USE_OF_EVERYTHING
  const hasPatternOption = optionsOf(words).some((word) => /^-[^-]*e/.test(word))
  const readsOldAttributes = hasPatternOption || operandsOf(words).length > 1
  return { ...OBJECTS_ONLY_USE, readsIndex: true, readsOldAttributes }
}

/** Options of `git diff` that do not name a commit. */
const TRACKED_DIFF_OPTIONS = toPattern(
  '-p --patch --stat --numstat --shortstat --name-only --name-status -w -b -U\\d+ --no-color --color --word-diff --check',
)

function useOfDiff(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  const isStaged = options.some((word) => word === '--cached' || word === '--staged')
  const isContentShown = showsContent(options)
  return {
    ...STATUS_USE,
    mayRefreshIndex: !isStaged,
    usesTextconv: isContentShown && !isTextconvOff(options),
    usesExternalDiff: isContentShown && (!options.includes('--no-ext-diff') || mayAbbreviate(options, '--ext-diff')),
    usesCleanFilter: !isStaged,
    // Without a commit, the working tree is compared with the index.
    readsOldAttributes: isStaged || operandsOf(words).length > 0 || !hasOnlyOptions(words, TRACKED_DIFF_OPTIONS),
  }
}

/** Returns what `git log` uses. It shows contents only if an option asks for them. */
function useOfLog(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  const comparesCommits = !options.every((word) => WALK_OPTION.test(word))
  const use = useOfHistory(options, comparesCommits && showsContent(options))
  return { ...use, readsOldAttributes: comparesCommits || options.includes('--follow') }
}

function useOfShow(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  return useOfHistory(options, showsContent(options))
}

/**
 * Returns what a command that shows history uses. By default it applies text conversions, but external diffs only with
 * `--ext-diff`.
 */
function useOfHistory(options: readonly string[], isContentShown: boolean): GitUse {
  return {
    ...COMPARISON_USE,
    usesTextconv: isContentShown && !isTextconvOff(options),
    usesExternalDiff: isContentShown && mayAbbreviate(options, '--ext-diff'),
    signatures: findLogSignatureUse(options),
    entersSubmodules: isContentShown,
  }
}

function useOfStashShow(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  const isPlain = options.every((word) => word === '-p' || word === '--patch' || SUMMARY_OPTION.test(word))
  return isPlain ? COMPARISON_USE : USE_OF_EVERYTHING
}

function useOfBlame(): GitUse {
  return { ...COMPARISON_USE, readsIndex: true, usesTextconv: true, usesCleanFilter: true }
}

function useOfReferences(words: readonly GitWord[]): GitUse {
  return { ...OBJECTS_ONLY_USE, signatures: findSignatureUse(words) }
}

/** Returns the words before `--` that start with a dash. */
function optionsOf(words: readonly GitWord[]): readonly string[] {
  return listWordsBeforePaths(words).filter((word) => word?.startsWith('-')) as string[]
}

/** Returns the words before `--` that are not options: commits, paths, and values of options. */
function operandsOf(words: readonly GitWord[]): readonly GitWord[] {
  return listWordsBeforePaths(words).filter((word) => word?.startsWith('-') !== true)
}

function listWordsBeforePaths(words: readonly GitWord[]): readonly GitWord[] {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? words.length : end)
}

function hasOnlyOptions(words: readonly GitWord[], allowedOption: RegExp): boolean {
  return optionsOf(words).every((word) => allowedOption.test(word))
}

/** Whether contents are shown: a summary option hides them unless another option shows them. */
function showsContent(options: readonly string[]): boolean {
  const isSummary = options.some((word) => SUMMARY_OPTION.test(word))
  return (
    !isSummary ||
    !options.every((word) => SUMMARY_OPTION.test(word) || DIFF_SHAPE_OPTIONS.test(word) || WALK_OPTION.test(word))
  )
}

function isTextconvOff(options: readonly string[]): boolean {
  return options.includes('--no-textconv') && !mayAbbreviate(options, '--textconv')
}

/** Whether one of the options is a prefix of `name`, which git accepts as an abbreviation. */
function mayAbbreviate(options: readonly string[], name: string): boolean {
  return options.some((word) => word.length > 2 && name.startsWith(word))
}

/** Like `findSignatureUse`, for commands such as `git log`, where a setting or a format from the settings may ask for it, too. */
function findLogSignatureUse(words: readonly GitWord[]): GitUse['signatures'] {
  return findSignatureUse(words) === 'always' ? 'always' : 'if set'
}

/** Returns when a command verifies signatures. A placeholder such as `%G?`, or one that is not listed, makes it verify them. */
function findSignatureUse(words: readonly GitWord[]): GitUse['signatures'] {
  return words.some((word) => word !== null && mayVerify(word)) ? 'always' : 'never'
}

/** Options whose value is not a format for commits and references. */
const OPTION_WITHOUT_FORMAT = /^--(?:date|since|until|after|before|author|committer|grep|dirstat|find-renames)=/
const PLACEHOLDERS = createPlaceholderPattern()

function mayVerify(word: string): boolean {
  if (word.startsWith('--show-sig')) return true
  return word.includes('%') && !OPTION_WITHOUT_FORMAT.test(word) && word.replace(PLACEHOLDERS, '').includes('%')
}

function createPlaceholderPattern(): RegExp {
  const commit = '[HhTtPpDdSesfbBNm]|[ac](?:[nNeElLdDrtiIsh])|g[DdnNeEs]|n|x[0-9a-fA-F]{2}'
  const layout =
    'w\\([\\d, ]*\\)|[<>|]{1,3}\\([\\d, a-z]*\\)|C(?:reset|bold|dim|red|green|blue|yellow|cyan|magenta|white|black|\\([\\w #,]*\\))'
  const fields =
    'refname|object(?:name|type|size)|deltabase|tree|parent|numparent|object|type|tag|HEAD|symref|upstream|push|worktreepath|' +
    '(?:author|committer|tagger|creator)(?:name|email|date)?|subject|body|contents|flag|align|end|if|then|else|color|' +
    'ahead-behind|describe|decorate'
  const field = `\\(\\*?(?:${fields})(?::[\\w:=,. %/-]*)?\\)`
  return new RegExp(`%(?:%|[-+ ]?(?:${commit}|${layout}|${field}))`, 'g')
}

function toPattern(words: string): RegExp {
  return new RegExp(`^(?:${words.split(' ').join('|')})$`, 's')
}
