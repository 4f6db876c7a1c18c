import type { Environment } from './read-settings.js'

/** Variables of git that neither choose a repository nor name a program that a command that reads would run. */
const HARMLESS =
  /^GIT_(PAGER|EDITOR|SEQUENCE_EDITOR|AUTHOR_.*|COMMITTER_.*|TERMINAL_PROMPT|ASKPASS|OPTIONAL_LOCKS|MERGE_AUTOEDIT|CEILING_DIRECTORIES|SSH|SSH_COMMAND|SSH_VARIANT|PS1_.*|DEFAULT_HASH|REFLOG_ACTION|FLUSH|ADVICE|NO_LAZY_FETCH|NO_REPLACE_OBJECTS|ICASE_PATHSPECS|CONFIG_(COUNT|KEY_\d+|VALUE_\d+|NOSYSTEM|GLOBAL|SYSTEM)|PROTOCOL|ALLOW_PROTOCOL|HTTP_.*|LFS_SKIP_SMUDGE|DISCOVERY_ACROSS_FILESYSTEM)$/

/** A variable that would make git look at another repository, or run or write something by itself. */
export function decidingVariable(environment: Environment): string | null {
  const names = Object.keys(environment).filter((name) => name.startsWith('GIT_') && environment[name] !== '')
  return names.find((name) => environment[name] !== undefined && !HARMLESS.test(name)) ?? null
}
