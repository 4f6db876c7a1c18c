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

/** An archive tool: it writes files with names from the archive, unless its words show that it only lists or packs. */
interface ArchiveTool {
  readonly names: RegExp
  /** Matches a word with which nothing is unpacked. */
  readonly unpacksNothing: RegExp
  /** Matches a word with which files are unpacked even so. */
  readonly unpacks?: RegExp
  /** Letters of short options that take a value; any if left out. */
  readonly valueLetters?: string
  /** Matches the option before the folder that is written instead of the working folder. */
  readonly target?: RegExp
}

/** The option of gzip with which a file gets the name that is stored in it. */
export const UNPACKS_STORED_NAME = /^-[A-Za-z]*N|^--na/

const ARCHIVE_TOOLS: readonly ArchiveTool[] = [
  {
    names: /^(?:tar|bsdtar|gtar|star|ptar|gpgtar|gpg-zip)$/,
    unpacksNothing:
      /^-?[a-wyzA-Z]*[ctruA][a-wyzA-Z]*$|^--(?:create|list|append|update|catenate|concatenate|delete|diff|compare|list-archive|encrypt)$/,
    unpacks: /^-[A-Za-z]*x|^--(?:ex?$|ext|g)/,
    valueLetters: 'fCTXIbgKNLFVH',
    target: /^-[A-Za-z]*C$|^--dir/,
  },
  {
    names: /^(?:unzip|unzipsfx)$/,
    unpacksNothing: /^-[qLCaM]*[lptvzcZ][qLCaMlptvzcZ12]*$/,
    valueLetters: 'dPxiIO',
    target: /^-[A-Za-z]*d$/,
  },
  {
    names: /^(?:cpio|bsdcpio)$/,
    unpacksNothing: /^-[a-hj-zA-Z]*[ot][a-hj-zA-Z]*$|^--(?:create|list)$/,
    valueLetters: 'CDEFHIMOR',
    target: /^-[A-Za-z]*D$|^--dir/,
  },
  { names: /^pax$/, unpacksNothing: /^-[a-qs-zA-Z]*w[a-qs-zA-Z]*$/ },
  { names: /^(?:7z|7za|7zr|7zz|rar|unrar)$/, unpacksNothing: /^(?:[abditulhm]|rn|lb|lt|v|vt)$/, target: /^-o$/ },
  { names: /^(?:.*-)?ar(?:-\d+)?$/, unpacksNothing: /^-?[dmpqrst][a-wyzA-Z]*$/ },
  {
    names: /^jar$/,
    unpacksNothing: /^-?[ctui][A-Za-z0]*$|^--(?:create|list|update|generate-index=.*|describe-module)$/,
  },
  { names: /^(?:jmod|jimage)$/, unpacksNothing: /^(?:create|list|info|verify|describe|hash)$/ },
  {
    names: /^(?:dpkg|dpkg-deb)$/,
    unpacksNothing: /^-[lLsSIcfWCp]$|^--(?:info|contents|field|show|list|listfiles|search|status|version)$/,
  },
  { names: /^(?:gzip|gunzip|uncompress)$/, unpacksNothing: /^/, unpacks: UNPACKS_STORED_NAME },
  {
    names:
      /^(?:unar|cabextract|unsquashfs|rpm2archive|unshar|uudecode|munpack|ripmime|dtrx|atool|aunpack|patool|lha|arj|zoo|unace|dpkg-source|split-file.*|zipsplit|llvm-extract.*)$/,
    unpacksNothing: /^(?:-[lt]|--list)$/,
  },
  // The names are in a patch, or result from an expression.
  {
    names: /^(?:patch|rename.*|prename|mmv|vidir)$/,
    unpacksNothing: /^(?:--dry-run|--no-act)$/,
    valueLetters: 'BDEFVYdegioprxz',
  },
]

/** Names of archives. A program that no table describes may unpack one. */
const ARCHIVE_NAME =
  /\.(?:tar|tgz|tbz2?|txz|tar\.\w+|zip|jar|war|whl|a|deb|rpm|7z|rar|cpio|iso|cab|ar|pax|shar|squashfs|xpi|vsix|nupkg|apk|dmg|lzh|arj)$/i

/** Uses of a program that read or write files which its words do not name. */
interface ImpliedUse {
  /** Matches a word with which everything below the working folder is read. */
  readonly reads?: RegExp
  /** Matches a word with which files with unknown names are written. */
  readonly writes?: RegExp
}

const IMPLIED_USES: Readonly<Record<string, ImpliedUse>> = {
  cmake: { reads: /^(?:copy_directory.*|tar)$/, writes: /^(?:copy_directory.*|tar)$/ },
  zip: { reads: /^-[A-Za-z]*R/ },
  ptar: { reads: /^-[A-Za-z]*c/ },
  python: { reads: /^http\.server$/, writes: /^-[A-Za-z]*m/ },
  python3: { reads: /^http\.server$/, writes: /^-[A-Za-z]*m/ },
  gh: { writes: /^download$/ },
  ack: { reads: /^/ },
  ag: { reads: /^/ },
  ugrep: { reads: /^/ },
  serve: { reads: /^/ },
  'http-server': { reads: /^/ },
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
  apply: /^(?!--(?:stat|numstat|summary|check|cached)$)/,
  am: /^/,
}

/** Finds the folders whose files a program reads or writes without naming them. */
export function findImpliedFolders(
  name: string,
  verb: string,
  args: readonly ShellWord[],
  preparesFiles: boolean,
): ImpliedFolders {
  if (name === 'git') return isGitWriter(verb, args) ? { reads: [], writes: WORKING_FOLDER } : NO_FOLDERS
  const tool = ARCHIVE_TOOLS.find(({ names }) => names.test(name))
  if (tool !== undefined) return { reads: readsFolder(name, args), writes: findUnpackedFolder(tool, args) }
  const isGiven = (pattern: RegExp | undefined) => pattern !== undefined && args.some(({ text }) => pattern.test(text))
  const mayUnpack = preparesFiles && (isGiven(IMPLIED_USES[name]?.writes) || isUnpackedByUnknown(name, args))
  return { reads: readsFolder(name, args), writes: mayUnpack ? WORKING_FOLDER : [] }
}

function readsFolder(name: string, args: readonly ShellWord[]): readonly string[] {
  const pattern = IMPLIED_USES[name]?.reads
  return pattern !== undefined && args.some(({ text }) => pattern.test(text)) ? WORKING_FOLDER : []
}

function findUnpackedFolder(tool: ArchiveTool, args: readonly ShellWord[]): readonly string[] {
  const { unpacks, target } = tool
  // Without a dash, only the first word is the mode.
  const mayUnpack = args.some(
    ({ text }, at) => (at === 0 || text.startsWith('-')) && unpacks !== undefined && unpacks.test(text),
  )
  if (!mayUnpack && hasHarmlessMode(tool, args)) return []
  const targetAt = target === undefined ? -1 : args.findIndex(({ text }) => target.test(text))
  const folder = args[targetAt + 1]?.text
  return targetAt === -1 || folder === undefined ? WORKING_FOLDER : [folder]
}

/** Long options without a value. */
const LONG_SWITCH =
  /^--(?:verbose|quiet|silent|force|gzip|gunzip|bzip2|xz|zstd|forward|reverse|batch|totals|preserve-permissions)$/

/** Whether a word says that nothing is unpacked. It counts only before the operands, and if it cannot be a value. */
function hasHarmlessMode(tool: ArchiveTool, args: readonly ShellWord[]): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at]?.text ?? ''
    if ((at === 0 || text.startsWith('-')) && tool.unpacksNothing.test(text)) return true
    if (text === '--' || (at > 0 && !text.startsWith('-'))) return false
    if (mayTakeValue(tool, text)) at += 1
  }
  return false
}

function mayTakeValue({ valueLetters }: ArchiveTool, text: string): boolean {
  if (text.startsWith('--')) return !text.includes('=') && !LONG_SWITCH.test(text)
  return text.startsWith('-') && (valueLetters === undefined || valueLetters.includes(text.slice(-1)))
}

/** Programs that copy, send or make archives, but unpack none. */
const KEEPS_ARCHIVES =
  /^(?:cp|mv|scp|rsync|curl|wget|zip|sha\d+sum|md5sum|file|(?:.*-)?(?:gcc|g\+\+|ld|ranlib|nm|strip).*|cc|c\+\+|clang.*)$/

function isUnpackedByUnknown(name: string, args: readonly ShellWord[]): boolean {
  return !KEEPS_ARCHIVES.test(name) && args.some(({ text }) => ARCHIVE_NAME.test(text))
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
