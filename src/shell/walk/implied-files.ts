import type { ShellWord } from '../words/shell-word.js'

/** Folders that a program uses although its words need not name them. */
interface ImpliedFolders {
  /** Everything below is read. */
  readonly reads: readonly string[]
  /** Files with names that no word states are written below. */
  readonly writes: readonly string[]
}

const NO_FOLDERS: ImpliedFolders = { reads: [], writes: [] }
const WORKING_FOLDER = ['.']

/** Uses of a program that read or write files which its words do not name. */
interface ImpliedUse {
  /** Matches a word with which everything below the working folder is read. */
  readonly reads?: RegExp
  /** Matches a word with which files with unknown names are written. */
  readonly writes?: RegExp
  /** Matches the option before the folder that is written instead of the working folder. */
  readonly target?: RegExp
}

const EXTRACTS: ImpliedUse = { writes: /^(?:x|e)$/, target: /^-o$/ }
const IMPLIED_USES: Readonly<Record<string, ImpliedUse>> = {
  tar: { writes: /^-?(?![^x]*t)[A-Za-z]*x|^--(?:ext|get)/, target: /^-[A-Za-z]*C$|^--dir/ },
  unzip: { writes: /^(?!-[A-Za-z]*[lptvzZ])/, target: /^-[A-Za-z]*d$/ },
  cpio: { writes: /^-[A-Za-z]*i|^--extract/, target: /^-[A-Za-z]*D$|^--dir/ },
  pax: { writes: /^-[A-Za-z]*r/ },
  '7z': EXTRACTS,
  '7za': EXTRACTS,
  bsdtar: { writes: /^-?[A-Za-z]*x/, target: /^-[A-Za-z]*C$/ },
  cmake: { reads: /^(?:copy_directory.*|tar)$/, writes: /^(?:copy_directory.*|tar)$/ },
  zip: { reads: /^-[A-Za-z]*R/ },
  npm: { reads: /^(?:pack|publish|pub)$/ },
  pnpm: { reads: /^(?:pack|publish)$/ },
  yarn: { reads: /^(?:pack|publish)$/ },
}

/** Uses of git that replace or delete files of the working tree, whichever they are. Git accepts abbreviated options. */
const GIT_WRITES: Readonly<Record<string, RegExp>> = {
  stash: /^(?!list$|show$|drop$|clear$|create$|store$)/,
  reset: /^--(?:h|me|k)/,
  checkout: /^-[A-Za-z]*f|^--f/,
  switch: /^-[A-Za-z]*f|^--(?:f|di)/,
  clean: /^-[A-Za-z]*f|^--f/,
  'read-tree': /^-[A-Za-z]*u|^--r/,
  'checkout-index': /^/,
}

/** Finds the folders whose files a program reads or writes without naming them. */
export function findImpliedFolders(name: string, verb: string, args: readonly ShellWord[]): ImpliedFolders {
  if (name === 'git') return isGitWriter(verb, args) ? { reads: [], writes: WORKING_FOLDER } : NO_FOLDERS
  const use = IMPLIED_USES[name]
  if (use === undefined) return NO_FOLDERS
  const isGiven = (pattern: RegExp | undefined) => pattern !== undefined && args.some(({ text }) => pattern.test(text))
  const targetAt = use.target === undefined ? -1 : args.findIndex(({ text }) => use.target?.test(text) === true)
  const target = args[targetAt + 1]?.text
  const mayWrite = name === 'unzip' ? args.every(({ text }) => use.writes?.test(text) === true) : isGiven(use.writes)
  return {
    reads: isGiven(use.reads) ? WORKING_FOLDER : [],
    writes: mayWrite ? (targetAt === -1 || target === undefined ? WORKING_FOLDER : [target]) : [],
  }
}

function isGitWriter(verb: string, args: readonly ShellWord[]): boolean {
  const words = args.slice(args.findIndex(({ text }) => text === verb) + 1)
  const pattern = GIT_WRITES[verb]
  if (pattern === undefined) return false
  return verb === 'stash' ? pattern.test(words[0]?.text ?? '') : words.some(({ text }) => pattern.test(text))
}

const PACKED_SUFFIX = /(.)\.(?:gz|xz|bz2|zst|lzma|lz|lz4|lzo|br|Z|z|gpg|asc|age|enc|uu|b64|orig|bak|rej|zip)$/

/** Returns the names that a program may derive from a name: without the suffix of a compressed file, or without folders. */
export function listDerivedNames(name: string): readonly string[] {
  const names: string[] = []
  if (PACKED_SUFFIX.test(name)) names.push(name.replace(PACKED_SUFFIX, '$1'))
  return names
}

/** Programs that leave out leading folders of the names in an archive. */
const STRIPPING_OPTION = /^--strip|^-[A-Za-z]*j/

/** Returns the ends of the names in an archive that a program may write with fewer folders: `b/c` and `c` for `a/b/c`. */
export function listStrippedNames(args: readonly ShellWord[]): readonly string[] {
  if (!args.some(({ text }) => STRIPPING_OPTION.test(text))) return []
  return args.flatMap(({ text }) => {
    const parts = text.split('/')
    return text.startsWith('-') ? [] : parts.slice(1).map((_, at) => parts.slice(at + 1).join('/'))
  })
}

const MAX_COMBINATIONS = 100

/** A program may change its folder before it opens `../file`. Returns such names in every folder that it may have been given. */
export function joinWithFolders(names: readonly string[]): readonly string[] {
  const parentNames = names.filter((name) => /^(?:\.\/+)*\.\.(?:\/|$)/.test(name))
  const folders = names.filter((name) => !name.startsWith('-') && !parentNames.includes(name))
  return parentNames
    .flatMap((name) => folders.map((folder) => `${folder.replace(/\/+$/, '')}/${name}`))
    .slice(0, MAX_COMBINATIONS)
}
