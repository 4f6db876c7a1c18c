import type { PermissionUpdate } from '../../../contract/permission/result.js'
import { formatPermissionRule, PermissionRuleError, parsePermissionRule } from '../../../contract/permission/rule.js'
import { isRecord } from '../../../shared/is-record.js'

/** A permission rule in the format of the Agent SDK. */
interface RuleValue {
  readonly toolName: string
  readonly ruleContent?: string
}

/** Converts an update to the format of the Agent SDK, whose rules are objects. */
export function toProgramUpdate(update: PermissionUpdate): Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly destination: string
} {
  return 'rules' in update ? { ...update, rules: update.rules.map(toRuleValue) } : { ...update }
}

function toRuleValue(text: string): RuleValue {
  try {
    const { toolName, content } = parsePermissionRule(text)
    return { toolName, ...(content !== undefined && { ruleContent: content }) }
  } catch (error) {
    if (!(error instanceof PermissionRuleError)) throw error
    return { toolName: text }
  }
}

/**
 * Converts an update of a driving program. Rules may be texts, as Haft writes them, or objects. The update is validated
 * when it is applied.
 */
export function fromProgramUpdate(update: Readonly<Record<string, unknown>>): PermissionUpdate {
  const { rules, destination } = update
  const converted = {
    ...update,
    // The Agent SDK calls rules of the command line a destination; they are forgotten with the session, too.
    ...(destination === 'cliArg' && { destination: 'session' }),
    ...(Array.isArray(rules) && { rules: rules.map(fromRuleValue) }),
  }
  return converted as unknown as PermissionUpdate
}

function fromRuleValue(rule: unknown): unknown {
  if (!isRecord(rule) || typeof rule.toolName !== 'string') return rule
  const { toolName, ruleContent } = rule
  return formatPermissionRule({
    toolName,
    ...(typeof ruleContent === 'string' && ruleContent !== '' && { content: ruleContent }),
  })
}
