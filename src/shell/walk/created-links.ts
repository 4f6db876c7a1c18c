import type { SimpleCommand } from '../../contract/command.js'
import { isPathInside } from '../../shared/path-containment.js'
import { joinPath, type Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import { baseNameOf } from './program-names.js'
import { findRepositoryRoots } from './repository-use.js'
import type { Walker } from './walker.js'

/** Files of the system, among which no command of a project creates links. */
const SYSTEM_PATH = /^\/(?:dev|etc|proc|sys|usr)\/(?!.*\.\.)/
const POSIX = { platform: 'linux' }

/** Whether a path may lead through a link that the script itself creates. A trailing slash means everything below the path. */
export function mayCrossCreatedLink(
  path: string,
  { start, links: { links, copies } }: Pick<Walker, 'start' | 'links'>,
): boolean {
  if (links.size + copies.size === 0 || SYSTEM_PATH.test(path)) return false
  const isTree = path.endsWith('/')
  const isCopy = listCrossedPaths(start, path).some(
    (crossedPath, at, all) => copies.has(crossedPath) && !(isTree && at === all.length - 1),
  )
  return isCopy || leadsInto(links, path, start)
}

/** Whether a path may lead through a link that the script restores, unpacks or installs, for example with `git checkout`. */
export function mayCrossRestoredLink(
  path: string,
  { start, links: { folders } }: Pick<Walker, 'start' | 'links'>,
): boolean {
  return folders.size > 0 && !SYSTEM_PATH.test(path) && leadsInto(folders, path, start)
}

function leadsInto(linkPaths: ReadonlySet<string>, path: string, start: string): boolean {
  const isTree = path.endsWith('/')
  return listCrossedPaths(start, path).some((crossedPath, at, all) =>
    [...linkPaths].some(
      (linkPath) =>
        isPathInside(crossedPath, linkPath, POSIX) ||
        (isTree && at === all.length - 1 && isPathInside(linkPath, crossedPath, POSIX)),
    ),
  )
}

/** Returns every folder that `..` leaves, then the whole path. If such a folder is a link, `..` leads to the folder of its target. */
function listCrossedPaths(start: string, path: string): readonly string[] {
  const names = path.split('/')
  const parents = names.flatMap((name, at) => (name === '..' ? [names.slice(0, at).join('/')] : []))
  return [...parents.filter((parent) => parent !== '').map((parent) => joinPath(start, parent)), joinPath(start, path)]
}

/** Records the links that a command may create. */
export function recordLinks(walker: Walker, command: SimpleCommand, scope: Scope): void {
  const { words, writes } = command
  const name = baseNameOf(words[0] ?? '')
  const { links, copies, folders } = walker.links
  const isCopyOfLinks =
    name === 'cp' && words.some((word) => /^-(?:[A-Za-z]*[slPd]|-(?:symbolic-)?link$|-no-dereference$)/.test(word))
  // A copied folder is written to often; only the copy itself may be a link.
  const isCopyOfFolders = name === 'cp' && words.some((word) => /^-[A-Za-z]*[arR]|^--(?:archive|recursive)/.test(word))
  const makesLinks = name === 'ln' || name === 'link' || isCopyOfLinks
  if (makesLinks) addAll(links, writes, walker.start)
  if (isCopyOfFolders) addAll(copies, writes, walker.start)
  if (!command.isReadOnly) addAll(folders, listRestoredFolders(name, words, walker, scope), walker.start)
}

function addAll(set: Set<string>, paths: readonly string[], start: string): void {
  for (const path of paths) set.add(joinPath(start, path))
}

/** Returns the folders in which a command may turn any file into a link. */
function listRestoredFolders(name: string, words: readonly string[], walker: Walker, scope: Scope): readonly string[] {
  const workingFolders = scope.folders ?? [walker.start]
  if (name === 'git') return restoresFiles(words.slice(1)) ? (findRepositoryRoots(walker, scope) ?? ANY_FOLDER) : []
  if (name === 'gh' && words.includes('checkout')) return ANY_FOLDER
  if (PACKAGE_MANAGER.test(name) && !RUNS_SCRIPT.test(words[1] ?? ''))
    return [...workingFolders, walker.start].map((folder) => joinPath(folder, 'node_modules'))
  return unpacksFiles(name, words) ? workingFolders : []
}

/** The repository may be any folder above the working folder. */
const ANY_FOLDER = ['/']

/** Package managers link packages of the project into the folder of its dependencies. */
const PACKAGE_MANAGER = /^(?:npm|pnpm|yarn|bun)$/
const RUNS_SCRIPT = /^(?:run|run-script|test|t|start|exec|x|publish|pack|version)$/

/** Whether an archive is unpacked, which may contain links. */
function unpacksFiles(name: string, [, ...args]: readonly string[]): boolean {
  if (name === 'unzip') return true
  return (
    /^(?:bsd|g)?tar$/.test(name) && args.some((word, at) => (at === 0 ? /^-?\w*x/ : /^-\w*x|^--(?:ex|get)/).test(word))
  )
}

/**
 * Whether a command does not follow links among the files that it reads. Git compares a link itself with the repository and
 * refuses paths through links, except for files outside the repository.
 */
export function ignoresLinks(words: readonly ShellWord[], subcommandAt: SimpleCommand['subcommandAt']): boolean {
  if (words[0]?.text !== 'git' || typeof subcommandAt !== 'number') return false
  if (words.some(({ text }) => text === '--no-index' || /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(text))) return false
  return /^(?:log|show|diff|status|whatchanged|shortlog|rev-list|ls-files|ls-tree|cat-file)$/.test(
    words[subcommandAt + 1]?.text ?? '',
  )
}

/** Git subcommands that put versions of files, links among them, into the working tree. */
const RESTORING_SUBCOMMAND =
  /^(?:checkout|switch|merge|cherry-pick|reset|revert|stash|pull|rebase|mv|restore|apply|am|worktree|clone|submodule|read-tree|checkout-index)$/

function restoresFiles(args: readonly string[]): boolean {
  const at = args.findIndex((word) => RESTORING_SUBCOMMAND.test(word))
  const subcommand = args[at]
  const subcommandArguments = args.slice(at + 1)
  if (subcommand === undefined) return false
  if (subcommand === 'reset') return subcommandArguments.some((word) => /^--(?:h|me|k)/.test(word))
  // A new branch at the current commit changes no file.
  const isNewBranch = subcommandArguments.length === 2 && /^-[bBcC]$/.test(subcommandArguments[0] ?? '')
  return !((subcommand === 'checkout' || subcommand === 'switch') && isNewBranch)
}
