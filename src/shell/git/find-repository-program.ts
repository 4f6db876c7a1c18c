import { printsCredentials } from './credentials.js'
import { type GitUse, type GitWord, gitUseOf } from './git-use.js'
import type { GitSetting } from './parse-git-config.js'
import type { RepositoryFacts } from './repository-facts.js'
import { hasUnsafeValue, nameOfSetting } from './setting-kinds.js'

/** Subcommands that are built in only in some versions of git, so that an alias may replace them. */
const ALIASABLE_COMMANDS = new Set(['whatchanged', 'pack-redundant'])
/** A name that no subcommand has, so that all parts of the repository count as used. */
const ANY_SUBCOMMAND = ''
const FALSE_VALUES = new Set(['', 'false', 'no', 'off', '0'])

/**
 * Returns what a git command would run on behalf of the repository, worded for the permission question, or null. Drivers and
 * filters count whether or not they apply to a file: that depends on attributes, the index and the working tree, which are not
 * read.
 */
export function findRepositoryProgram(
  facts: RepositoryFacts,
  subcommand: string,
  words: readonly GitWord[],
): string | null {
  if (facts.problem !== null) return facts.problem
  const use = gitUseOf(subcommand, words)
  const request: Request = { facts, use, subcommand, words, settings: settingsOfRepository(facts) }
  for (const check of PROGRAM_CHECKS) {
    const program = check(request)
    if (program !== null) return program
  }
  return use.entersSubmodules ? programOfSubmodules(facts) : null
}

/** Returns the files that a git command reads because of the repository, although the command line does not name them. */
export function findRepositoryFiles(
  { namedFiles, foreignLinks }: RepositoryFacts,
  subcommand: string,
  words: readonly GitWord[],
): readonly string[] {
  if (foreignLinks.length === 0) return namedFiles
  return gitUseOf(subcommand, words).readsOldAttributes ? [...namedFiles, ...foreignLinks] : namedFiles
}

interface Request {
  readonly facts: RepositoryFacts
  readonly use: GitUse
  readonly subcommand: string
  readonly words: readonly GitWord[]
  /** The settings of the repository, and those of the user that name a program by a relative path. */
  readonly settings: readonly GitSetting[]
}

const PROGRAM_CHECKS: readonly ((request: Request) => string | null)[] = [
  checkCredentials,
  ({ settings }) => describeSetting(settings.find(({ section }) => section === 'trace2')),
  ({ use, settings }) => (use.readsIndex ? describeSetting(settings.find(isFsmonitor)) : null),
  ({ use, facts }) => (use.mayRefreshIndex && facts.hasIndexHook ? 'the hook post-index-change' : null),
  ({ use, settings }) =>
    use.mayRefreshIndex ? describeSetting(settings.find(({ section }) => section === 'hook')) : null,
  ({ use, settings }) => (use.readsObjects ? describeSetting(settings.find(isPartialClone)) : null),
  checkSignatures,
  ({ subcommand, facts }) =>
    subcommand === 'rerere' ? describeSetting([...facts.settings, ...facts.userSettings].find(isRerere)) : null,
  checkRecursion,
  ({ subcommand, facts }) =>
    subcommand === 'grep' && facts.hasUnexaminedFolders ? 'a repository with too many folders to examine' : null,
  checkPatches,
  checkMerges,
  ({ subcommand, settings }) =>
    ALIASABLE_COMMANDS.has(subcommand) ? describeSetting(settings.find(isAliasOf(subcommand))) : null,
  ({ use, settings }) => (use.usesExternalDiff ? describeSetting(settings.find(isExternalDiff)) : null),
  ({ use, settings }) => (use.usesTextconv ? describeSetting(settings.find(isTextConversion)) : null),
  ({ use, settings }) => (use.usesCleanFilter ? describeSetting(settings.find(isFilter(['clean', 'process']))) : null),
  checkSmudgeFilter,
]

/**
 * Checks for printed passwords. The settings of the user are not part of the project, and their passwords must not be printed
 * without approval.
 */
function checkCredentials({ facts, subcommand, words }: Request): string | null {
  const isPrinted = printsCredentials(subcommand, words, facts.userSettings)
  return isPrinted ? 'prints settings of the user that may contain credentials' : null
}

function checkSignatures({ facts, use, settings }: Request): string | null {
  if (use.signatures === 'never') return null
  if (use.signatures === 'always') return 'the program that checks signatures'
  const isEnabled = [...facts.settings, ...facts.userSettings].some(isSignatureShown)
  return isEnabled ? describeSetting(facts.settings.find(isSignatureShown) ?? settings.find(isSignatureProgram)) : null
}

/**
 * Checks for `git grep` in an old commit, which would enter folders that the commit links to. Such folders are not examined.
 */
function checkRecursion({ facts, subcommand }: Request): string | null {
  if (subcommand !== 'grep') return null
  return describeSetting(
    [...facts.settings, ...facts.userSettings].find((setting) => isRecursion(setting) && isEnabled(setting)),
  )
}

/** Checks for `-m`, which would run the merge drivers of the repository if a setting selects `remerge` for it. */
function checkMerges({ facts, words }: Request): string | null {
  const usesDefault = words.some(
    (word) => word === null || /^(-[a-zA-Z]*m|--diff-merges=(on|m)$)/.test(word) || word === '--diff-merges',
  )
  return usesDefault ? describeSetting([...facts.settings, ...facts.userSettings].find(isUnsafeMerge)) : null
}

/** Settings for patches that change only their text. With others, git may look up the host name for an email address. */
const PLAIN_PATCH_SETTINGS = new Set(
  'pretty subjectprefix suffix numbered noprefix filenamemaxlength encodeemailheaders mboxrd'.split(' '),
)

function checkPatches({ facts, subcommand }: Request): string | null {
  if (subcommand !== 'format-patch') return null
  const isUnusual = ({ section, name }: GitSetting) => section === 'format' && !PLAIN_PATCH_SETTINGS.has(name)
  return describeSetting([...facts.settings, ...facts.userSettings].find(isUnusual))
}

function isUnsafeMerge(setting: GitSetting): boolean {
  return setting.section === 'log' && hasUnsafeValue(setting)
}

function isRecursion({ section, subsection, name }: GitSetting): boolean {
  return section === 'submodule' && subsection === '' && name === 'recurse'
}

/**
 * Checks for smudge filters. Git passes files through them before it hands the files to an external diff or text conversion of
 * the user.
 */
function checkSmudgeFilter({ facts, use, settings }: Request): string | null {
  if (!use.usesTextconv && !use.usesExternalDiff) return null
  const isConverted = [...facts.settings, ...facts.userSettings].some(
    (setting) => isTextConversion(setting) || isExternalDiff(setting),
  )
  return isConverted ? describeSetting(settings.find(isFilter(['smudge', 'process']))) : null
}

/**
 * Returns what git would run in submodules. To compare a submodule, git runs itself in it, with the settings of the submodule:
 * mostly `git status`, but also `git log`.
 */
function programOfSubmodules(facts: RepositoryFacts): string | null {
  for (const submodule of facts.submodules) {
    const program = findRepositoryProgram(submodule, ANY_SUBCOMMAND, [])
    if (program !== null) return `${program} of a submodule`
  }
  return null
}

function settingsOfRepository({ settings, userSettings }: RepositoryFacts): readonly GitSetting[] {
  return [...settings, ...userSettings.filter(({ value }) => isRelativeProgram(value))]
}

/**
 * Whether a relative path makes git look for a program in the repository. Other programs in the user's own settings are
 * trusted.
 */
function isRelativeProgram(value: string | null): boolean {
  const words = value?.split(/[\s;&|()'"`=!]+/) ?? []
  return words.some((word) => /^[^/~$-][^/]*\//.test(word))
}

function isEnabled({ value }: GitSetting): boolean {
  return !FALSE_VALUES.has((value ?? 'true').toLowerCase())
}

function isFsmonitor(setting: GitSetting): boolean {
  const { section, subsection, name } = setting
  const isKey = section === 'core' && subsection === '' && (name === 'fsmonitor' || name === 'virtualfilesystem')
  return isKey && isEnabled(setting)
}

function isPartialClone(setting: GitSetting): boolean {
  const { section, name } = setting
  if (section === 'extensions') return name === 'partialclone'
  return section === 'remote' && (name === 'promisor' || name === 'partialclonefilter') && isEnabled(setting)
}

function isSignatureProgram({ section, name }: GitSetting): boolean {
  return section === 'gpg' && (name === 'program' || name === 'defaultkeycommand')
}

function isSignatureShown(setting: GitSetting): boolean {
  const { section, name, value } = setting
  const isFormat = section === 'pretty' || (section === 'format' && name === 'pretty')
  if (isFormat) return /%[-+ ]?G/.test(value ?? '')
  return section === 'log' && name === 'showsignature' && isEnabled(setting)
}

/** Whether a setting makes git create the folder for recorded resolutions. */
function isRerere({ section, name }: GitSetting): boolean {
  return section === 'rerere' && name === 'enabled'
}

function isAliasOf(subcommand: string): (setting: GitSetting) => boolean {
  return ({ section, subsection, name }) => section === 'alias' && (name === subcommand || subsection === subcommand)
}

/**
 * Whether a setting names an external diff: `diff.external` for all files, `diff.NAME.command` for those that attributes
 * select.
 */
function isExternalDiff({ section, subsection, name }: GitSetting): boolean {
  return section === 'diff' && (subsection === '' ? name === 'external' : name === 'command')
}

function isTextConversion(setting: GitSetting): boolean {
  const { section, subsection, name } = setting
  if (section !== 'diff' || subsection === '') return false
  return name === 'textconv' || (name === 'cachetextconv' && isEnabled(setting))
}

function isFilter(names: readonly string[]): (setting: GitSetting) => boolean {
  return ({ section, name }) => section === 'filter' && names.includes(name)
}

function describeSetting(setting: GitSetting | undefined): string | null {
  if (setting === undefined) return null
  return `the repository's setting ${nameOfSetting(setting)}`
}
