import type { ToolContext, ValidationResult } from '../contract/tool/tool.js'
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
