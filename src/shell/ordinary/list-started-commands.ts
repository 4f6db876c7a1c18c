import type { ShellWord } from '../words/shell-word.js'
import type { OrdinaryUse } from './use.js'

/** A URL that git reaches with ssh: `ssh://host/x`, `git+ssh://host/x`, `git@host:x`, `host:x`. */
const SSH_URL = /^(?:git\+)?ssh:\/\/|^(?:git\+)?(?:[\w.-]+@)?[\w.-]+:(?!\/\/|\d+$)/
/** A package that a package manager fetches with git: `git+https://host/x`, `git@host:x`, `github:user/x`, `user/x`. */
const GIT_PACKAGE = /^git(?:\+\w+:|:|@)|^(?:github|gitlab|bitbucket):|^(?!@|\.)[\w.-]+\/[\w.-]+$|\.git(?:[#@]|$)/
const INSTALLER = /^(?:npm|pnpm|yarn|bun|pip[\d.]*|uv|poetry|pipenv|pdm|bundle|composer)$/
const GIT_COMMANDS = [
  ['git', 'clone'],
  ['git', 'fetch'],
  ['git', 'ls-remote'],
  ['git', 'checkout'],
]

/** Returns the commands that an ordinary command starts by itself: those of its table, and those for the URLs it is given. */
export function listStartedCommands(
  { starts }: OrdinaryUse,
  [program, ...args]: readonly ShellWord[],
): readonly (readonly string[])[] | undefined {
  const commands = starts?.split(', ').map((command) => command.split(' ')) ?? []
  const name = program?.text.slice(program.text.lastIndexOf('/') + 1) ?? ''
  const isInstaller = INSTALLER.test(name)
  if (isInstaller && args.some(({ text }) => GIT_PACKAGE.test(text))) commands.push(...GIT_COMMANDS)
  if ((isInstaller || name === 'git') && args.some(({ text }) => SSH_URL.test(text))) commands.push(['ssh'])
  return commands.length === 0 ? undefined : commands
}
