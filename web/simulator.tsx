import { useState } from 'preact/hooks'
import type { ReplayedDecisions } from '../src/inspector/server/replay-decisions.js'
import type { SimulatedDecision } from '../src/inspector/workbench.js'
import { postJson } from './api.js'
import { DecisionStages } from './call-detail.js'
import { JsonControl } from './schema-form.js'

const MODES = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions']

interface Rules {
  readonly mode: string
  readonly withSettings: boolean
  readonly allow: string
  readonly deny: string
  readonly ask: string
}

const LISTS = ['allow', 'deny', 'ask'] as const

/** Tries permission rules against a call, or against all calls of past sessions. Nothing is run. */
export function Simulator() {
  const [rules, setRules] = useState<Rules>({ mode: 'default', withSettings: true, allow: '', deny: '', ask: '' })
  const [kind, setKind] = useState('command')
  const [text, setText] = useState('git status')
  const [tool, setTool] = useState('WebFetch')
  const [input, setInput] = useState<unknown>({})
  const [decision, setDecision] = useState<SimulatedDecision | undefined>(undefined)
  const [replayed, setReplayed] = useState<ReplayedDecisions | undefined>(undefined)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const send = async (work: () => Promise<void>) => {
    setProblem('')
    setBusy(true)
    await work().catch((error: Error) => setProblem(error.message))
    setBusy(false)
  }
  const simulate = () =>
    send(async () =>
      setDecision(await postJson('/api/simulate', { ...toCall(kind, text, tool, input), rules: toLists(rules) })),
    )
  const replay = () => send(async () => setReplayed(await postJson('/api/replay-decisions', { rules: toLists(rules) })))
  return (
    <section aria-label="Permission simulator" class="page">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void simulate()
        }}
      >
        <div class="columns">
          {LISTS.map((list) => (
            <label key={list} class="field">
              {list} rules, one per line
              <textarea
                name={list}
                rows={3}
                placeholder={list === 'deny' ? 'Bash(git push *)' : 'Bash(npm test)'}
                value={rules[list]}
                onInput={(event) => setRules({ ...rules, [list]: event.currentTarget.value })}
              />
            </label>
          ))}
        </div>
        <div class="toolbar">
          <label>
            Mode{' '}
            <select value={rules.mode} onChange={(event) => setRules({ ...rules, mode: event.currentTarget.value })}>
              {MODES.map((mode) => (
                <option key={mode}>{mode}</option>
              ))}
            </select>
          </label>
          <label>
            <input
              type="checkbox"
              checked={rules.withSettings}
              onChange={(event) => setRules({ ...rules, withSettings: event.currentTarget.checked })}
            />{' '}
            add to the rules of the settings
          </label>
        </div>
        <div class="toolbar">
          <label>
            Try a{' '}
            <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
              <option value="command">command</option>
              <option value="read">path to read</option>
              <option value="write">path to write</option>
              <option value="call">call</option>
            </select>
          </label>
          {kind === 'call' ? (
            <>
              <label>
                Tool <input name="tool" value={tool} onInput={(event) => setTool(event.currentTarget.value)} />
              </label>
              <label for="input">Input</label>
              <JsonControl id="input" name="input" value={input} onChange={setInput} />
            </>
          ) : (
            <label class="grow">
              <span class="hidden">{kind}</span>
              <input name="subject" value={text} onInput={(event) => setText(event.currentTarget.value)} />
            </label>
          )}
          <button type="submit" class="primary" disabled={isBusy}>
            Decide
          </button>
          <button type="button" disabled={isBusy} onClick={() => void replay()}>
            Try on all past sessions
          </button>
        </div>
      </form>
      {problem !== '' && <p role="alert">{problem}</p>}
      {decision !== undefined && <Decision decision={decision} />}
      {replayed !== undefined && <Replayed replayed={replayed} />}
    </section>
  )
}

function toCall(kind: string, text: string, tool: string, input: unknown): { tool: string; input: unknown } {
  if (kind === 'command') return { tool: 'Bash', input: { command: text } }
  if (kind === 'read') return { tool: 'Read', input: { file_path: text } }
  if (kind === 'write') return { tool: 'Write', input: { file_path: text, content: '' } }
  return { tool, input }
}

function toLists({ mode, withSettings, ...lists }: Rules) {
  const [allow, deny, ask] = LISTS.map((list) => lists[list].split('\n').filter((rule) => rule.trim() !== ''))
  return { mode, withSettings, allow, deny, ask }
}

function Decision({ decision }: { readonly decision: SimulatedDecision }) {
  const { behavior, reason, trace, isReadOnly, suggestedRules } = decision
  return (
    <section aria-label="Decision" class="decision">
      <h3>
        <span class={`behavior ${behavior}`}>{behavior}</span> {reason.type}: {reason.text}{' '}
        {reason.rule !== undefined && <code>{reason.rule}</code>}
      </h3>
      <p class="muted">
        {isReadOnly ? 'Read-only.' : 'Not read-only.'}{' '}
        {suggestedRules.length > 0 && `A rule that would allow it: ${suggestedRules.join(', ')}`}
      </p>
      <DecisionStages stages={trace.map(({ stage, outcome, text }) => [stage, outcome, text] as const)} />
    </section>
  )
}

function Replayed({ replayed: { callCount, changed } }: { readonly replayed: ReplayedDecisions }) {
  return (
    <section aria-label="What the rules would have changed">
      <h3>
        {changed.length} of {callCount} different calls would have been decided differently
      </h3>
      <table>
        <caption class="hidden">Changed decisions</caption>
        <thead>
          <tr>
            <th scope="col">call</th>
            <th scope="col">times</th>
            <th scope="col">now</th>
            <th scope="col">with the rules</th>
          </tr>
        </thead>
        <tbody>
          {changed.map(({ tool, input, count, before, after }, index) => (
            <tr key={index}>
              <th scope="row">
                {tool} <code>{describeInput(input)}</code>
              </th>
              <td class="figure">{count}</td>
              <td class={`behavior ${before.behavior}`}>{before.behavior}</td>
              <td>
                <span class={`behavior ${after.behavior}`}>{after.behavior}</span>{' '}
                {after.reason.rule ?? after.reason.text}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function describeInput(input: unknown): string {
  const { command, file_path: path } = (input ?? {}) as { command?: unknown; file_path?: unknown }
  const text = typeof command === 'string' ? command : typeof path === 'string' ? path : JSON.stringify(input)
  return text.slice(0, 200)
}
