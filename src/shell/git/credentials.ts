import type { GitWord } from './git-use.js'
import type { GitSetting } from './parse-git-config.js'

/** Sections of the settings of git that contain no credentials. */
export const SECTIONS_WITHOUT_CREDENTIALS: ReadonlySet<string> = new Set([
  ...['user', 'author', 'committer', 'core', 'alias', 'color', 'column', 'diff', 'difftool', 'merge', 'mergetool'],
  ...['init', 'pull', 'push', 'fetch', 'rebase', 'rerere', 'log', 'format', 'safe', 'commit', 'gpg', 'tag', 'branch'],
  ...['advice', 'status', 'help', 'pager', 'interactive', 'delta', 'include', 'includeif', 'filter', 'lfs', 'index'],
  ...['feature', 'gc', 'maintenance', 'pack', 'protocol', 'submodule', 'blame', 'grep', 'worktree', 'checkout'],
  ...['stash', 'extensions', 'transfer', 'receive', 'apply', 'versionsort', 'i18n', 'mailmap', 'showbranch', 'man'],
])

const CREDENTIAL_TEXT = /:\/\/[^/\s]*@|token|password|passwd|secret|bearer|basic /i

/** Whether a setting may contain a password or a key. The name of the credential helper is not secret. */
export function mayHoldCredentials({ section, subsection, name, value }: GitSetting): boolean {
  if (CREDENTIAL_TEXT.test(`${subsection}\n${name}\n${value ?? ''}`)) return true
  const isHelper = section === 'credential' && name === 'helper'
  return !isHelper && section !== 'url' && section !== 'remote' && !SECTIONS_WITHOUT_CREDENTIALS.has(section)
}

/** Options of `git config` that read other settings than those of the user. */
const OWN_SETTINGS = /^(?:--local|--worktree|-f.*|--file(?:=.*)?|--blob(?:=.*)?)$/
const LISTING_OPTION = /^-[a-z]*l|^--list$|^list$|^--get-(?:regexp|urlmatch)$/

/** Returns which settings of the user a git command prints although its words do not name them. */
export function findPrintedUserSettings(subcommand: string, words: readonly GitWord[]): 'all' | 'urls' | 'none' {
  if (subcommand === 'remote' || subcommand === 'ls-remote') return words.length > 0 ? 'urls' : 'none'
  if (subcommand !== 'config' || words.some((word) => word !== null && OWN_SETTINGS.test(word))) return 'none'
  return words.some((word) => word === null || LISTING_OPTION.test(word)) ? 'all' : 'none'
}

/** Whether a git command would print a setting that may contain credentials. */
export function printsCredentials(
  subcommand: string,
  words: readonly GitWord[],
  userSettings: readonly GitSetting[],
): boolean {
  const printedSettings = findPrintedUserSettings(subcommand, words)
  if (printedSettings === 'none') return false
  // Git replaces URLs as `url.BASE.insteadOf` says.
  return userSettings.some(
    (setting) => mayHoldCredentials(setting) && (printedSettings === 'all' || /^(?:url|remote)$/.test(setting.section)),
  )
}
