import { ruleCovers } from './attribute-rules.js'
import { type GitUse, type GitWord, gitUse, type UsedPaths } from './git-use.js'
import type { GitSetting } from './parse-git-config.js'
import type { RepositoryFacts } from './repository-facts.js'

/** What would run, in words for the person who is asked; null where nothing of the repository does. */
export type RepositoryProgram = string | null

/** Subcommands that an alias can stand for in some version of git; for all others git knows no alias. */
const ALIASABLE = new Set(['whatchanged', 'pack-redundant'])
const OFF = new Set(['', 'false', 'no', 'off', '0'])
const STATUS_WORDS: readonly GitWord[] = []

/** Tells whether a git command would run a program that the repository names. */
export function programOfRepository(
  facts: RepositoryFacts,
  subcommand: string,
  words: readonly GitWord[],
): RepositoryProgram {
  if (facts.doubt !== null) return facts.doubt
  const use = gitUse(subcommand, words)
  const asked: Asked = { facts, use, subcommand, settings: programSettings(facts) }
  for (const check of CHECKS) {
    const program = check(asked)
    if (program !== null) return program
  }
  return use.submodules ? programOfSubmodules(facts) : null
}

interface Asked {
  readonly facts: RepositoryFacts
  readonly use: GitUse
  readonly subcommand: string
  readonly settings: readonly GitSetting[]
}

const CHECKS: readonly ((asked: Asked) => RepositoryProgram)[] = [
  ({ settings }) => named(settings.find(({ section }) => section === 'trace2')),
  ({ use, settings }) => (use.index ? named(settings.find(isFileWatcher)) : null),
  ({ use, facts }) => (use.refresh && facts.hooks.includes('post-index-change') ? 'the hook post-index-change' : null),
  ({ use, settings }) => (use.refresh ? named(settings.find(({ section }) => section === 'hook')) : null),
  ({ use, settings }) => (use.objects ? named(settings.find(isPartialClone)) : null),
  signatureCheck,
  ({ subcommand, facts }) =>
    subcommand === 'rerere' ? named([...facts.settings, ...facts.userSettings].find(isRerere)) : null,
  ({ subcommand, settings }) => (ALIASABLE.has(subcommand) ? named(settings.find(isAliasOf(subcommand))) : null),
  externalDiff,
  textConversion,
  cleanFilter,
  smudgeFilter,
]

function signatureCheck({ facts, use, settings }: Asked): RepositoryProgram {
  if (!facts.hasSignatures || use.signatures === 'never') return null
  if (use.signatures === 'always') return 'the program that checks signatures'
  const isAsked = [...facts.settings, ...facts.userSettings].some(isSignatureShown)
  return isAsked ? named(facts.settings.find(isSignatureShown) ?? settings.find(isSignatureProgram)) : null
}

function externalDiff({ facts, use, settings }: Asked): RepositoryProgram {
  if (use.external === 'none') return null
  const isMeant = (setting: GitSetting) =>
    isDiff(setting, 'external') || (isDiff(setting, 'command') && selects(facts, 'diff', setting, use.external))
  return named(settings.find(isMeant))
}

function textConversion({ facts, use, settings }: Asked): RepositoryProgram {
  if (use.textconv === 'none') return null
  const isMeant = (setting: GitSetting) =>
    (isDiff(setting, 'textconv') || (isDiff(setting, 'cachetextconv') && !OFF.has(setting.value ?? 'true'))) &&
    selects(facts, 'diff', setting, use.textconv)
  return named(settings.find(isMeant))
}

function cleanFilter({ facts, use, settings }: Asked): RepositoryProgram {
  if (use.clean === 'none') return null
  const isMeant = (setting: GitSetting) =>
    isFilter(setting, ['clean', 'process']) && selects(facts, 'filter', setting, use.clean)
  return named(settings.find(isMeant))
}

/** A text conversion or an external diff of the user's own gets its file through the smudge filter. */
function smudgeFilter({ facts, use, settings }: Asked): RepositoryProgram {
  if (use.textconv === 'none' && use.external === 'none') return null
  const isConverted = [...facts.settings, ...facts.userSettings].some(
    (setting) => isDiff(setting, 'textconv') || isDiff(setting, 'command') || isDiff(setting, 'external'),
  )
  if (!isConverted) return null
  const isMeant = (setting: GitSetting) =>
    isFilter(setting, ['smudge', 'process']) && selects(facts, 'filter', setting, 'all')
  return named(settings.find(isMeant))
}

/** Git runs itself in each submodule to compare it, under the settings of the submodule. */
function programOfSubmodules(facts: RepositoryFacts): RepositoryProgram {
  for (const submodule of facts.submodules) {
    const program = programOfRepository(submodule, 'diff', STATUS_WORDS)
    if (program !== null) return `${program} of a submodule`
  }
  return null
}

/** Whether the driver is chosen for one of the paths. */
function selects(facts: RepositoryFacts, attribute: string, { subsection }: GitSetting, paths: UsedPaths): boolean {
  // The driver named default serves every path that no attribute speaks of.
  if (facts.attributes === 'unknown' || (attribute === 'diff' && subsection === 'default')) return true
  const rules = facts.attributes.filter((rule) => rule.attribute === attribute && rule.driver === subsection)
  const used = usedPaths(facts, paths)
  if (used === 'unknown') return rules.length > 0
  return rules.some((rule) => used.some((path) => ruleCovers(rule, path)))
}

function usedPaths(facts: RepositoryFacts, paths: UsedPaths): readonly string[] | 'unknown' {
  if (paths === 'staged') return facts.staged
  if (paths === 'touched') return facts.touched
  if (typeof paths === 'string') return 'unknown'
  const isPlain = !/^[/:~]|(^|\/)\.{1,2}(\/|$)|\\/.test(paths.path)
  return isPlain ? [facts.prefix + paths.path] : 'unknown'
}

/** The settings whose programs may be the repository's. */
export function programSettings({
  settings,
  userSettings,
}: Pick<RepositoryFacts, 'settings' | 'userSettings'>): readonly GitSetting[] {
  return [...settings, ...userSettings.filter(({ value }) => mayLieInRepository(value))]
}

/** The user's own programs are the user's, unless they are named by a relative path. */
function mayLieInRepository(value: string | null): boolean {
  const words = value?.split(/[\s;&|()'"`=!]+/) ?? []
  return words.some((word) => /^[^/~$-][^/]*\//.test(word))
}

function isFileWatcher({ section, subsection, name, value }: GitSetting): boolean {
  const isKey = section === 'core' && subsection === '' && (name === 'fsmonitor' || name === 'virtualfilesystem')
  return isKey && !OFF.has((value ?? 'true').toLowerCase())
}

function isPartialClone({ section, name, value }: GitSetting): boolean {
  if (section === 'extensions') return name === 'partialclone'
  const isRemote = section === 'remote' && (name === 'promisor' || name === 'partialclonefilter')
  return isRemote && !OFF.has((value ?? 'true').toLowerCase())
}

function isSignatureProgram({ section, name }: GitSetting): boolean {
  return section === 'gpg' && (name === 'program' || name === 'defaultkeycommand')
}

function isSignatureShown({ section, name, value }: GitSetting): boolean {
  const isFormat = section === 'pretty' || (section === 'format' && name === 'pretty')
  if (isFormat) return /%[-+ ]?G/.test(value ?? '')
  return section === 'log' && name === 'showsignature' && !OFF.has((value ?? 'true').toLowerCase())
}

/** Where it is switched on, git makes the folder that it keeps resolutions in. */
function isRerere({ section, name }: GitSetting): boolean {
  return section === 'rerere' && name === 'enabled'
}

function isAliasOf(subcommand: string): (setting: GitSetting) => boolean {
  return ({ section, subsection, name }) => section === 'alias' && (name === subcommand || subsection === subcommand)
}

function isDiff({ section, subsection, name }: GitSetting, wanted: string): boolean {
  return section === 'diff' && name === wanted && (wanted !== 'external') === (subsection !== '')
}

function isFilter({ section, name }: GitSetting, names: readonly string[]): boolean {
  return section === 'filter' && names.includes(name)
}

function named(setting: GitSetting | undefined): RepositoryProgram {
  if (setting === undefined) return null
  const { section, subsection, name } = setting
  return `the repository's setting ${[section, subsection, name].filter((part) => part !== '').join('.')}`
}
