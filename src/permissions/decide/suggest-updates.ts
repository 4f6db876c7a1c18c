import { mcpToolName, normaliseMcpName } from '../../contract/mcp/name.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { formatPermissionRule } from '../../contract/permission/rule.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import type { CallCommand, CallFacts } from '../facts/call-facts.js'
import { isWithin, type JudgedPath } from '../paths/judge-path.js'
import { normalisePath } from '../paths/normalise-path.js'
import { startDirOf } from '../paths/place.js'
import { isInside } from '../paths/working-directories.js'
import { hostOf } from '../rules/domain-pattern.js'

/** Suggests rule updates that the user can accept with the answer, narrowest first. Empty if no rule would help. */
export function suggestUpdates(call: CallFacts): readonly PermissionUpdate[] {
  if (call.problem !== undefined) return []
  const rules = rulesFor(call)
  const updates: PermissionUpdate[] = []
  if (rules.length > 0) updates.push({ type: 'addRules', destination: 'localSettings', behavior: 'allow', rules })
  if (isFileEditInside(call)) updates.push({ type: 'setMode', destination: 'session', mode: 'acceptEdits' })
  return updates
}

/** Whether a call writes files and does nothing but read and write known files in the working directories. */
export function isFileEditInside(call: CallFacts): boolean {
  const { isExact, isReadOnly, reads, writes, folders } = call
  return isExact && !isReadOnly && writes.length > 0 && [...reads, ...writes].every((path) => isInside(path, folders))
}

function rulesFor(call: CallFacts): readonly string[] {
  if (call.command !== undefined) return commandRules(call, call.command)
  if (call.tool.mcpInfo !== undefined) return mcpRulesFor(call.tool.mcpInfo, call)
  const host = call.url === undefined ? undefined : hostOf(call.url)
  if (host !== undefined) return [formatPermissionRule({ toolName: call.tool.name, content: `domain:${host}` })]
  if (call.isExact && call.writes.length > 0) return pathRules(RULE_FAMILIES.writes, call.writes, call)
  if (call.isExact && call.isReadOnly && call.reads.length > 0) {
    return pathRules(
      RULE_FAMILIES.reads,
      call.reads.filter((path) => !isInside(path, call.folders)),
      call,
    )
  }
  return [call.tool.name]
}

/** The normalised name, or the original one if the normalised name is ambiguous. */
function mcpRulesFor({ serverName, toolName }: McpInfo, { allowNames }: CallFacts): readonly string[] {
  const normalisedName = mcpToolName(normaliseMcpName(serverName), normaliseMcpName(toolName))
  return [normalisedName, mcpToolName(serverName, toolName)].filter((name) => allowNames.includes(name)).slice(0, 1)
}

type McpInfo = NonNullable<CallFacts['tool']['mcpInfo']>

/** One rule for each part that needs one; none at all if some part cannot be expressed as a rule. */
function commandRules({ tool, folders }: CallFacts, { commands, isUnresolved }: CallCommand): readonly string[] {
  const partsNeedingRule = commands.filter((part) => !part.isReadOnly)
  const contents = partsNeedingRule.map(({ words, asWritten, redirects, writes }) => {
    const [text] = asWritten
    const isResolved = text !== undefined && text.resolvedLength >= text.text.length
    // A command rule covers neither redirections nor writes outside the working directories.
    const isCovered = redirects.length === 0 && writes.every((path) => isInside(path, folders))
    if (!isResolved || !isCovered) return undefined
    return toRuleContent(text.text, isUnresolved ? [] : words)
  })
  if (contents.length === 0 || contents.includes(undefined)) return []
  return [...new Set(contents)].map((content) => formatPermissionRule({ toolName: tool.name, content: content ?? '' }))
}

function pathRules(toolName: string, paths: readonly JudgedPath[], call: CallFacts): readonly string[] {
  const contents = paths.flatMap(({ forms }) => forms.map((form) => pathContent(form, call)))
  return [...new Set(contents)].map((content) => formatPermissionRule({ toolName, content }))
}

/** The path relative to the project if it lies there, so that the rule works for everyone. */
function pathContent(path: string, { place }: CallFacts): string {
  const project = normalisePath(place.projectDir ?? startDirOf(place), place).path
  const escapeWildcards = (text: string) => text.replace(/[*?[\\]/g, '\\$&')
  return path !== project && isWithin(path, project, false)
    ? escapeWildcards(path.slice(project.length))
    : `/${escapeWildcards(path)}`
}

/**
 * Programs with subcommands, and the subcommands that do not run a program of the caller's choice. Other commands are
 * suggested word for word, so a missing entry only costs a question.
 */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  git: ['add', 'restore', 'rm', 'mv', 'status', 'switch'],
  npm: ['ls', 'run', 'test'],
  pnpm: ['list', 'run', 'test'],
  yarn: ['list', 'run', 'test'],
  bun: ['run'],
  docker: ['images', 'inspect', 'logs', 'ps'],
  gh: ['issue', 'pr', 'release', 'run'],
}
/** Subcommands whose next word names a script or action, which belongs to the prefix. */
const NEEDS_THIRD_WORD: ReadonlySet<string> = new Set([
  ...['npm run', 'pnpm run', 'yarn run', 'bun run', 'gh issue', 'gh pr', 'gh release', 'gh run'],
])
const PLAIN_WORD = /^[A-Za-z0-9_][A-Za-z0-9_:./@-]*$/

/**
 * Returns the narrowest useful rule content for a command: a known subcommand with any arguments, else the command
 * itself. Never returns a prefix that could run any command. `words` are those of the command, if they are known.
 */
export function toRuleContent(command: string, words: readonly string[]): string | undefined {
  // With assignments before the program, the rule must spell them out.
  const prefix = words.join(' ') === command ? findKnownPrefix(words) : undefined
  if (prefix !== undefined) return `${prefix}:*`
  // A star would make the rule cover more than this command.
  return command === '' || /[*\n\r\0]/.test(command) ? undefined : command
}

function findKnownPrefix([program = '', verb = '', thirdWord = '']: readonly string[]): string | undefined {
  const verbs = Object.hasOwn(SUBCOMMANDS, program) ? SUBCOMMANDS[program] : undefined
  if (verbs?.includes(verb) !== true) return undefined
  const prefix = `${program} ${verb}`
  if (!NEEDS_THIRD_WORD.has(prefix)) return prefix
  return PLAIN_WORD.test(thirdWord) ? `${prefix} ${thirdWord}` : undefined
}
