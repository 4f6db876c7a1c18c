import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MISSED_RUN_POLICIES, type ScheduledTask } from '../../../contract/ports/schedule.js'
import { toScheduledTask } from '../../../ports/schedule/schedule-changes.js'
import { toScheduleFolder } from '../../../ports/schedule/schedule-folder.js'
import { openAllSchedules, ScheduleStore } from '../../../ports/schedule/schedule-store.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { shortenText } from '../../../shared/cut-text.js'
import { formatMoment } from '../../../shared/format-moment.js'
import { quote } from '../../../shared/quote.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { findOwnProgram, getLogFolder, listLogs, ScheduleRunner } from './schedule-runner.js'

const DEFAULT_MAX_RUNS = 4
const MIN_TOKEN_CHARS = 16
const MAX_LISTED_PROMPT_CHARS = 60

/** `haft schedule`: lists, adds, deletes and runs durable tasks. */
export async function runSchedule(io: CommandIo): Promise<number> {
  const separator = io.args.indexOf('--')
  const ownArguments = separator === -1 ? io.args : io.args.slice(0, separator)
  const runOptions = separator === -1 ? [] : io.args.slice(separator + 1)
  const [action = 'list', ...args] = ownArguments
  switch (action) {
    case 'list':
      return await runList(io, args)
    case 'add':
      return await runAdd(io, args)
    case 'delete':
      return await runDelete(io, args)
    case 'log':
      return await runLog(io, args)
    case 'run':
      return await runService(io, args, runOptions)
    case 'unit':
      return printUnit(io, runOptions)
    case 'exec': {
      const { runExec } = await import('./run-exec.js')
      return await runExec(io, args, runOptions)
    }
    default:
      throw new UsageError(`unknown action ${quote(action)}. Use list, add, delete, log, run or unit.`)
  }
}

async function openProjectSchedule({ cwd, homeDir }: CommandHost): Promise<ScheduleStore> {
  const root = await findProjectRoot({ cwd, home: homeDir })
  return new ScheduleStore(toScheduleFolder(homeDir, root), root)
}

async function runList(io: CommandIo, args: readonly string[]): Promise<number> {
  const { values } = parseOptions(args, {
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  })
  const host = await io.host()
  const stores = values.all ? openAllSchedules(host.homeDir) : [await openProjectSchedule(host)]
  const projects = stores.map((store) => {
    const { projectRoot, tasks } = store.read()
    return { project: projectRoot, tasks: tasks.filter(({ endedAt }) => endedAt === undefined).map(toScheduledTask) }
  })
  if (values.json) await host.write(`${JSON.stringify(values.all ? projects : projects[0]?.tasks, null, 2)}\n`)
  else await host.write(projects.map(({ project, tasks }) => drawTasks(project, tasks)).join('\n'))
  return EXIT.done
}

function drawTasks(project: string, tasks: readonly ScheduledTask[]): string {
  if (tasks.length === 0)
    return `No scheduled tasks in ${project}. Add one: haft schedule add "30 8 * * 1-5" "PROMPT"\n`
  return `${project}\n${tasks.map(drawTask).join('')}`
}

function drawTask({ id, cron, prompt, timezone, recurring, nextRun, runs }: ScheduledTask): string {
  const times = `${cron === '' ? 'at once' : cron}${recurring ? '' : ' (once)'}`
  const next = nextRun === undefined ? '' : `\n      next  ${formatMoment(nextRun, timezone)}`
  const last = runs.at(-1)
  const missed = last === undefined || last.missedCount === 0 ? '' : `, ${last.missedCount} earlier missed`
  const detail = last?.detail === undefined ? '' : ` (${last.detail})`
  const lastLine =
    last === undefined ? '' : `\n      last  ${formatMoment(last.due, timezone)} ${last.state}${missed}${detail}`
  return `  ${id}  ${times}  ${shortenText(prompt.replace(/\s+/g, ' '), MAX_LISTED_PROMPT_CHARS)}${next}${lastLine}\n`
}

async function runAdd(io: CommandIo, args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    once: { type: 'boolean', default: false },
    timezone: { type: 'string' },
    'if-missed': { type: 'string' },
  })
  const [cron, prompt, ...others] = positionals
  if (cron === undefined || prompt === undefined || others.length > 0)
    throw new UsageError('expected two arguments in quotes: haft schedule add "30 8 * * 1-5" "PROMPT".')
  const ifMissed = MISSED_RUN_POLICIES.find((policy) => policy === values['if-missed'])
  if (values['if-missed'] !== undefined && ifMissed === undefined)
    throw new UsageError(`invalid --if-missed ${quote(values['if-missed'])}. Use run_once or skip.`)
  const store = await openProjectSchedule(await io.host())
  const newTask = {
    ...{ cron, prompt, recurring: !values.once, durable: true },
    ...(values.timezone !== undefined && { timezone: values.timezone }),
    ...(ifMissed !== undefined && { ifMissed }),
  }
  const task = await store.create(newTask, 'user').catch((error) => {
    throw new UsageError(reasonOf(error))
  })
  io.out(`Added scheduled task\n${drawTask(toScheduledTask(task))}It runs while haft or haft schedule run is open.\n`)
  return EXIT.done
}

async function runDelete(io: CommandIo, args: readonly string[]): Promise<number> {
  const [id, ...others] = parseOptions(args, {}).positionals
  if (id === undefined || others.length > 0) throw new UsageError('expected one task: haft schedule delete ID.')
  const store = await openProjectSchedule(await io.host())
  if ((await store.remove(id)) === undefined)
    throw new UsageError(`there is no scheduled task ${quote(id)}. See haft schedule list.`)
  io.out(`Deleted scheduled task ${id}.\n`)
  return EXIT.done
}

/** Prints the output of the latest run of a task, or of all tasks. */
async function runLog(io: CommandIo, args: readonly string[]): Promise<number> {
  const [id] = parseOptions(args, {}).positionals
  const host = await io.host()
  const folder = getLogFolder((await openProjectSchedule(host)).folder)
  const names = listLogs(folder).filter((name) => id === undefined || name.startsWith(`${id}-`))
  const last = names.at(-1)
  if (last === undefined) throw new UsageError('there is no output of a scheduled run yet.')
  await host.write(readFileSync(join(folder, last), 'utf8'))
  return EXIT.done
}

/** Runs the tasks of all projects of this user until it is interrupted. */
async function runService(io: CommandIo, args: readonly string[], runOptions: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    once: { type: 'boolean', default: false },
    'max-runs': { type: 'string' },
    listen: { type: 'string' },
    host: { type: 'string' },
    'allow-host': { type: 'string', multiple: true },
  })
  if (positionals.length > 0) throw new UsageError('run takes only options. See haft schedule --help.')
  const host = await io.host()
  const interruption = host.interruption()
  const runner = new ScheduleRunner({
    schedules: () => openAllSchedules(host.homeDir),
    program: findOwnProgram(),
    runOptions,
    maxRuns: parseNumber('--max-runs', values['max-runs'], { from: 1, to: 100 }) ?? DEFAULT_MAX_RUNS,
    variables: io.variables,
    report: (line) => io.out(`${formatMoment(Date.now(), 'UTC')} ${line}\n`),
  })
  const endpoint = await listen(io, host, values, () => void runner.startDue())
  try {
    if (values.once) await runner.runOnce()
    else {
      io.err('Running scheduled tasks. Press Ctrl+C to end; runs that have begun continue.\n')
      await runner.run(interruption.signal)
    }
  } finally {
    endpoint?.close()
  }
  return interruption.exitCode ?? EXIT.done
}

interface ListenValues {
  readonly listen?: string | undefined
  readonly host?: string | undefined
  readonly 'allow-host'?: string[] | undefined
}

async function listen(io: CommandIo, commandHost: CommandHost, values: ListenValues, onRun: () => void) {
  const { listen: portText, host = '127.0.0.1', 'allow-host': allowedHosts = [] } = values
  const port = parseNumber('--listen', portText, { from: 0, to: 65_535 })
  if (port === undefined) {
    if (values.host !== undefined || allowedHosts.length > 0) throw new UsageError('--host needs --listen PORT.')
    return undefined
  }
  const token = chooseToken(io)
  const store = await openProjectSchedule(commandHost)
  const { listenForRuns } = await import('./listen.js')
  const endpoint = await listenForRuns({ port, host, allowedHosts, token, store, onRun }).catch((error) => {
    throw new UsageError(`cannot listen on ${host} port ${port}: ${reasonOf(error)}`)
  })
  io.err(`Accepting runs for ${store.read().projectRoot} at ${endpoint.url}\n`)
  if (io.variables.HAFT_WORKER_TOKEN !== token) io.err(`Token for this run: ${token}\n`)
  return endpoint
}

/** Returns the token of the user, or a random one for this run. */
function chooseToken({ variables: { HAFT_WORKER_TOKEN: token } }: CommandIo): string {
  if (token === undefined || token === '') return randomBytes(32).toString('base64url')
  if (token.length >= MIN_TOKEN_CHARS) return token
  throw new UsageError(`HAFT_WORKER_TOKEN is too short; use at least ${MIN_TOKEN_CHARS} characters.`)
}

function parseNumber(option: string, text: string | undefined, limits: { from: number; to: number }) {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= limits.from && number <= limits.to) return number
  throw new UsageError(`invalid ${option} ${quote(text)}. Use a number from ${limits.from} to ${limits.to}.`)
}

function printUnit(io: CommandIo, runOptions: readonly string[]): number {
  const command = [...findOwnProgram(), 'schedule', 'run', ...(runOptions.length > 0 ? ['--', ...runOptions] : [])]
  io.out(`# Save as ~/.config/systemd/user/haft-schedule.service, then run:
#   systemctl --user enable --now haft-schedule
# To run while you are not logged in: loginctl enable-linger
[Unit]
Description=Scheduled tasks of Haft

[Service]
ExecStart=${command.map(quoteForUnit).join(' ')}
# The API key, for example: ANTHROPIC_API_KEY=...
EnvironmentFile=-%h/.haft/schedule.env
Restart=on-failure
# Runs that have begun continue when the service is restarted.
KillMode=process

[Install]
WantedBy=default.target
`)
  return EXIT.done
}

function quoteForUnit(argument: string): string {
  const escaped = argument.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w./:@%+=,-]+$/.test(argument) ? escaped : `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
