import { join } from 'node:path'
import { parseGitConfig } from '../../../shell/git/parse-git-config.js'
import { readRegularText } from '../../../system/read-regular-file.js'
import { lookAt } from '../look-at.js'
import { moveAway } from './move-away.js'
import { OPERATION_FOLDERS } from './protected-names.js'

const MAX_BYTES = 1024 * 1024

/** The lines of a todo list that run no program, besides comments. */
const HARMLESS_LINE =
  /^\s*(?:#.*|(?:pick|p|revert|reword|r|edit|e|squash|s|fixup|f|drop|d|noop|break|b|label|l|reset|t|merge|m|update-ref|u)(?:\s.*)?)?$/

/** Git runs the program `git-merge-NAME` for any other name. */
const STRATEGIES = /^(?:ort|recursive|resolve|octopus|ours|subtree)?$/

/**
 * Notes which git folders have no rebase, cherry-pick and the like in progress. The returned function renames one that a
 * command has left and with which `git rebase --continue` would run a program, and returns notices about it.
 */
export function watchOperations(gitFolders: readonly string[]): () => readonly string[] {
  const missingPaths = gitFolders
    .flatMap((folder) => OPERATION_FOLDERS.map((name) => join(folder, name)))
    .filter((path) => lookAt(path) === undefined)
  return () =>
    missingPaths
      .filter(runsPrograms)
      .map(
        (path) =>
          `Continuing the rebase or cherry-pick that the command left would run programs: ${path} was renamed to ${moveAway(path)}. Tell the user.`,
      )
}

function runsPrograms(folder: string): boolean {
  const foundEntry = lookAt(folder)
  if (foundEntry === undefined) return false
  if (!foundEntry.isDirectory()) return true
  const todoLists = ['git-rebase-todo', 'todo'].map((name) => readOrEmpty(join(folder, name)))
  const strategies = [readOrEmpty(join(folder, 'strategy')), strategyOf(readOrEmpty(join(folder, 'opts')))]
  return (
    todoLists.some((text) => text === undefined || !text.split('\n').every((line) => HARMLESS_LINE.test(line))) ||
    strategies.some((text) => text === undefined || !STRATEGIES.test(text.trim()))
  )
}

/** The strategy in the options of a cherry-pick, which git keeps as a configuration file. */
function strategyOf(options: string | undefined): string | undefined {
  if (options === undefined) return undefined
  const { settings, isMalformed } = parseGitConfig(options)
  if (isMalformed) return undefined
  return settings.findLast(({ name }) => name === 'strategy')?.value ?? ''
}

/** Undefined if git might read more than Haft does. */
function readOrEmpty(file: string): string | undefined {
  if (lookAt(file) === undefined) return ''
  const readResult = readRegularText(file, { maxBytes: MAX_BYTES })
  return readResult.kind === 'found' ? readResult.content : undefined
}
