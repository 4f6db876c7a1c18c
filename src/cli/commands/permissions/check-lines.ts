import { isAbsolute, resolve } from 'node:path'
import type { PermissionOutcome } from '../../../permissions/decide/decision.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { BoundedQueue } from '../../bounded-queue.js'
import type { CommandHost } from '../../command-host.js'
import { EXIT } from '../../exit-codes.js'
import { type InputLine, readLines } from '../../read-lines.js'
import { deniedInput, judgeCall } from './judge-call.js'
import { type CheckLine, type CheckRequest, parseCheckLine } from './parse-check-line.js'
import type { PermissionSource } from './permission-source.js'

/** Lines judged side by side: most of the time is spent waiting for the file system. */
const MAX_AT_ONCE = 16

interface Answer {
  readonly text: string
  readonly isBad?: true
}

/** One line out for each line in, in order, each as soon as it and those before it are there. */
export async function checkLines(host: CommandHost, source: PermissionSource): Promise<number> {
  const answers = new BoundedQueue<Promise<Answer>>(MAX_AT_ONCE)
  const feeding = feed(host, source, answers)
  let hasBadLine = false
  for await (const answer of answers) {
    const { text, isBad } = await answer
    hasBadLine ||= isBad === true
    await host.write(`${text}\n`)
  }
  await feeding
  return hasBadLine ? EXIT.failed : EXIT.done
}

async function feed(host: CommandHost, source: PermissionSource, answers: BoundedQueue<Promise<Answer>>) {
  try {
    for await (const line of readLines(host.input())) await answers.push(answerTo(line, host, source))
  } finally {
    answers.close()
  }
}

async function answerTo(line: InputLine, host: CommandHost, source: PermissionSource): Promise<Answer> {
  const parsed: CheckLine = 'problem' in line ? { error: line.problem } : parseCheckLine(line.text)
  if ('error' in parsed) {
    return { text: JSON.stringify({ line: line.number, error: `line ${line.number} ${parsed.error}` }), isBad: true }
  }
  if ('problem' in parsed) return { text: answerText(parsed.id, deniedInput(parsed.problem), false) }
  const { id } = parsed.request
  try {
    const { outcome, readOnly } = await judge(parsed.request, host, source)
    return { text: answerText(id, outcome, readOnly) }
  } catch (error) {
    const reason = reasonOf(error)
    return { text: answerText(id, deniedInput(`the call could not be judged: ${reason}`), false) }
  }
}

async function judge(
  { tool, input, mode, rules, ...request }: CheckRequest,
  host: CommandHost,
  source: PermissionSource,
) {
  const cwd = placeOf(request.cwd, host)
  const at = rules === undefined ? await source.fromSettings(cwd, mode) : source.fromRules(rules, mode, cwd)
  return judgeCall({ toolName: tool, input, cwd, homeDir: host.homeDir, ...at })
}

/** The own working folder may be gone, and is asked for only where it is needed. */
function placeOf(cwd: string | undefined, host: CommandHost): string {
  if (cwd === undefined) return host.cwd
  return isAbsolute(cwd) ? resolve(cwd) : resolve(host.cwd, cwd)
}

function answerText(id: unknown, { behavior, reason }: PermissionOutcome, readOnly: boolean): string {
  const { type, text, rule, source } = reason
  return JSON.stringify({ id, behavior, readOnly, reason: { type, text, rule, source } })
}
