/** A permission rule taken apart: `Bash(npm test)` is the tool `Bash` with the content `npm test`. */
export interface PermissionRule {
  /** The rule as it was written, without space around it. */
  readonly text: string
  readonly toolName: string
  /** Left out where the rule covers every call of the tool. */
  readonly content?: string
}

/** A rule that cannot be read: it is reported to its author, never silently dropped. */
export class PermissionRuleError extends Error {
  override readonly name = 'PermissionRuleError'
}

const PLAIN_NAME = /^[a-zA-Z0-9_-]+$/
const SERVER_RULE = /^mcp__./

/** Reads `Tool` or `Tool(content)`. Content runs to the last parenthesis, so it needs no escapes. */
export function parsePermissionRule(written: string): PermissionRule {
  const text = written.trim()
  const open = text.indexOf('(')
  const before = open === -1 ? text : text.slice(0, open)
  // A server's name may hold parentheses itself; content always runs to the end.
  const isServerName = SERVER_RULE.test(text) && !text.endsWith(')')
  if (PLAIN_NAME.test(before) && !isServerName) {
    return open === -1 ? { text, toolName: text } : ruleWithContent(text, before)
  }
  // A server may have any name, and a rule may spell it as its owner does.
  if (SERVER_RULE.test(text)) return { text, toolName: text }
  if (text === '') throw new PermissionRuleError('A permission rule is empty.')
  throw new PermissionRuleError(`Permission rule ${JSON.stringify(text)} must be written Tool or Tool(content).`)
}

function ruleWithContent(text: string, toolName: string): PermissionRule {
  if (!text.endsWith(')'))
    throw new PermissionRuleError(`Permission rule ${JSON.stringify(text)} lacks its closing parenthesis.`)
  const content = text.slice(toolName.length + 1, -1)
  if (content.trim() === '') {
    throw new PermissionRuleError(
      `Permission rule ${JSON.stringify(text)} has empty content; write ${toolName} to cover every call.`,
    )
  }
  return { text, toolName, content }
}

export function formatPermissionRule(rule: Pick<PermissionRule, 'toolName' | 'content'>): string {
  return rule.content === undefined ? rule.toolName : `${rule.toolName}(${rule.content})`
}
