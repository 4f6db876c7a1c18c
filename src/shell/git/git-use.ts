/** Which parts of a repository a git command uses that can make git run a program. */
export interface GitUse {
  /** Reads the index, which queries the file system monitor. */
  readonly index: boolean
  /** May write a refreshed index, which runs a hook. */
  readonly refresh: boolean
  /** Shows contents, which pass through text conversions. */
  readonly textconv: boolean
  /** Shows contents, which an external diff may compare. */
  readonly externalDiff: boolean
  /** Reads files of the working tree, which pass through clean filters. */
  readonly cleanFilter: boolean
  /** Verifies signatures with an external program: always, or if a setting asks for it. */
  readonly signatures: 'never' | 'if set' | 'always'
  /** Reads objects; a partial clone fetches missing ones. */
  readonly objects: boolean
  /** Enters submodules. */
  readonly submodules: boolean
}

/** An argument of the subcommand; null for one that is known only at run time and is not an option. */
export type GitWord = string | null

const OBJECTS_ONLY: GitUse = {
  index: false,
  refresh: false,
  textconv: false,
  externalDiff: false,
  cleanFilter: false,
  signatures: 'never',
  objects: true,
  submodules: false,
}
const EVERYTHING: GitUse = {
  index: true,
  refresh: true,
  textconv: true,
  externalDiff: true,
  cleanFilter: true,
  signatures: 'if set',
  objects: true,
  submodules: true,
}
const INDEX: GitUse = { ...OBJECTS_ONLY, index: true, submodules: true, cleanFilter: true }
const STATUS: GitUse = { ...INDEX, refresh: true }
const SETTINGS_ONLY: GitUse = { ...OBJECTS_ONLY, objects: false }

const USES: Readonly<Record<string, (words: readonly GitWord[]) => GitUse>> = {
  annotate: blame,
  blame,
  branch: references,
  bisect: () => OBJECTS_ONLY,
  'cat-file': (words) => (onlyHas(words, CAT_FILE) ? OBJECTS_ONLY : EVERYTHING),
  'check-attr': () => ({ ...OBJECTS_ONLY, index: true }),
  'check-ignore': () => ({ ...OBJECTS_ONLY, index: true }),
  'check-ref-format': () => SETTINGS_ONLY,
  cherry: () => OBJECTS_ONLY,
  column: () => SETTINGS_ONLY,
  config: () => SETTINGS_ONLY,
  'count-objects': () => SETTINGS_ONLY,
  describe: (words) => (onlyHas(words, DESCRIBE) ? OBJECTS_ONLY : STATUS),
  diff,
  'for-each-ref': references,
  fsck: () => ({ ...OBJECTS_ONLY, index: true }),
  grep: (words) => (onlyHas(words, GREP) ? { ...OBJECTS_ONLY, index: true } : EVERYTHING),
  'hash-object': () => ({ ...OBJECTS_ONLY, cleanFilter: true }),
  help: () => SETTINGS_ONLY,
  log,
  'ls-files': () => INDEX,
  'ls-tree': () => OBJECTS_ONLY,
  'merge-base': () => OBJECTS_ONLY,
  'name-rev': () => OBJECTS_ONLY,
  notes: (words) => (words[0] === 'show' ? show(words.slice(1)) : OBJECTS_ONLY),
  reflog: log,
  remote: () => SETTINGS_ONLY,
  rerere: () => OBJECTS_ONLY,
  'rev-list': (words) => ({ ...OBJECTS_ONLY, signatures: signaturesShown(words) }),
  'rev-parse': () => OBJECTS_ONLY,
  shortlog: (words) => ({ ...OBJECTS_ONLY, signatures: signaturesShown(words) }),
  show,
  'show-branch': () => OBJECTS_ONLY,
  'show-ref': () => OBJECTS_ONLY,
  stash: (words) => (words[0] === 'show' ? stashShow(words.slice(1)) : log(words.slice(1))),
  status: (words) => (onlyHas(words, STATUS_OPTIONS) ? STATUS : EVERYTHING),
  stripspace: () => SETTINGS_ONLY,
  'symbolic-ref': () => SETTINGS_ONLY,
  tag: references,
  var: () => SETTINGS_ONLY,
  version: () => SETTINGS_ONLY,
  'verify-commit': () => ({ ...OBJECTS_ONLY, signatures: 'always' }),
  'verify-tag': () => ({ ...OBJECTS_ONLY, signatures: 'always' }),
  worktree: () => SETTINGS_ONLY,
}

/** Returns what the subcommand uses; an unknown subcommand counts as using everything. */
export function gitUse(subcommand: string, words: readonly GitWord[]): GitUse {
  return Object.hasOwn(USES, subcommand) ? (USES[subcommand]?.(words) ?? EVERYTHING) : EVERYTHING
}

// Allow lists: for an option that is abbreviated or not listed, the worst case of the command is assumed.
const CAT_FILE = pattern('-t -s -e -p --batch --batch-check --batch-all-objects --unordered')
const DESCRIBE = pattern(
  '--all --tags --contains --long --always --abbrev(=.*)? --match=.* --exclude=.* --first-parent',
)
const STATUS_OPTIONS = pattern(
  '-s --short -b --branch --porcelain(=.*)? --long -z -u.* --untracked-files(=.*)? --ignored(=.*)? -sb -bs -sbu.* ' +
    '--show-stash --ahead-behind --no-ahead-behind --column(=.*)? --no-column --renames --no-renames',
)
const GREP = pattern(
  '-[nilLcowvEFGPHhzqapeI]+ -[ABC]?\\d+ --cached --count --line-number --name-only --files-with-matches --no-color ' +
    '--ignore-case --word-regexp --untracked --heading --break --fixed-strings --extended-regexp --column --and --or --not',
)
/** Options of a history walk that show no contents. */
const WALK = pattern(
  '-\\d+ -n\\d* --max-count(=.*)? --oneline --graph --all --decorate(=.*)? --no-decorate --reverse --merges --no-merges ' +
    '--since=.* --until=.* --after=.* --before=.* --author=.* --committer=.* --grep=.* --branches(=.*)? --tags(=.*)? ' +
    '--remotes(=.*)? --first-parent --abbrev-commit --date=.* --format=.* --pretty(=.*)? --follow --topo-order ' +
    '--date-order --cherry --no-color --color(=.*)? -i --abbrev(=.*)? --no-walk --relative-date --full-history ' +
    '--simplify-by-decoration --boundary --left-right --show-signature',
)
/** Options that summarise changes without showing contents. */
const SUMMARY = pattern(
  '--stat(=.*)? --numstat --shortstat --name-only --name-status --raw --summary --no-patch -s --dirstat(=.*)? ' +
    '--compact-summary',
)
const DIFF_SHAPE = pattern(
  '--cached --staged --no-ext-diff --no-textconv -M -z -r -R --no-renames --find-renames(=.*)? --diff-filter=.* ' +
    '--relative --no-color --color(=.*)? --ignore-submodules(=.*)? --merge-base --no-commit-id --root',
)

function diff(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  const isStaged = options.some((word) => word === '--cached' || word === '--staged')
  const isContentShown = showsContent(options)
  return {
    ...STATUS,
    refresh: !isStaged,
    textconv: isContentShown && !isTextconvOff(options),
    externalDiff: isContentShown && (!options.includes('--no-ext-diff') || mayAbbreviate(options, '--ext-diff')),
    cleanFilter: !isStaged,
  }
}

/** A history walk shows contents only if an option asks for it. */
function log(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  return history(options, !options.every((word) => WALK.test(word)) && showsContent(options))
}

function show(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  return history(options, showsContent(options))
}

/** History applies text conversions, but external diffs only with `--ext-diff`. */
function history(options: readonly string[], isContentShown: boolean): GitUse {
  return {
    ...OBJECTS_ONLY,
    textconv: isContentShown && !isTextconvOff(options),
    externalDiff: isContentShown && mayAbbreviate(options, '--ext-diff'),
    signatures: signaturesShown(options),
    submodules: isContentShown,
  }
}

function stashShow(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  const isPlain = options.every((word) => word === '-p' || word === '--patch' || SUMMARY.test(word))
  return isPlain ? OBJECTS_ONLY : EVERYTHING
}

function blame(): GitUse {
  return { ...OBJECTS_ONLY, index: true, textconv: true, cleanFilter: true }
}

function references(words: readonly GitWord[]): GitUse {
  return { ...OBJECTS_ONLY, signatures: signaturesIn(words) }
}

/** The words before `--` that start with a dash. */
function optionsOf(words: readonly GitWord[]): readonly string[] {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? words.length : end).filter((word) => word?.startsWith('-')) as string[]
}

function onlyHas(words: readonly GitWord[], known: RegExp): boolean {
  return optionsOf(words).every((word) => known.test(word))
}

/** A summary option hides contents, unless another option shows them. */
function showsContent(options: readonly string[]): boolean {
  const isSummary = options.some((word) => SUMMARY.test(word))
  return !isSummary || !options.every((word) => SUMMARY.test(word) || DIFF_SHAPE.test(word) || WALK.test(word))
}

function isTextconvOff(options: readonly string[]): boolean {
  return options.includes('--no-textconv') && !mayAbbreviate(options, '--textconv')
}

/** Whether one of the options is a prefix of `name`, which git accepts as an abbreviation. */
function mayAbbreviate(options: readonly string[], name: string): boolean {
  return options.some((word) => word.length > 2 && name.startsWith(word))
}

/** For commands that a setting, or a format named in the settings, can make verify signatures. */
function signaturesShown(words: readonly GitWord[]): GitUse['signatures'] {
  return signaturesIn(words) === 'always' ? 'always' : 'if set'
}

/** Formats such as `%G?` verify signatures. */
function signaturesIn(words: readonly GitWord[]): GitUse['signatures'] {
  return words.some((word) => word !== null && /%[-+ ]?G|%\(\*?signature|--show-sig/.test(word)) ? 'always' : 'never'
}

function pattern(words: string): RegExp {
  return new RegExp(`^(?:${words.split(' ').join('|')})$`, 's')
}
