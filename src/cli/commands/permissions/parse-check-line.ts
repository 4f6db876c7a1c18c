import { PERMISSION_MODES, type PermissionMode } from '../../../contract/permission/context.js'
import { isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'

export interface GivenRules {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly ask: readonly string[]
}

/** A line of `haft permissions check --jsonl`. */
export interface CheckRequest {
  readonly id: unknown
  readonly tool: string
  readonly input: unknown
  readonly cwd?: string
  readonly mode: PermissionMode
  readonly rules?: GivenRules
}

/** A line that asks about nothing, or asks in a way that cannot be answered but by a denial. */
export type CheckLine =
  | { readonly request: CheckRequest }
  | { readonly id: unknown; readonly problem: string }
  | { readonly error: string }

export function parseCheckLine(text: string): CheckLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { error: text.trim() === '' ? 'is empty' : `is not JSON: ${messageOf(error)}` }
  }
  if (!isRecord(value)) return { error: 'is no object' }
  const id = value.id ?? null
  if (typeof id === 'object' && id !== null) return { id: null, problem: 'id must be a text or a number.' }
  try {
    return { request: { ...requestOf(value), id } }
  } catch (error) {
    return { id, problem: messageOf(error) }
  }
}

function requestOf({ tool, input, cwd, mode, rules }: Fields): Omit<CheckRequest, 'id'> {
  if (typeof tool !== 'string') throw new TypeError('tool must be the name of a tool.')
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === '')) throw new TypeError('cwd must be a path.')
  return {
    tool,
    input,
    mode: modeOf(mode),
    ...(cwd !== undefined && { cwd }),
    ...(rules !== undefined && { rules: rulesOf(rules) }),
  }
}

function modeOf(written: unknown = 'default'): PermissionMode {
  const mode = PERMISSION_MODES.find((known) => known === written)
  if (mode === undefined) throw new TypeError(`mode must be one of ${PERMISSION_MODES.join(', ')}.`)
  return mode
}

/** Rules that cannot be taken deny the call: to leave one out could allow it. */
function rulesOf(written: unknown): GivenRules {
  if (!isRecord(written)) throw new TypeError('rules must be { allow?, deny?, ask? }.')
  const { allow, deny, ask, ...others } = written
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`rules has no list ${JSON.stringify(unknown)}.`)
  return { allow: listOf('allow', allow), deny: listOf('deny', deny), ask: listOf('ask', ask) }
}

function listOf(name: string, written: unknown = []): readonly string[] {
  if (Array.isArray(written) && written.every((rule) => typeof rule === 'string')) return written
  throw new TypeError(`rules.${name} must be a list of texts.`)
}

type Fields = Readonly<Record<string, unknown>>

function messageOf(error: unknown): string {
  return reasonOf(error)
}
