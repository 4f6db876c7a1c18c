import { normaliseMcpName, toMcpToolName } from '../../contract/mcp/name.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { formatPermissionRule } from '../../contract/permission/rule.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { isKnown } from '../../shell/words/shell-word.js'
import type { CallFacts } from '../facts/call-facts.js'
import type { CallCommand } from '../facts/judge-command.js'
import { isWithin, type JudgedPath } from '../paths/judge-path.js'
import { normalisePath, startDirOf } from '../paths/normalise-path.js'
import { isInside } from '../paths/working-directories.js'
import { formatDomainPattern } from '../rules/domain-pattern.js'
import { isCoverable } from '../rules/find-allowance.js'
import { toRuleContent } from './suggest-command-rule.js'

/** Suggests rule updates that the user can accept with the answer, narrowest first. Returns none if no rule would help. */
export function suggestUpdates(call: CallFacts): readonly PermissionUpdate[] {
  if (call.problem !== undefined) return []
  const rules = rulesFor(call)
  const updates: PermissionUpdate[] = []
  if (rules.length > 0) updates.push({ type: 'addRules', destination: 'localSettings', behavior: 'allow', rules })
  if (isFileEditInside(call)) updates.push({ type: 'setMode', destination: 'session', mode: 'acceptEdits' })
  return updates
}

/** Whether a call writes files, and only reads and writes known files inside the working directories. */
export function isFileEditInside(call: CallFacts): boolean {
  const { isExact, isReadOnly, reads, writes, folders } = call
  return isExact && !isReadOnly && writes.length > 0 && [...reads, ...writes].every((path) => isInside(path, folders))
}

function rulesFor(call: CallFacts): readonly string[] {
  if (call.command !== undefined) return suggestCommandRules(call, call.command)
  if (call.tool.mcpInfo !== undefined) return createMcpRules(call.tool.mcpInfo, call)
  const content = call.page === undefined ? undefined : formatDomainPattern(call.page)
  if (content !== undefined) return [formatPermissionRule({ toolName: call.tool.name, content })]
  if (call.isExact && call.writes.length > 0) return createPathRules(RULE_FAMILIES.writes, call.writes, call)
  if (call.isExact && call.isReadOnly && call.reads.length > 0) {
    return createPathRules(
      RULE_FAMILIES.reads,
      call.reads.filter((path) => !isInside(path, call.folders)),
      call,
    )
  }
  return [call.tool.name]
}

/** Returns a rule with the normalised name of the tool, or with the original name if the normalised one is ambiguous; empty if both are. */
function createMcpRules({ serverName, toolName }: McpInfo, { allowNames }: CallFacts): readonly string[] {
  const normalisedName = toMcpToolName(normaliseMcpName(serverName), normaliseMcpName(toolName))
  return [normalisedName, toMcpToolName(serverName, toolName)].filter((name) => allowNames.includes(name)).slice(0, 1)
}

type McpInfo = NonNullable<CallFacts['tool']['mcpInfo']>

/** Returns one rule for each part that needs one, or none at all if no rule can express some part. */
function suggestCommandRules(call: CallFacts, { commands, isUnresolved }: CallCommand): readonly string[] {
  const commandsNeedingRule = commands.filter((judgedCommand) => !judgedCommand.isReadOnly)
  const contents = commandsNeedingRule.map((judgedCommand) => {
    const [writtenCommand] = judgedCommand.asWritten
    const isResolved = writtenCommand?.words.every(isKnown) === true && writtenCommand.needsExactRule !== true
    if (!isResolved || !isCoverable(call, judgedCommand)) return undefined
    return toRuleContent(
      writtenCommand.words.map(({ text }) => text),
      { isExact: isUnresolved },
    )
  })
  if (contents.length === 0 || contents.includes(undefined)) return []
  const { name: toolName } = call.tool
  return [...new Set(contents)].map((content) => formatPermissionRule({ toolName, content: content ?? '' }))
}

function createPathRules(toolName: string, paths: readonly JudgedPath[], call: CallFacts): readonly string[] {
  const contents = paths.flatMap(({ forms }) => forms.map((form) => toPathContent(form, call)))
  return [...new Set(contents)].map((content) => formatPermissionRule({ toolName, content }))
}

/** Returns the path relative to the project if it is inside, so that the rule also works on other machines. */
function toPathContent(path: string, { pathContext }: CallFacts): string {
  const project = normalisePath(pathContext.projectDir ?? startDirOf(pathContext), pathContext).path
  const escapeWildcards = (text: string) => text.replace(/[*?[\\]/g, '\\$&')
  return path !== project && isWithin(path, project, false)
    ? escapeWildcards(path.slice(project.length))
    : `/${escapeWildcards(path)}`
}
