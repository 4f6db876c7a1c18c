import type { PermissionUpdate } from '../../contract/permission/result.js'
import { formatPermissionRule } from '../../contract/permission/rule.js'
import { parseCommandPattern } from '../../shell/command-pattern.js'

/** A command that a plan needs. */
export interface AllowedPrompt {
  readonly tool: 'Bash'
  readonly prompt: string
}

/** Rules that a person can allow together with a plan, each for one exact command: a pattern could be meant for anything. */
export function promptRules(prompts: readonly AllowedPrompt[]): readonly string[] {
  const rules = prompts.flatMap(({ tool, prompt }) => {
    const command = prompt.trim()
    return isExact(command) ? [formatPermissionRule({ toolName: tool, content: command })] : []
  })
  return [...new Set(rules)]
}

/** What a person can choose beside a plain yes; none of it holds unless their answer carries it. */
export function planUpdates(rules: readonly string[], modeAfter: string): readonly PermissionUpdate[] {
  const acceptEdits: PermissionUpdate = { type: 'setMode', destination: 'session', mode: 'acceptEdits' }
  return [
    ...(modeAfter === 'default' ? [acceptEdits] : []),
    ...(rules.length > 0
      ? [{ type: 'addRules' as const, destination: 'session' as const, behavior: 'allow' as const, rules }]
      : []),
  ]
}

/** More lines than one, or characters that cannot be seen, would be read as less than they are. */
function isExact(command: string): boolean {
  return command !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(command) && parseCommandPattern(command).kind === 'exact'
}
