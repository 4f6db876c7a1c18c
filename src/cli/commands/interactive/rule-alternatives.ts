import { dirname } from 'node:path'
import type { PermissionQuestion } from '../../../calls/call-environment.js'
import { formatPermissionRule, type PermissionRule, parsePermissionRule } from '../../../contract/permission/rule.js'
import { toRuleContent } from '../../../permissions/decide/suggest-command-rule.js'

export interface RuleAlternatives {
  readonly narrower: readonly string[] | undefined
  readonly broader: readonly string[] | undefined
}

/** Rules that allow less or more than the suggested ones. */
export function findAlternatives(rules: readonly string[], question: PermissionQuestion): RuleAlternatives {
  const { tool, input, command: analysis } = question
  const parsedRules = rules.map(parsePermissionRule)
  const isCommand = tool.command?.(input) !== undefined
  const narrowerRules = parsedRules.map((rule) => narrow(rule, analysis))
  // One key must not broaden `rm -rf build` to any `rm`.
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
  const known = candidates.filter((rule) => rule !== undefined)
  if (known.length !== rules.length || known.every((rule, index) => rule === rules[index])) return undefined
  return [...new Set(known)]
}

/** A rule for exactly the command that the prefix matches, if it matches only one. */
function narrow({ toolName, content }: PermissionRule, analysis: PermissionQuestion['command']): string | undefined {
  if (analysis === undefined || content?.endsWith(':*') !== true) return undefined
  const prefix = content.slice(0, -2).split(' ')
  const parts = analysis.commands.filter(({ words }) => prefix.every((word, index) => words[index] === word))
  const [part, ...others] = parts
  if (part === undefined || others.length > 0) return undefined
  const exact = toRuleContent(part.words, { isExact: true })
  return exact === undefined || exact.includes('$') ? undefined : formatPermissionRule({ toolName, content: exact })
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

/** Drops the last word, unless the result would allow any command. */
function broadenCommand(toolName: string, content: string): string | undefined {
  const words = content.replace(/:\*$/, '').split(' ')
  const kept = content.endsWith(':*') ? words.slice(0, -1) : words.slice(0, 1)
  // Programs that run other programs must not be allowed with any arguments.
  if (kept.length === 0 || kept.some((word) => /["'\\]/.test(word)) || toRuleContent([...kept, '-c']) === undefined)
    return undefined
  return formatPermissionRule({ toolName, content: `${kept.join(' ')}:*` })
}
