/** A parsed permission rule: `Bash(npm test)` has the tool name `Bash` and the content `npm test`. */
export interface PermissionRule {
  /** The rule as written, trimmed. */
  readonly text: string
  readonly toolName: string
  /** Left out if the rule covers every call of the tool. */
  readonly content?: string
}

/** A rule with invalid syntax. It is reported, never silently ignored. */
export class PermissionRuleError extends Error {
  override readonly name = 'PermissionRuleError'
}

const PLAIN_NAME = /^[a-zA-Z0-9_-]+$/
const SERVER_RULE = /^mcp__./

/** Parses `Tool` or `Tool(content)`. The last character closes the content, so parentheses in it need no escapes. */
export function parsePermissionRule(ruleText: string): PermissionRule {
  const text = ruleText.trim()
  const openIndex = text.indexOf('(')
  const name = openIndex === -1 ? text : text.slice(0, openIndex)
  // The name of a server may contain parentheses; content always extends to the end of the rule.
  const isServerName = SERVER_RULE.test(text) && !text.endsWith(')')
  if (PLAIN_NAME.test(name) && !isServerName) {
    return openIndex === -1 ? { text, toolName: text } : parseRuleWithContent(text, name)
  }
  // A server may have any name, and a rule may use the original spelling.
  if (SERVER_RULE.test(text)) return { text, toolName: text }
  if (text === '') throw new PermissionRuleError('A permission rule is empty. Write Tool or Tool(content).')
  throw new PermissionRuleError(`Permission rule ${JSON.stringify(text)} must be written Tool or Tool(content).`)
}

function parseRuleWithContent(text: string, toolName: string): PermissionRule {
  if (!text.endsWith(')'))
    throw new PermissionRuleError(`Permission rule ${JSON.stringify(text)} must end with a closing parenthesis.`)
  const content = text.slice(toolName.length + 1, -1)
  if (content.trim() === '') {
    throw new PermissionRuleError(
      `Permission rule ${JSON.stringify(text)} has empty content; write ${toolName} to cover every call.`,
    )
  }
  return { text, toolName, content }
}

/** Formats a rule as text, the inverse of `parsePermissionRule`. */
export function formatPermissionRule(rule: Pick<PermissionRule, 'toolName' | 'content'>): string {
  return rule.content === undefined ? rule.toolName : `${rule.toolName}(${rule.content})`
}
