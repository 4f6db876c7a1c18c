import type { PermissionAsk, PermissionPassthrough } from '../../contract/permission/result.js'
import type { ToolContext, ValidationResult } from '../../contract/tool/tool.js'
import type { CommandInput } from './command-input.js'
import { canReadTasks } from './run-command.js'

/** Checks the input for problems that the schema cannot express. */
export function checkCommandInput(
  { command, run_in_background }: CommandInput,
  context: Pick<ToolContext, 'options'>,
): ValidationResult {
  if (command.trim() === '') return createRefusal(1, 'The command is empty. Send the command to run.')
  if (command.includes('\0'))
    return createRefusal(2, 'The command contains a NUL character, which shells do not accept. Remove it.')
  if (run_in_background === true && !canReadTasks(context)) {
    return createRefusal(3, 'Background tasks cannot be read here. Run the command without run_in_background.')
  }
  return { result: true }
}

function createRefusal(errorCode: number, message: string): ValidationResult {
  return { result: false, errorCode, message }
}

/**
 * Asks the user before a command leaves the sandbox. Without a sandbox, there is nothing to ask. Read-only commands are
 * restricted even if the settings turn the sandbox off or there is none, because they run without approval: then they inherit
 * only harmless variables.
 */
export async function askToLeaveSandbox({
  shell,
  command,
}: Pick<ToolContext<'shell'>, 'shell' | 'command'>): Promise<PermissionAsk<never> | PermissionPassthrough> {
  const { isAvailable, byDefault } = await shell.confinement()
  const hasSandbox = isAvailable && byDefault !== 'none'
  if (!hasSandbox && command?.fitsReadOnlySandbox !== true) return { behavior: 'passthrough' }
  const text = 'dangerouslyDisableSandbox runs it outside the sandbox'
  return { behavior: 'ask', message: `The command needs approval: ${text}.`, reason: { type: 'tool', text } }
}

/**
 * Whether a command whose writes are unknown runs in a sandbox by default. False for all other commands, and if the shell
 * gives no answer.
 */
export async function runsConfined({
  shell,
  command,
}: Pick<ToolContext<'shell'>, 'shell' | 'command'>): Promise<boolean> {
  const needsAnswer =
    command?.runsUnknownText === true || command?.commands.some((each) => each.writesUnknownFile === true)
  if (needsAnswer !== true) return false
  try {
    const { isAvailable, byDefault } = await shell.confinement()
    return isAvailable && byDefault !== 'none'
  } catch {
    return false
  }
}
