import { PERMISSION_MODES, type PermissionMode } from '../../contract/permission/context.js'
import { quote } from '../../shared/quote.js'
import { findFrontMatter, readFields } from '../skills/parse-front-matter.js'
import type { AgentKind } from './agent-kind.js'

/** What is read of a file, and what of it cannot be used though the rest can. */
export interface ParsedAgentFile {
  readonly kind: Omit<AgentKind, 'source' | 'path'>
  readonly problems: readonly string[]
}

const KIND_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u

/** Reads a kind of agent: fields between two lines of dashes, then its system prompt. Throws what its author has to mend. */
export async function parseAgentFile(text: string, fileName: string): Promise<ParsedAgentFile> {
  const head = findFrontMatter(text)
  if (typeof head === 'string') throw new Error('it must begin with fields between two lines of ---')
  const fields = await readFields(head.yaml)
  const body = text.slice(head.bodyStart)
  const problems: string[] = []
  const name = textOf(fields.name) ?? fileName.replace(/\.md$/i, '')
  if (!KIND_NAME.test(name)) throw new Error(`${quote(name)} is no name for a kind of agent`)
  const description = textOf(fields.description)
  if (description === undefined) throw new Error('description is missing: it tells the model when to use the agent')
  const tools = toolsOf(fields.tools, problems)
  const disallowedTools = listOf(fields.disallowedTools, 'disallowedTools')
  const model = textOf(fields.model)
  const permissionMode = modeOf(fields.permissionMode, problems)
  const maxTurns = turnsOf(fields.maxTurns, problems)
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

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value).trim()
  return text === '' ? undefined : text
}

function listOf(value: unknown, field: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  const entries = typeof value === 'string' ? splitOutside(value) : value
  if (!Array.isArray(entries) || entries.some((entry) => typeof entry !== 'string')) {
    throw new Error(`${field} must be names with commas between them, or a list of names`)
  }
  return entries.map((entry: string) => entry.trim()).filter((entry) => entry !== '')
}

/** At commas, but not at those between parentheses; one that is never closed is a character like any other. */
function splitOutside(text: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const close = text[at] === '(' ? text.indexOf(')', at) : at
    if (close === -1) return [...parts, ...text.slice(from).split(',')]
    at = close
    if (text[at] !== ',') continue
    parts.push(text.slice(from, at))
    from = at + 1
  }
  return [...parts, text.slice(from)]
}

/** `Agent(a, b)` says which agents it may start. Other content would have to be enforced call by call, so the tool is left out. */
function toolsOf(value: unknown, problems: string[]): Pick<AgentKind, 'tools' | 'agents'> {
  const entries = listOf(value, 'tools')
  if (entries === undefined) return {}
  const tools: string[] = []
  let agents: string[] | undefined
  for (const entry of entries) {
    const [, name = '', content] = /^([^(]+)\(([\s\S]*)\)$/.exec(entry) ?? []
    if (!entry.includes('(')) tools.push(entry)
    else if (content !== undefined && (name === 'Agent' || name === 'Task')) {
      tools.push(name)
      agents = [...(agents ?? []), ...content.split(',').map((kind) => kind.trim())]
    } else problems.push(`tools: ${entry} is left out; give the name of a tool alone, and rules in the settings`)
  }
  return { tools, ...(agents !== undefined && { agents }) }
}

function modeOf(value: unknown, problems: string[]): PermissionMode | undefined {
  const mode = textOf(value)
  if (mode === undefined || (PERMISSION_MODES as readonly string[]).includes(mode)) return mode as PermissionMode
  problems.push(`permissionMode ${quote(mode)} is none of ${PERMISSION_MODES.join(', ')}; plan is used`)
  return 'plan'
}

function turnsOf(value: unknown, problems: string[]): number | undefined {
  if (value === undefined || value === null) return undefined
  const turns = Number(value)
  if (Number.isInteger(turns) && turns > 0) return turns
  problems.push('maxTurns must be a whole number from 1; it is left out')
  return undefined
}
