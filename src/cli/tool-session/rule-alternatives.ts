import { dirname } from 'node:path'
import type { PermissionQuestion } from '../../calls/call-environment.js'
import { formatPermissionRule, type PermissionRule, parsePermissionRule } from '../../contract/permission/rule.js'
import { toRuleContent } from '../../permissions/decide/suggest-command-rule.js'

export interface RuleAlternatives {
  readonly narrower: readonly string[] | undefined
  readonly broader: readonly string[] | undefined
}

/** Returns rules that allow less or more than the suggested ones. */
export function findAlternatives(rules: readonly string[], question: PermissionQuestion): RuleAlternatives {
  const { tool, input, command: analysis } = question
  const parsedRules = rules.map(parsePermissionRule)
  const isCommand = tool.command?.(input) !== undefined
  const narrowerRules = parsedRules.map((rule) => narrow(rule, analysis))
  // A user who approves `rm -rf build` must not allow every `rm` with one keypress.
  const isDeleting = analysis?.commands.some(({ deletesFiles }) => deletesFiles === true) === true
  const broaderRules = isDeleting ? [] : parsedRules.map((rule) => broaden(rule, isCommand))
  return {
    narrower: keepIfChanged(rules, narrowerRules),
    broader: keepIfChanged(rules, broaderRules),
  }
}

function keepIfChanged(
  rules: readonly string[],
  candidates: readonly (string | undefined)[],
): readonly string[] | undefined {
  const newRules = candidates.filter((rule) => rule !== undefined)
  if (newRules.length !== rules.length || newRules.every((rule, index) => rule === rules[index])) return undefined
  return [...new Set(newRules)]
}

/** Returns a rule for exactly the command that the prefix matches, if it matches only one. */
function narrow({ toolName, content }: PermissionRule, analysis: PermissionQuestion['command']): string | undefined {
  if (analysis === undefined || content?.endsWith(':*') !== true) return undefined
  const prefix = content.slice(0, -2).split(' ')
  const matches = analysis.commands.filter(({ words }) => prefix.every((word, index) => words[index] === word))
  const [command, ...others] = matches
  if (command === undefined || others.length > 0) return undefined
  const exactContent = toRuleContent(command.words, { isExact: true })
  if (exactContent === undefined || exactContent.includes('$')) return undefined
  return formatPermissionRule({ toolName, content: exactContent })
}

function broaden(rule: PermissionRule, isCommand: boolean): string | undefined {
  const { toolName, content } = rule
  if (isCommand) return content === undefined ? undefined : broadenCommand(toolName, content)
  const [, server] = /^mcp__(.+?)__/.exec(toolName) ?? []
  if (server !== undefined) return `mcp__${server}`
  if (content === undefined) return undefined
  if (content.startsWith('/')) {
    const folder = dirname(content)
    return formatPermissionRule({ toolName, content: folder === '/' ? '/**' : `${folder}/**` })
  }
  return content.startsWith('domain:') ? toolName : undefined
}

/** Shortens a prefix rule by one word, or an exact rule to its program. Returns undefined if that would allow too much. */
function broadenCommand(toolName: string, content: string): string | undefined {
  const words = content.replace(/:\*$/, '').split(' ')
  const newPrefix = content.endsWith(':*') ? words.slice(0, -1) : words.slice(0, 1)
  // Programs that run other programs must not be allowed with any arguments.
  if (
    newPrefix.length === 0 ||
    newPrefix.some((word) => /["'\\]/.test(word)) ||
    toRuleContent([...newPrefix, '-c']) === undefined
  )
    return undefined
  return formatPermissionRule({ toolName, content: `${newPrefix.join(' ')}:*` })
}
