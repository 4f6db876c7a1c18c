import type { CommandAnalysis } from '../../contract/command.js'
import { BASH_MAX_RESULT_SIZE_CHARS, COMMAND_PREVIEW_CHARS } from '../../contract/limits.js'
import { type PathResource, SHELL_CWD, type ToolResources } from '../../contract/resources.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { matchesCommandRule } from '../../shell/patterns/match-command.js'
import { splitPlainWords } from '../../shell/words/plain-words.js'
import { createBashOptions } from '../commands/bash-options.js'
import { askToLeaveSandbox, checkCommandInput, runsConfined } from '../commands/check-command.js'
import { type CommandInput, createCommandInputSchema } from '../commands/command-input.js'
import {
  type CommandProgress,
  commandViews,
  createCommandOutputSchema,
  createCommandResult,
} from '../commands/command-output.js'
import { runCommand } from '../commands/run-command.js'
import { TASK_LIST } from '../tasks/task-resources.js'
import { findBashExitMeaning } from './bash-exit-meaning.js'
import { foreignNames } from './foreign-names.js'
import { prompt } from './prompt.js'
import { parseSedEdit, previewSedEdit, writeSedEdit } from './sed-edit.js'

const TOOL_NAME = 'Bash'

export const BashTool = buildTool({
  name: TOOL_NAME,
  foreignNames,
  searchHint: 'execute shell commands',
  needs: ['shell'],
  runsOnlyItsCommand: true,
  maxResultSizeChars: BASH_MAX_RESULT_SIZE_CHARS,
  previewChars: COMMAND_PREVIEW_CHARS,
  modes: { simple: true, repl: 'hidden' },
  description: ({ description }) => description ?? 'Runs a command',
  prompt,

  inputSchema: lazySchema(createCommandInputSchema),
  outputSchema: lazySchema(createCommandOutputSchema),

  command: ({ command }) => ({ text: command, language: 'bash' }),
  isReadOnly: (_input, command?: CommandAnalysis) => command?.isReadOnly === true,
  isConcurrencySafe: (_input, command?: CommandAnalysis) => command?.isConcurrencySafe === true,
  isDestructive: (_input, command?: CommandAnalysis) => command?.isReadOnly !== true,
  isOpenWorld: (_input, command?: CommandAnalysis) => command?.resources.network !== false,
  isSearchOrReadCommand: ({ command }) => classifyCommand(command),
  interruptBehavior: () => 'cancel',
  resources: ({ run_in_background }, command?: CommandAnalysis) =>
    addTaskList(getCommandResources(command), run_in_background === true),
  preparePermissionMatcher: (_input, command?: CommandAnalysis) => (content) => matchesCommandRule(content, command),
  validateInput: checkCommandInput,
  async checkPermissions(input, context) {
    if (input.dangerouslyDisableSandbox === true) return askToLeaveSandbox(context)
    const isConfined = await runsConfined(context)
    if (input.run_in_background === true) return { behavior: 'passthrough', isConfined }
    const preview = await previewIfPossible(() => previewSedEdit(context))
    return { behavior: 'passthrough', isConfined, ...(preview !== undefined && { preview }) }
  },
  toAutoClassifierInput: ({ command }) => command,

  async call(input, context, _canUseTool, _parent, onProgress?: (progress: CommandProgress) => void) {
    const editResult = await writeSedEdit(input.command, context)
    if (editResult !== undefined) return editResult
    const options = await createBashOptions(input.command, context, TOOL_NAME)
    const { exitStatusOf } = options.command
    const exitMeaning = (exitCode: number, output: string) => findBashExitMeaning(exitStatusOf, exitCode, output)
    return runCommand(input, context, { ...options, exitMeaning }, onProgress)
  },

  mapToolResultToToolResultBlockParam: createCommandResult,

  ...commandViews,
  getToolUseSummary: summariseCommand,
})

function addTaskList(resources: ToolResources, startsTask: boolean): ToolResources {
  return startsTask ? { ...resources, writes: [...(resources.writes ?? []), TASK_LIST] } : resources
}

/** Returns undefined if the preview fails. The command is then checked and run like any other. */
async function previewIfPossible(preview: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await preview()
  } catch {
    return undefined
  }
}

const SEARCHING_PROGRAMS: ReadonlySet<string> = new Set(['ag', 'fd', 'find', 'grep', 'rg', 'which'])
const READING_PROGRAMS: ReadonlySet<string> = new Set([
  'bat',
  'cat',
  'file',
  'head',
  'less',
  'nl',
  'stat',
  'tail',
  'wc',
])
const LISTING_PROGRAMS: ReadonlySet<string> = new Set(['du', 'ls', 'tree'])

/** Classifies a plain command by its program: whether it searches, reads or lists. This only decides how the call is shown. */
function classifyCommand(command: unknown) {
  const [program = ''] = typeof command === 'string' ? (splitPlainWords(command) ?? []) : []
  return {
    isSearch: SEARCHING_PROGRAMS.has(program),
    isRead: READING_PROGRAMS.has(program),
    isList: LISTING_PROGRAMS.has(program),
  }
}

/** Summarises a command. A `sed` edit is shown as an edit. */
function summariseCommand(input: Partial<CommandInput> | undefined): string | null {
  const command: unknown = input?.command
  const edit = typeof command === 'string' ? parseSedEdit(splitPlainWords(command)) : undefined
  return edit === undefined ? commandViews.getToolUseSummary(input) : `edit ${edit.file}`
}

/** Returns the resources of a command, for scheduling and checkpoints. A command without analysis may use any resource. */
function getCommandResources(command: CommandAnalysis | undefined): ToolResources {
  if (command === undefined) return { reads: [SHELL_CWD], writes: [SHELL_CWD], network: true, unknown: true }
  const { reads, writes, network, isUnknown, dependsOnHome } = command.resources
  // The home folder is unknown here, so a path below it cannot be resolved.
  const isUnlisted = isUnknown || dependsOnHome || [...reads, ...writes].some((path) => path.startsWith('~'))
  // Without lists, the command counts as reading everything. With `unknown`, it would also count as writing.
  if (command.isReadOnly && isUnlisted) return { network }
  return {
    reads: [SHELL_CWD, ...toPathResources(reads)],
    writes: [...(command.isConcurrencySafe ? [] : [SHELL_CWD]), ...toPathResources(writes)],
    network,
    ...(isUnlisted && { unknown: true }),
  }
}

function toPathResources(paths: readonly string[]): readonly PathResource[] {
  return paths.filter((path) => !path.startsWith('~')).map((path) => ({ path }))
}
