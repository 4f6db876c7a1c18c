import { PERMISSION_MODES, type PermissionMode } from '../../contract/permission/context.js'
import { quote } from '../../shared/quote.js'
import { findFrontMatter, readFields } from '../skills/parse-front-matter.js'
import type { AgentKind } from './agent-kinds.js'

/** A kind of agent, and the problems with its file that do not prevent its use. */
export interface ParsedAgentFile {
  readonly kind: Omit<AgentKind, 'source' | 'path'>
  readonly problems: readonly string[]
}

const KIND_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u

/** Parses a kind of agent: front matter, then its system prompt. Throws an error that says what to fix in the file. */
export async function parseAgentFile(text: string, fileName: string): Promise<ParsedAgentFile> {
  const frontMatter = findFrontMatter(text)
  if (typeof frontMatter === 'string') throw new Error('it must begin with front matter between two lines of ---')
  const fields = await readFields(frontMatter.yaml)
  const body = text.slice(frontMatter.bodyStart)
  const problems: string[] = []
  const name = parseText(fields.name) ?? fileName.replace(/\.md$/i, '')
  if (!KIND_NAME.test(name))
    throw new Error(
      `${quote(name)} is not a valid name for a kind of agent: use up to 64 letters, digits, "-", "_", "." and ":"`,
    )
  const description = parseText(fields.description)
  if (description === undefined) throw new Error('description is missing: add one that says when to use the agent')
  const tools = parseTools(fields.tools, problems)
  const disallowedTools = parseList(fields.disallowedTools, 'disallowedTools')
  const model = parseText(fields.model)
  const permissionMode = parseMode(fields.permissionMode, problems)
  const maxTurns = parseTurns(fields.maxTurns, problems)
  return {
    problems,
    kind: {
      name,
      description,
      ...tools,
      ...(body.trim() !== '' && { prompt: body.trim() }),
      ...(disallowedTools !== undefined && { disallowedTools }),
      ...(model !== undefined && { model }),
      ...(permissionMode !== undefined && { permissionMode }),
      ...(maxTurns !== undefined && { maxTurns }),
    },
  }
}

function parseText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value).trim()
  return text === '' ? undefined : text
}

function parseList(value: unknown, field: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  const entries = typeof value === 'string' ? splitAtCommas(value) : value
  if (!Array.isArray(entries) || entries.some((entry) => typeof entry !== 'string')) {
    throw new Error(`${field} must be a list of names, or names separated by commas`)
  }
  return entries.map((entry: string) => entry.trim()).filter((entry) => entry !== '')
}

/** Splits at commas outside parentheses. Text after an unclosed parenthesis is split at every comma. */
function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = []
  let partStart = 0
  for (let at = 0; at < text.length; at++) {
    const close = text[at] === '(' ? text.indexOf(')', at) : at
    if (close === -1) return [...parts, ...text.slice(partStart).split(',')]
    at = close
    if (text[at] !== ',') continue
    parts.push(text.slice(partStart, at))
    partStart = at + 1
  }
  return [...parts, text.slice(partStart)]
}

/**
 * Parses the tools of a kind. `Agent(a, b)` names the kinds that the agent may start. Other tools with content in parentheses
 * are left out, because the content would not be enforced.
 */
function parseTools(value: unknown, problems: string[]): Pick<AgentKind, 'tools' | 'agents'> {
  const entries = parseList(value, 'tools')
  if (entries === undefined) return {}
  const tools: string[] = []
  let agents: string[] | undefined
  for (const entry of entries) {
    const [, name = '', content] = /^([^(]+)\(([\s\S]*)\)$/.exec(entry) ?? []
    if (!entry.includes('(')) tools.push(entry)
    else if (content !== undefined && AGENT_TOOL_NAMES.has(name)) {
      tools.push(name)
      agents = [...(agents ?? []), ...content.split(',').map((kind) => kind.trim())]
    } else problems.push(`tools: ${entry} is ignored; write the name of the tool only, and put rules into the settings`)
  }
  return { tools, ...(agents !== undefined && { agents }) }
}

/** The names of the tool that starts agents; `Task` is the older one. */
const AGENT_TOOL_NAMES: ReadonlySet<string> = new Set(['Agent', 'Task'])

function parseMode(value: unknown, problems: string[]): PermissionMode | undefined {
  const mode = parseText(value)
  if (mode === undefined || (PERMISSION_MODES as readonly string[]).includes(mode)) return mode as PermissionMode
  problems.push(`unknown permissionMode ${quote(mode)}, plan is used; known modes: ${PERMISSION_MODES.join(', ')}`)
  return 'plan'
}

function parseTurns(value: unknown, problems: string[]): number | undefined {
  if (value === undefined || value === null) return undefined
  const turns = Number(value)
  if (Number.isInteger(turns) && turns > 0) return turns
  problems.push('maxTurns is ignored: it must be a positive integer')
  return undefined
}
