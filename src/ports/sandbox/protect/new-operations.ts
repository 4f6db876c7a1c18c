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
 * Records which git folders have no rebase, cherry-pick or similar operation in progress. If a command leaves such an
 * operation, and continuing it would run a program, the returned function renames its folder and returns notices about it.
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
  const strategies = [readOrEmpty(join(folder, 'strategy')), readStrategy(readOrEmpty(join(folder, 'opts')))]
  return (
    todoLists.some((text) => text === undefined || !text.split('\n').every((line) => HARMLESS_LINE.test(line))) ||
    strategies.some((text) => text === undefined || !STRATEGIES.test(text.trim()))
  )
}

/** Returns the strategy in the options of a cherry-pick, which git stores as a configuration file. */
function readStrategy(options: string | undefined): string | undefined {
  if (options === undefined) return undefined
  const { settings, isMalformed } = parseGitConfig(options)
  if (isMalformed) return undefined
  return settings.findLast(({ name }) => name === 'strategy')?.value ?? ''
}

/** Returns an empty text if the file is missing, and undefined if it is too large or not a regular file: git might still read it. */
function readOrEmpty(file: string): string | undefined {
  if (lookAt(file) === undefined) return ''
  const readResult = readRegularText(file, { maxBytes: MAX_BYTES })
  return readResult.kind === 'found' ? readResult.content : undefined
}
