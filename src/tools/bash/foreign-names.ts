import type { ConvertForeignInput, ForeignNames } from '../../contract/tool/identity.js'
import { quoteForShell } from '../../shared/quote.js'
import { renameFields } from '../../shared/rename-fields.js'

const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', '/bin/bash', '/bin/sh'])

/** Tools of other agents that run a command or list a folder. */
export const foreignNames: ForeignNames = {
  ...createNames(convertCommand, ['bash', 'shell', 'local_shell', 'run_terminal_cmd', 'execute_command', 'terminal']),
  ...createNames(convertListing, ['LS', 'ls', 'list_dir', 'list_directory', 'list_files']),
}

function createNames(convert: ConvertForeignInput, names: readonly string[]): ForeignNames {
  return Object.fromEntries(names.map((name) => [name, convert]))
}

function convertCommand(input: Readonly<Record<string, unknown>>) {
  const { command, cmd, workdir, cwd } = input
  const text = toCommandText(command ?? cmd)
  if (text === undefined) return undefined
  const folder = [workdir, cwd].find((value) => typeof value === 'string' && value !== '')
  return {
    command: folder === undefined ? text : `(cd ${quoteIfNeeded(String(folder))} && ${text})`,
    ...renameFields(input, {
      timeout: ['timeout', 'timeout_ms'],
      run_in_background: ['run_in_background', 'is_background'],
      description: ['description', 'explanation', 'justification'],
    }),
  }
}

/** Returns the text of a command that may be a list of words, such as `["bash", "-lc", "npm test"]`. */
function toCommandText(command: unknown): string | undefined {
  if (typeof command === 'string') return command
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return undefined
  const [program = '', option = '', script, ...others] = command
  const isScript = SHELLS.has(program) && (option === '-c' || option === '-lc') && others.length === 0
  return isScript && script !== undefined ? script : command.map(quoteIfNeeded).join(' ')
}

function convertListing(input: Readonly<Record<string, unknown>>) {
  const names = ['path', 'dir_path', 'target_directory', 'relative_workspace_path', 'directory']
  const { path = '.' } = renameFields(input, { path: names })
  return typeof path === 'string'
    ? { command: `ls -la ${quoteIfNeeded(path.startsWith('-') ? `./${path}` : path)}` }
    : undefined
}

/** Plain words stay as they are, so that people and rules read the command as it is usually written. */
function quoteIfNeeded(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : quoteForShell(word)
}
