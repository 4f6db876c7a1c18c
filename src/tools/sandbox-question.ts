import type { PermissionAsk, PermissionPassthrough } from '../contract/permission/result.js'
import type { ToolContext } from '../contract/tool/tool.js'

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
  return { behavior: 'ask', message: `The command needs an answer: ${text}.`, reason: { type: 'tool', text } }
}
