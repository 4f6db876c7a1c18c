import { isAbsolute, resolve } from 'node:path'
import { PERMISSION_MODES, type PermissionMode } from '../../../contract/permission/context.js'
import type { PermissionOutcome } from '../../../permissions/decide/decision.js'
import { isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { BoundedQueue } from '../../io/bounded-queue.js'
import type { CommandHost } from '../../io/command.js'
import { EXIT } from '../../io/exit.js'
import { type InputLine, readLines } from '../../io/read-lines.js'
import { denyInput, judgeCall } from './judge-call.js'
import type { PermissionSource, RequestedRules } from './permission-source.js'

/** Maximum number of lines checked in parallel. Most of the time is spent waiting for the file system. */
const MAX_PARALLEL_CHECKS = 16

interface CheckAnswer {
  readonly text: string
  readonly isInvalid?: true
}

/** Writes the decision for each input line, in order. Returns a failure code if a line was not a request. */
export async function checkLines(host: CommandHost, source: PermissionSource): Promise<number> {
  const answers = new BoundedQueue<Promise<CheckAnswer>>(MAX_PARALLEL_CHECKS)
  const answerPromise = answerLines(host, source, answers)
  let hasInvalidLine = false
  for await (const answer of answers) {
    const { text, isInvalid } = await answer
    hasInvalidLine ||= isInvalid === true
    await host.write(`${text}\n`)
  }
  await answerPromise
  return hasInvalidLine ? EXIT.failed : EXIT.done
}

async function answerLines(host: CommandHost, source: PermissionSource, answers: BoundedQueue<Promise<CheckAnswer>>) {
  try {
    for await (const line of readLines(host.input())) await answers.push(answerLine(line, host, source))
  } finally {
    answers.close()
  }
}

async function answerLine(line: InputLine, host: CommandHost, source: PermissionSource): Promise<CheckAnswer> {
  const parsedLine: CheckLine = 'problem' in line ? { error: line.problem } : parseCheckLine(line.text)
  if ('error' in parsedLine) {
    return {
      text: JSON.stringify({ line: line.number, error: `line ${line.number} ${parsedLine.error}` }),
      isInvalid: true,
    }
  }
  if ('problem' in parsedLine) return { text: formatAnswer(parsedLine.id, denyInput(parsedLine.problem), false) }
  const { id } = parsedLine.request
  try {
    const { outcome, readOnly } = await judgeRequest(parsedLine.request, host, source)
    return { text: formatAnswer(id, outcome, readOnly) }
  } catch (error) {
    const reason = reasonOf(error)
    return { text: formatAnswer(id, denyInput(`the call could not be checked: ${reason}`), false) }
  }
}

async function judgeRequest(
  { tool, input, mode, rules, sandbox, ...request }: CheckRequest,
  host: CommandHost,
  source: PermissionSource,
) {
  const cwd = resolveCwd(request.cwd, host)
  const folderPermissions =
    rules === undefined ? await source.fromSettings(cwd, mode) : source.fromRules(rules, mode, cwd)
  const canConfine = () => sandbox ?? source.canConfine()
  return judgeCall({ toolName: tool, input, cwd, homeDir: host.homeDir, canConfine, ...folderPermissions })
}

/**
 * Resolves the `cwd` of a request. The working directory of the process may have been deleted, so it is only read if
 * needed.
 */
function resolveCwd(cwd: string | undefined, host: CommandHost): string {
  if (cwd === undefined) return host.cwd
  return isAbsolute(cwd) ? resolve(cwd) : resolve(host.cwd, cwd)
}

function formatAnswer(id: unknown, { behavior, reason }: PermissionOutcome, readOnly: boolean): string {
  const { type, text, rule, source } = reason
  return JSON.stringify({ id, behavior, readOnly, reason: { type, text, rule, source } })
}

/** A valid line of `haft permissions check --jsonl`. */
interface CheckRequest {
  readonly id: unknown
  readonly tool: string
  readonly input: unknown
  readonly cwd?: string
  readonly mode: PermissionMode
  readonly rules?: RequestedRules
  /** Whether a sandbox is available. Default: what this machine has. */
  readonly sandbox?: boolean
}

/** A valid request, an invalid one (denied), or a line that is not a request. */
type CheckLine =
  | { readonly request: CheckRequest }
  | { readonly id: unknown; readonly problem: string }
  | { readonly error: string }

function parseCheckLine(text: string): CheckLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { error: text.trim() === '' ? 'is empty' : `is not JSON: ${reasonOf(error)}` }
  }
  if (!isRecord(value)) return { error: 'is not an object' }
  const id = value.id ?? null
  if (typeof id === 'object' && id !== null) return { id: null, problem: 'id must be a string or a number.' }
  try {
    return { request: { ...parseRequest(value), id } }
  } catch (error) {
    return { id, problem: reasonOf(error) }
  }
}

function parseRequest({ tool, input, cwd, mode, rules, sandbox }: Fields): Omit<CheckRequest, 'id'> {
  if (typeof tool !== 'string') throw new TypeError('tool must be a string, for example "Bash".')
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === ''))
    throw new TypeError('cwd must be the path of a folder.')
  if (sandbox !== undefined && typeof sandbox !== 'boolean') throw new TypeError('sandbox must be true or false.')
  return {
    tool,
    input,
    mode: parseMode(mode),
    ...(cwd !== undefined && { cwd }),
    ...(rules !== undefined && { rules: parseRules(rules) }),
    ...(sandbox !== undefined && { sandbox }),
  }
}

function parseMode(value: unknown = 'default'): PermissionMode {
  const mode = PERMISSION_MODES.find((candidate) => candidate === value)
  if (mode === undefined) throw new TypeError(`mode must be one of ${PERMISSION_MODES.join(', ')}.`)
  return mode
}

/** Throws for invalid rules, because ignoring one could allow the call. */
function parseRules(value: unknown): RequestedRules {
  if (!isRecord(value)) throw new TypeError('rules must be { allow?, deny?, ask? }.')
  const { allow, deny, ask, ...others } = value
  const [unknownList] = Object.keys(others)
  if (unknownList !== undefined)
    throw new TypeError(`rules contains an unknown list ${JSON.stringify(unknownList)}. Use allow, deny and ask.`)
  return { allow: requireList('allow', allow), deny: requireList('deny', deny), ask: requireList('ask', ask) }
}

function requireList(name: string, value: unknown = []): readonly string[] {
  if (Array.isArray(value) && value.every((rule) => typeof rule === 'string')) return value
  throw new TypeError(`rules.${name} must be a list of strings.`)
}

type Fields = Readonly<Record<string, unknown>>
