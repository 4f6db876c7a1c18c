import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const START = 1_700_000_000_000

/**
 * Writes a transcript with calls as a session of several hours has them: up to four at once, some of which wait or fail.
 * @param {string} path
 * @param {{ calls: number, resultBytes: number }} options
 */
export function writeInspectedSession(path, { calls, resultBytes }) {
  mkdirSync(dirname(path), { recursive: true })
  const descriptor = openSync(path, 'w')
  const output = 'x'.repeat(resultBytes)
  /** @type {string[]} */
  let lines = []
  /** @param {object} entry */
  const write = (entry) => {
    lines.push(JSON.stringify(entry))
    if (lines.length >= 64) flush()
  }
  const flush = () => {
    writeSync(descriptor, `${lines.join('\n')}\n`)
    lines = []
  }
  write({ type: 'session-started', version: 1, id: 'bench', cwd: '/', projectRoot: '/', at: START })
  write({ type: 'title', at: START, title: 'Bench' })
  for (let index = 0; index < calls; index++) {
    const toolUseId = `call_${index}`
    const queuedAt = START + Math.floor(index / 4) * 1_000 + (index % 4) * 20
    const [at, end] = [queuedAt + (index % 7) * 5, queuedAt + 100 + (index % 31) * 20]
    if (index % 4 === 0)
      write({
        ...{ type: 'request-sent', at: queuedAt - 100, model: 'm', bytes: 1000 + index, window: 200_000, tools: '' },
        ...{ kept: index / 4, system: [], messages: [['user', 100, `h${index}`, [['prompt', 100]]]] },
      })
    write({ type: 'call-started', toolUseId, at, toolName: 'Bash', queuedAt, summary: `command ${index}`, input: {} })
    write({
      ...{ type: 'call-ended', toolUseId, at: end, ...(index % 13 === 0 && { errorCode: 'tool_failed' }) },
      trace: {
        queuedAt,
        decisions: [
          { at, behavior: 'allow', reason: { type: 'rule', text: 'a rule' }, stages: [['deny rules', 'pass', 'none']] },
        ],
        steps: [
          ['permission', 1, 2],
          ['call', 10, end - at - 10],
        ],
      },
      result: { type: 'tool_result', tool_use_id: toolUseId, content: output },
    })
  }
  flush()
  closeSync(descriptor)
}
