import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { FleetClient, StepInfo } from '../../../fleet/fleet-client.js'
import { isFinal, RUN_STATES, type RunSpec } from '../../../fleet/runs/run-spec.js'
import type { Run } from '../../../fleet/runs/run-store.js'
import { shortenText } from '../../../shared/cut-text.js'
import { quote } from '../../../shared/quote.js'
import { delay } from '../../../shared/waiting.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { type FleetAction, TENANT_OPTIONS, withClient } from './open-fleet.js'

const FOLLOW_INTERVAL_MS = 500
const MAX_LISTED_PROMPT_CHARS = 60

const SPEC_OPTIONS = {
  model: { type: 'string' },
  tools: { type: 'string' },
  'allowed-tools': { type: 'string' },
  'disallowed-tools': { type: 'string' },
  'permission-mode': { type: 'string' },
  'append-system-prompt': { type: 'string' },
  'max-turns': { type: 'string' },
  'max-budget-usd': { type: 'string' },
  asks: { type: 'boolean' },
  repository: { type: 'string' },
  ref: { type: 'string' },
  artefact: { type: 'string', multiple: true },
} as const

type SpecValues = ReturnType<typeof parseOptions<typeof SPEC_OPTIONS>>['values']

/** Builds what a run does from the options of the command line. The fleet checks it. */
export function readSpec(prompt: string, values: SpecValues): RunSpec {
  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text))
  const fields = {
    ...{ prompt, model: values.model, tools: values.tools, asks: values.asks, artefacts: values.artefact },
    allowedTools: values['allowed-tools'],
    disallowedTools: values['disallowed-tools'],
    permissionMode: values['permission-mode'],
    systemPromptAddition: values['append-system-prompt'],
    maxTurns: number(values['max-turns']),
    maxBudgetUsd: number(values['max-budget-usd']),
    repository:
      values.repository === undefined
        ? undefined
        : { url: values.repository, ...(values.ref !== undefined && { ref: values.ref }) },
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as RunSpec
}

export { SPEC_OPTIONS }

/** `haft fleet submit "PROMPT"`: prints the id of the run, or waits for its answer. */
export const submitRun: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, {
    ...TENANT_OPTIONS,
    ...SPEC_OPTIONS,
    key: { type: 'string' },
    priority: { type: 'string', default: '0' },
    delay: { type: 'string', default: '0' },
    wait: { type: 'boolean', default: false },
  })
  const [prompt, ...others] = positionals
  if (prompt === undefined || others.length > 0)
    throw new UsageError('expected one prompt in quotes: haft fleet submit "PROMPT".')
  const host = await io.host()
  const { signal } = host.interruption()
  return withClient(io, values, async (client) => {
    const { id } = await client.submit({
      spec: readSpec(prompt, values),
      ...(values.key !== undefined && { key: values.key }),
      priority: Number(values.priority),
      delaySeconds: Number(values.delay),
    })
    if (!values.wait) {
      io.out(values.json ? `${JSON.stringify({ id })}\n` : `${id}\n`)
      return EXIT.done
    }
    const run = await client.waitFor(id, signal)
    if (values.json) io.out(`${JSON.stringify(run, null, 2)}\n`)
    else if (run.state === 'succeeded') io.out(`${run.answer ?? ''}\n`)
    else io.err(`haft: run ${id} ${describeState(run)}\n`)
    return run.state === 'succeeded' ? EXIT.done : EXIT.failed
  })
}

function describeState({ state, problem }: Run): string {
  if (state === 'waiting') return 'waits for an answer: haft fleet ask'
  return `${state}${problem === undefined ? '' : `: ${problem}`}`
}

/** `haft fleet list`. */
export const listRuns: FleetAction = async (io, args) => {
  const { values } = parseOptions(args, {
    ...TENANT_OPTIONS,
    state: { type: 'string' },
    limit: { type: 'string', default: '50' },
  })
  const state = RUN_STATES.find((candidate) => candidate === values.state)
  if (values.state !== undefined && state === undefined)
    throw new UsageError(`invalid --state ${quote(values.state)}. Use ${RUN_STATES.join(', ')}.`)
  return withClient(io, values, async (client) => {
    const runs = await client.runs.list({ state, limit: Number(values.limit) })
    if (values.json) io.out(`${JSON.stringify(runs, null, 2)}\n`)
    else if (runs.length === 0) io.out('No runs. Submit one: haft fleet submit "PROMPT"\n')
    else io.out(runs.map(drawRun).join(''))
    return EXIT.done
  })
}

function drawRun({ id, state, createdAt, spec }: Run): string {
  const prompt = shortenText(spec.prompt.replace(/\s+/g, ' '), MAX_LISTED_PROMPT_CHARS)
  return `${id}  ${state.padEnd(9)}  ${createdAt.slice(0, 19)}Z  ${prompt}\n`
}

/** `haft fleet show ID`: the run, and with `--steps` its journal. */
export const showRun: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, {
    ...TENANT_OPTIONS,
    steps: { type: 'boolean', default: false },
  })
  const id = requireId(positionals, 'show')
  return withClient(io, values, async (client) => {
    const run = await client.runs.get(id)
    const steps = values.steps ? await client.listSteps(id) : undefined
    if (values.json) io.out(`${JSON.stringify(steps === undefined ? run : { ...run, steps }, null, 2)}\n`)
    else io.out(describeRun(run, steps ?? []))
    return EXIT.done
  })
}

function describeRun(run: Run, steps: readonly StepInfo[]): string {
  const { attempt, tokens, costUsd, problem, results, answer } = run
  return [
    drawRun(run),
    `  attempts ${attempt}, ${tokens} tokens, $${costUsd.toFixed(4)}\n`,
    ...(problem === undefined ? [] : [`  problem  ${problem}\n`]),
    ...(results?.branch === undefined ? [] : [`  branch   ${results.branch}\n`]),
    ...(results?.artefacts ?? []).map(({ path, bytes }) => `  file     ${path} (${bytes} bytes)\n`),
    ...steps.map(({ step, name, bytes, at = '' }) => `  ${step}  ${at}  ${name}  ${bytes} bytes\n`),
    ...(answer === undefined ? [] : [`\n${answer}\n`]),
  ].join('')
}

/** `haft fleet logs ID [-f]`: the lines of the transcript, as they are stored. */
export const printLogs: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, {
    ...TENANT_OPTIONS,
    follow: { type: 'boolean', short: 'f', default: false },
  })
  const id = requireId(positionals, 'logs')
  const host = await io.host()
  const { signal } = host.interruption()
  return withClient(io, values, async (client) => {
    for (let printed = 0; ; ) {
      const { state } = await client.runs.get(id)
      const lines = await client.readTranscript(id, { from: printed })
      printed += lines.length
      if (lines.length > 0) await host.write(`${lines.join('\n')}\n`)
      if (!values.follow || isFinal(state) || signal.aborted) return EXIT.done
      await delay(FOLLOW_INTERVAL_MS, signal)
    }
  })
}

/** `haft fleet fetch ID patch|bundle|transcript|PATH [--output FILE]`: a result of a run. */
export const fetchResult: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, { ...TENANT_OPTIONS, output: { type: 'string' } })
  const [id, name] = positionals
  if (id === undefined || name === undefined)
    throw new UsageError('expected a run and what to fetch: haft fleet fetch ID patch|bundle|transcript|PATH.')
  const host = await io.host()
  return withClient(io, values, async (client) => {
    const bytes = await readResult(client, id, name)
    if (values.output === undefined) await host.write(bytes.toString())
    else await writeFile(resolve(host.cwd, values.output), bytes)
    return EXIT.done
  })
}

async function readResult(client: FleetClient, id: string, name: string): Promise<Buffer> {
  if (name === 'transcript') return Buffer.from(`${(await client.readTranscript(id)).join('\n')}\n`)
  const { results } = await client.runs.get(id)
  const body =
    name === 'patch' || name === 'bundle' ? results?.[name] : results?.artefacts.find(({ path }) => path === name)
  if (body === undefined) throw new UsageError(`run ${id} has no ${name}. See haft fleet show ${id}.`)
  return client.readBody(body.hash)
}

/** `haft fleet cancel|pause|resume ID…`. */
export function changeRuns(verb: 'cancel' | 'pause' | 'resume'): FleetAction {
  return async (io, args) => {
    const { values, positionals } = parseOptions(args, TENANT_OPTIONS)
    requireId(positionals.slice(0, 1), verb)
    return withClient(io, values, async (client) => {
      for (const id of positionals) await client[verb](id)
      return EXIT.done
    })
  }
}

/** `haft fleet retry ID`: the same work again. */
export const retryRun: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, TENANT_OPTIONS)
  const id = requireId(positionals, 'retry')
  return withClient(io, values, async (client) => printId(io, await client.retry(id), values.json))
}

/** `haft fleet fork ID --step N`: a new run that continues after a step of another one. */
export const forkRun: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, { ...TENANT_OPTIONS, step: { type: 'string' } })
  const id = requireId(positionals, 'fork')
  if (values.step === undefined) throw new UsageError('name the last step to keep: haft fleet fork ID --step N.')
  return withClient(io, values, async (client) => printId(io, await client.fork(id, Number(values.step)), values.json))
}

function printId(io: CommandIo, { id }: { readonly id: string }, isJson: boolean): number {
  io.out(isJson ? `${JSON.stringify({ id })}\n` : `${id}\n`)
  return EXIT.done
}

function requireId(positionals: readonly string[], action: string): string {
  const [id, ...others] = positionals
  if (id === undefined || others.length > 0) throw new UsageError(`expected one run: haft fleet ${action} ID.`)
  return id
}
