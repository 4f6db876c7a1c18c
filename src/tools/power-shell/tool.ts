import { BASH_MAX_RESULT_SIZE_CHARS, COMMAND_PREVIEW_CHARS } from '../../contract/limits.js'
import { SHELL_CWD } from '../../contract/resources.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { askToLeaveSandbox, checkCommandInput } from '../commands/check-command.js'
import { createCommandInputSchema } from '../commands/command-input.js'
import {
  type CommandProgress,
  commandViews,
  createCommandOutputSchema,
  createCommandResult,
} from '../commands/command-output.js'
import { runCommand } from '../commands/run-command.js'
import { prompt } from './prompt.js'

/** PowerShell commands are not parsed, so none counts as read-only or safe to run concurrently. */
export const PowerShellTool = buildTool({
  name: 'PowerShell',
  searchHint: 'execute PowerShell commands',
  needs: ['shell'],
  requiredPrograms: ['pwsh'],
  maxResultSizeChars: BASH_MAX_RESULT_SIZE_CHARS,
  previewChars: COMMAND_PREVIEW_CHARS,
  modes: { repl: 'hidden' },
  description: ({ description }) => description ?? 'Runs a command in PowerShell',
  prompt,

  inputSchema: lazySchema(createCommandInputSchema),
  outputSchema: lazySchema(createCommandOutputSchema),

  command: ({ command }) => ({ text: command, language: 'powershell' }),
  isDestructive: () => true,
  isOpenWorld: () => true,
  interruptBehavior: () => 'cancel',
  resources: () => ({ reads: [SHELL_CWD], writes: [SHELL_CWD], unknown: true }),
  validateInput: checkCommandInput,
  checkPermissions: (input, context) =>
    input.dangerouslyDisableSandbox === true ? askToLeaveSandbox(context) : { behavior: 'passthrough' },
  toAutoClassifierInput: ({ command }) => command,

  call: (input, context, _canUseTool, _parent, onProgress?: (progress: CommandProgress) => void) =>
    runCommand(input, context, { shell: 'powershell', command: context.command }, onProgress),

  mapToolResultToToolResultBlockParam: createCommandResult,

  ...commandViews,
})
