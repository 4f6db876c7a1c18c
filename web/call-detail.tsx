import { useEffect, useState } from 'preact/hooks'
import type { CallRow } from '../src/inspector/data/rows.js'
import type { ShownCall } from '../src/inspector/data/show-call.js'
import type { CheckpointDetail } from '../src/inspector/workbench.js'
import type { CallTrace, RecordedDecision } from '../src/session/transcript/storage/transcript-entry.js'
import { readCall } from './api.js'
import { formatDuration, formatTime } from './format.js'
import { Code, ViewContent } from './view.js'

export interface CallDetailProps {
  readonly session: string
  readonly position: number
  readonly row: CallRow
  readonly agent: string
}

/** Shows everything that was recorded about a call. */
export function CallDetail({ session, position, row, agent }: CallDetailProps) {
  const [call, setCall] = useState<ShownCall | undefined>(undefined)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let isCurrent = true
    setProblem('')
    readCall(session, position).then(
      (value) => isCurrent && setCall(value),
      (error: Error) => isCurrent && setProblem(error.message),
    )
    return () => {
      isCurrent = false
    }
    // Read again when the call has ended.
  }, [session, position, row.endedAt, row.askedAt])
  return (
    <article class="call-detail" aria-label={`Call of ${row.tool}`}>
      <h2>{call === undefined ? row.tool : <ViewContent view={call.title} />}</h2>
      <p class="muted">
        {agent} · {formatTime(row.queuedAt)} · {describeState(row)}
      </p>
      {problem !== '' && <p role="alert">{problem}</p>}
      {call !== undefined && <CallParts call={call} row={row} />}
    </article>
  )
}

function CallParts({ call, row }: { readonly call: ShownCall; readonly row: CallRow }) {
  const { body, input, result, trace, checkpoint } = call
  return (
    <>
      {body !== undefined && (
        <section aria-label="Result as the terminal shows it" class="rendered">
          <ViewContent view={body} />
        </section>
      )}
      <Decisions decisions={trace?.decisions ?? []} />
      <Timing row={row} trace={trace} />
      <Hooks trace={trace} />
      {checkpoint !== undefined && <Checkpoint checkpoint={checkpoint} />}
      <details>
        <summary>Input</summary>
        <Code text={input} />
      </details>
      <details>
        <summary>Result as the model reads it</summary>
        <Code text={result} />
      </details>
    </>
  )
}

function describeState({ errorCode, endedAt, askedAt, answeredAt, queuedAt }: CallRow): string {
  if (endedAt === undefined) return askedAt !== undefined && answeredAt === undefined ? 'waits for permission' : 'runs'
  return `${errorCode ?? 'done'} after ${formatDuration(endedAt - queuedAt)}`
}

function Decisions({ decisions }: { readonly decisions: readonly RecordedDecision[] }) {
  if (decisions.length === 0) return null
  return (
    <section>
      <h3>Why it was {decisions.at(-1)?.behavior === 'allow' ? 'allowed' : 'not allowed'}</h3>
      <ol class="decisions">
        {decisions.map((decision, index) => (
          <li key={index}>
            <DecisionSummary decision={decision} />
            <DecisionStages stages={decision.stages ?? []} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function DecisionSummary({ decision: { behavior, reason, waitedMs } }: { readonly decision: RecordedDecision }) {
  return (
    <p>
      <strong class={`behavior ${behavior}`}>{behavior}</strong> {reason.type}: {reason.text}
      {reason.rule !== undefined && (
        <>
          {' '}
          <code>{reason.rule}</code> {reason.source !== undefined && <span class="muted">({reason.source})</span>}
        </>
      )}
      {waitedMs !== undefined && <span class="muted"> · answered after {formatDuration(waitedMs)}</span>}
    </p>
  )
}

/** Lists the stages of a decision in order. */
export function DecisionStages({ stages }: { readonly stages: NonNullable<RecordedDecision['stages']> }) {
  if (stages.length === 0) return null
  return (
    <table class="stages">
      <caption class="hidden">Stages of the decision</caption>
      <tbody>
        {stages.map(([stage, outcome, text], index) => (
          <tr key={index} class={outcome}>
            <th scope="row">{stage}</th>
            <td class={`behavior ${outcome}`}>{outcome}</td>
            <td>{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Timing({ row, trace }: { readonly row: CallRow; readonly trace: CallTrace | undefined }) {
  const steps = trace?.steps ?? []
  const total = Math.max(1, (row.endedAt ?? row.queuedAt) - row.queuedAt)
  return (
    <section>
      <h3>Timing</h3>
      <table class="timing">
        <thead>
          <tr>
            <th scope="col">step</th>
            <th scope="col">after</th>
            <th scope="col">took</th>
            <th scope="col">
              <span class="hidden">share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {row.startedAt !== undefined && (
            <TimingRow name="waited for resources" start={0} ms={row.startedAt - row.queuedAt} total={total} />
          )}
          {steps.map(([name, start, ms, waitedMs], index) => (
            <TimingRow
              key={index}
              name={waitedMs === undefined ? name : `${name} (asked for ${formatDuration(waitedMs)})`}
              {...{ start, ms, total }}
            />
          ))}
          <TimingRow name="in all" start={0} ms={(row.endedAt ?? row.queuedAt) - row.queuedAt} total={total} />
        </tbody>
      </table>
    </section>
  )
}

interface TimingRowProps {
  readonly name: string
  readonly start: number
  readonly ms: number
  readonly total: number
}

function TimingRow({ name, start, ms, total }: TimingRowProps) {
  const style = {
    marginLeft: `${(100 * Math.min(start, total)) / total}%`,
    width: `${(100 * Math.min(ms, total)) / total}%`,
  }
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="figure">{formatDuration(start)}</td>
      <td class="figure">{formatDuration(ms)}</td>
      <td class="bar-cell">
        <div class="bar" style={style} />
      </td>
    </tr>
  )
}

function Hooks({ trace }: { readonly trace: CallTrace | undefined }) {
  const hooks = trace?.hooks ?? []
  if (hooks.length === 0) return null
  return (
    <section>
      <h3>Hooks</h3>
      <ul>
        {hooks.map(({ event, hook, outcome, message }, index) => (
          <li key={index}>
            {event} <code>{hook}</code>: {outcome}
            {message !== undefined && ` – ${message}`}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Checkpoint({ checkpoint: { command, changes, isCovered } }: { readonly checkpoint: CheckpointDetail }) {
  return (
    <section>
      <h3>Changes</h3>
      <p>
        Undo this and all later calls: <code>{command}</code>
        {!isCovered && <span class="warning"> The call may have changed more than is listed.</span>}
      </p>
      {changes.map(({ path, change, diff }) => (
        <div key={path}>
          {diff === undefined ? (
            <p>
              {change} <span class="path">{path}</span>
            </p>
          ) : (
            <ViewContent view={diff} />
          )}
        </div>
      ))}
    </section>
  )
}
