import type { PermissionAsk, PermissionPassthrough } from '../../contract/permission/result.js'
import type { ToolContext, ValidationResult } from '../../contract/tool/tool.js'
import type { CommandInput } from './command-input.js'
import { canReadTasks } from './run-command.js'

/** What the schema cannot say of a command. */
export function checkCommandInput(
  { command, run_in_background }: CommandInput,
  context: Pick<ToolContext, 'options'>,
): ValidationResult {
  if (command.trim() === '') return refused(1, 'The command is empty.')
  if (command.includes('\0')) return refused(2, 'The command holds a NUL character, which no shell takes.')
  if (run_in_background === true && !canReadTasks(context)) {
    return refused(3, 'Background work cannot be read here. Run the command without run_in_background.')
  }
  return { result: true }
}

function refused(errorCode: number, message: string): ValidationResult {
  return { result: false, errorCode, message }
}

/**
 * A command that wants out of the sandbox is for a person to decide; where there is none, there is nothing to leave.
 * One that only reads is held whatever the settings say, unless a rule names it, because nobody is asked about it.
 */
export async function askToLeaveSandbox(
  { shell }: Pick<ToolContext<'shell'>, 'shell'>,
  { isReadOnly = false }: { readonly isReadOnly?: boolean } = {},
): Promise<PermissionAsk<never> | PermissionPassthrough> {
  const { isAvailable, byDefault } = await shell.confinement()
  if (!isAvailable || (byDefault === 'none' && !isReadOnly)) return { behavior: 'passthrough' }
  const text = 'dangerouslyDisableSandbox runs it outside the sandbox'
  return { behavior: 'ask', message: `The command needs approval: ${text}.`, reason: { type: 'tool', text } }
}
