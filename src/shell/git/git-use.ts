/** What of a repository a git command looks at, as far as programs of the repository can run by it. */
export interface GitUse {
  /** Reads the index, and asks the file system monitor what changed. */
  readonly index: boolean
  /** May write a refreshed index, and runs the hook for it. */
  readonly refresh: boolean
  /** Whose contents go through text conversion: all, those staged, or one path. */
  readonly textconv: UsedPaths
  /** Whose contents go to an external diff. */
  readonly external: UsedPaths
  /** Which files of the working tree go through the clean filter. */
  readonly clean: UsedPaths
  /** Checks signatures, which runs a program: where a setting asks for it, or always. */
  readonly signatures: 'never' | 'if set' | 'always'
  /** Reads objects, which a partial clone fetches when they are missing. */
  readonly objects: boolean
  /** Enters submodules. */
  readonly submodules: boolean
}

export type UsedPaths = 'none' | 'staged' | 'touched' | 'all' | { readonly path: string }

/** A word of the command after its subcommand; null for one that is not known before it runs, and is no option. */
export type GitWord = string | null

const NOTHING: GitUse = {
  index: false,
  refresh: false,
  textconv: 'none',
  external: 'none',
  clean: 'none',
  signatures: 'never',
  objects: true,
  submodules: false,
}
const EVERYTHING: GitUse = {
  index: true,
  refresh: true,
  textconv: 'all',
  external: 'all',
  clean: 'all',
  signatures: 'if set',
  objects: true,
  submodules: true,
}
const INDEX: GitUse = { ...NOTHING, index: true, submodules: true, clean: 'touched' }
const STATUS: GitUse = { ...INDEX, refresh: true }
const SETTINGS_ONLY: GitUse = { ...NOTHING, objects: false }

const USES: Readonly<Record<string, (words: readonly GitWord[]) => GitUse>> = {
  annotate: blame,
  blame,
  branch: references,
  bisect: () => NOTHING,
  'cat-file': (words) => (onlyHas(words, CAT_FILE) ? NOTHING : EVERYTHING),
  'check-attr': () => ({ ...NOTHING, index: true }),
  'check-ignore': () => ({ ...NOTHING, index: true }),
  'check-ref-format': () => SETTINGS_ONLY,
  cherry: () => NOTHING,
  column: () => SETTINGS_ONLY,
  config: () => SETTINGS_ONLY,
  'count-objects': () => SETTINGS_ONLY,
  describe: (words) => (onlyHas(words, DESCRIBE) ? NOTHING : STATUS),
  diff,
  'for-each-ref': references,
  fsck: () => ({ ...NOTHING, index: true }),
  grep: (words) => (onlyHas(words, GREP) ? { ...NOTHING, index: true } : EVERYTHING),
  'hash-object': () => ({ ...NOTHING, clean: 'all' }),
  help: () => SETTINGS_ONLY,
  log,
  'ls-files': () => INDEX,
  'ls-tree': () => NOTHING,
  'merge-base': () => NOTHING,
  'name-rev': () => NOTHING,
  notes: (words) => (words[0] === 'show' ? show(words.slice(1)) : NOTHING),
  reflog: log,
  remote: () => SETTINGS_ONLY,
  rerere: () => NOTHING,
  'rev-list': (words) => ({ ...NOTHING, signatures: signaturesShown(words) }),
  'rev-parse': () => NOTHING,
  shortlog: (words) => ({ ...NOTHING, signatures: signaturesShown(words) }),
  show,
  'show-branch': () => NOTHING,
  'show-ref': () => NOTHING,
  stash: (words) => (words[0] === 'show' ? stashShow(words.slice(1)) : log(words.slice(1))),
  status: (words) => (onlyHas(words, STATUS_OPTIONS) ? STATUS : EVERYTHING),
  stripspace: () => SETTINGS_ONLY,
  'symbolic-ref': () => SETTINGS_ONLY,
  tag: references,
  var: () => SETTINGS_ONLY,
  version: () => SETTINGS_ONLY,
  'verify-commit': () => ({ ...NOTHING, signatures: 'always' }),
  'verify-tag': () => ({ ...NOTHING, signatures: 'always' }),
  worktree: () => SETTINGS_ONLY,
}

/** What the subcommand looks at; all there is where it is not known. */
export function gitUse(subcommand: string, words: readonly GitWord[]): GitUse {
  return Object.hasOwn(USES, subcommand) ? (USES[subcommand]?.(words) ?? EVERYTHING) : EVERYTHING
}

// Options are known by being listed: one that is abbreviated or missing here counts as the worst that the command does.
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
/** What walks history without showing a change of content. */
const WALK = pattern(
  '-\\d+ -n\\d* --max-count(=.*)? --oneline --graph --all --decorate(=.*)? --no-decorate --reverse --merges --no-merges ' +
    '--since=.* --until=.* --after=.* --before=.* --author=.* --committer=.* --grep=.* --branches(=.*)? --tags(=.*)? ' +
    '--remotes(=.*)? --first-parent --abbrev-commit --date=.* --format=.* --pretty(=.*)? --follow --topo-order ' +
    '--date-order --cherry --no-color --color(=.*)? -i --abbrev(=.*)? --no-walk --relative-date --full-history ' +
    '--simplify-by-decoration --boundary --left-right --show-signature',
)
/** What shows a change, but not its content. */
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
  // Another commit than HEAD has other differences, and a search for copies reads unchanged files.
  const isAgainstHead = words.every((word) => word !== null && DIFF_SHAPE.test(word))
  const shown = isStaged && isAgainstHead ? 'staged' : 'all'
  const content = showsContent(options) ? shown : 'none'
  return {
    ...STATUS,
    refresh: !isStaged,
    textconv: options.includes('--no-textconv') && !mayMean(options, '--textconv') ? 'none' : content,
    external: options.includes('--no-ext-diff') && !mayMean(options, '--ext-diff') ? 'none' : content,
    clean: isStaged ? 'none' : 'all',
  }
}

/** A walk of history shows content only where an option asks for it. */
function log(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  return history(options, !options.every((word) => WALK.test(word)) && showsContent(options))
}

function show(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  return history(options, showsContent(options))
}

/** History converts texts, but takes an external diff only by an option. */
function history(options: readonly string[], isContentShown: boolean): GitUse {
  const content = isContentShown ? 'all' : 'none'
  return {
    ...NOTHING,
    textconv: options.includes('--no-textconv') && !mayMean(options, '--textconv') ? 'none' : content,
    external: mayMean(options, '--ext-diff') ? content : 'none',
    signatures: signaturesShown(options),
    submodules: isContentShown,
  }
}

function stashShow(words: readonly GitWord[]): GitUse {
  const options = optionsOf(words)
  const isPlain = options.every((word) => word === '-p' || word === '--patch' || SUMMARY.test(word))
  return isPlain ? NOTHING : EVERYTHING
}

function blame(words: readonly GitWord[]): GitUse {
  const end = words.indexOf('--')
  const operands = words.filter((word, at) => (end >= 0 && at > end) || word === null || !word.startsWith('-'))
  const [path] = operands
  const isOnePath = operands.length === 1 && typeof path === 'string'
  const paths: UsedPaths = isOnePath ? { path } : 'all'
  return { ...NOTHING, index: true, textconv: paths, clean: paths }
}

function references(words: readonly GitWord[]): GitUse {
  return { ...NOTHING, signatures: signaturesIn(words) }
}

/** The words that can be options: those before `--`. */
function optionsOf(words: readonly GitWord[]): readonly string[] {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? words.length : end).filter((word) => word?.startsWith('-')) as string[]
}

function onlyHas(words: readonly GitWord[], known: RegExp): boolean {
  return optionsOf(words).every((word) => known.test(word))
}

/** A summary shows no content if nothing else asks for it. */
function showsContent(options: readonly string[]): boolean {
  const isSummary = options.some((word) => SUMMARY.test(word))
  return !isSummary || !options.every((word) => SUMMARY.test(word) || DIFF_SHAPE.test(word) || WALK.test(word))
}

function mayMean(options: readonly string[], name: string): boolean {
  return options.some((word) => word.length > 2 && name.startsWith(word))
}

/** A setting can ask for signatures, or give a name to a format that does. */
function signaturesShown(words: readonly GitWord[]): GitUse['signatures'] {
  return signaturesIn(words) === 'always' ? 'always' : 'if set'
}

/** A format can ask whether a signature is good. */
function signaturesIn(words: readonly GitWord[]): GitUse['signatures'] {
  return words.some((word) => word !== null && /%[-+ ]?G|%\(\*?signature|--show-sig/.test(word)) ? 'always' : 'never'
}

function pattern(words: string): RegExp {
  return new RegExp(`^(?:${words.split(' ').join('|')})$`, 's')
}
