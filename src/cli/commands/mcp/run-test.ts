import { approveServer } from '../../../mcp/config/approvals.js'
import type { GatheredServer } from '../../../mcp/config/gather-servers.js'
import { createPins } from '../../../mcp/config/pins.js'
import { toPinnableTool } from '../../../mcp/manager/definition-review.js'
import { toPrintable } from '../../../shared/printable.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { createAccessTo } from '../../tool-session/mcp-setup.js'
import { formatEntry } from './format-server.js'
import { findServer, type ListedServer, type LoadedServers, loadServers } from './load-servers.js'
import { type ServerReport, ServerTrialError, tryServer } from './try-server.js'

const TEST_OPTIONS = {
  json: { type: 'boolean', default: false },
  accept: { type: 'boolean', default: false },
  trust: { type: 'boolean', default: false },
  'mcp-config': { type: 'string', multiple: true },
} as const

/** Connects to a server and prints a report. */
export async function runTest(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, TEST_OPTIONS)
  if (positionals.length > 1) throw new UsageError('expected one server: haft mcp test NAME.')
  const host = await io.host()
  const loadedServers = await loadServers(io, host, { trust: values.trust, mcpConfig: values['mcp-config'] })
  const foundServer = findServer(loadedServers, positionals[0])
  const server = await requireStartable(foundServer, loadedServers, io, host)
  if (server === undefined) return foundServer.state === 'broken' ? EXIT.failed : EXIT.permission
  const { signal } = host.interruption()
  try {
    const report = await connectWithSignIn(server, { io, host, loadedServers, signal })
    const changedTools = await findChangedTools(server, report, loadedServers, values.accept)
    const { tools, ...otherFields } = report
    const names = tools.map(({ name }) => name)
    io.out(
      values.json
        ? `${JSON.stringify({ name: server.name, ok: true, ...otherFields, tools: names, changed: changedTools }, null, 2)}\n`
        : formatReport(server.name, report, changedTools, values.accept),
    )
    return EXIT.done
  } catch (error) {
    return reportFailure(error, { io, server, isJson: values.json, exitCode: host.interruption().exitCode })
  }
}

/**
 * Returns the server if it may be started, after the user approved it where necessary. If it may not be started, prints
 * the reason and returns undefined.
 */
async function requireStartable(
  { name, state, reason, server }: ListedServer,
  { files }: LoadedServers,
  io: CommandIo,
  host: CommandHost,
): Promise<GatheredServer | undefined> {
  if (server === undefined) warn(io, `cannot start ${name}: ${reason}.`)
  else if (state === 'untrusted')
    warn(io, `${name} is not started: the project is not trusted (run haft trust, or use --trust for this run).`)
  else if (server.approved) return server
  else if (await askForApproval(server, host)) {
    await approveServer(files, server.project ?? '', name, server.entry)
    return server
  } else
    warn(
      io,
      `${name} is a project server that is not approved. Check it with haft mcp get ${name}, then run haft mcp approve ${name}.`,
    )
  return undefined
}

async function askForApproval({ name, entry }: GatheredServer, host: CommandHost): Promise<boolean> {
  if (!host.isInteractive) return false
  const answer = await host.readLine(
    `The project's MCP server ${toPrintable(name)} runs: ${formatEntry(entry)}\nApprove and start it? [y/N] `,
  )
  return /^y(es)?$/i.test(answer?.trim() ?? '')
}

interface TrialContext {
  readonly io: CommandIo
  readonly host: CommandHost
  readonly loadedServers: LoadedServers
  readonly signal: AbortSignal
}

function connectWithSignIn(
  server: GatheredServer,
  { io, host, loadedServers, signal }: TrialContext,
): Promise<ServerReport> {
  const access = createAccessTo(server, loadedServers)
  const openBrowser = async (url: string) => {
    io.err(`Sign in to ${server.name} in your browser: ${url}\n`)
    await host.openBrowser(url)
  }
  return tryServer(server, {
    ...{ ...loadedServers.roots, variables: io.variables, signal, access },
    signIn: host.isInteractive ? access && (() => access.signIn({ signal, openBrowser })) : undefined,
  })
}

/** Returns the tools that differ from their pins. With `shouldAccept`, also approves the current definitions. */
async function findChangedTools(
  server: GatheredServer,
  { tools: definitions }: ServerReport,
  { files }: LoadedServers,
  shouldAccept: boolean,
): Promise<readonly ChangedTool[]> {
  const pins = createPins(files)
  const tools = definitions.map(toPinnableTool)
  const changedTools: ChangedTool[] = []
  for (const tool of tools) {
    if ((await pins.check(server, tool)) === 'changed')
      changedTools.push({ name: tool.name, change: await pins.describe(server, tool) })
  }
  if (shouldAccept) await pins.accept(server, tools)
  return changedTools
}

function reportFailure(
  error: unknown,
  {
    io,
    server,
    isJson,
    exitCode,
  }: { io: CommandIo; server: GatheredServer; isJson: boolean; exitCode: number | undefined },
): number {
  if (exitCode !== undefined) return exitCode
  const needsSignIn = error instanceof ServerTrialError && error.needsSignIn
  const log = error instanceof ServerTrialError ? error.log : ''
  const reason = needsSignIn ? 'sign-in required; run haft mcp test in a terminal' : reasonOf(error)
  if (isJson) io.out(`${JSON.stringify({ name: server.name, ok: false, reason, log }, null, 2)}\n`)
  else io.err(formatFailure(server.name, reason, log))
  return needsSignIn ? EXIT.permission : EXIT.failed
}

/** A tool that has changed since it was approved. */
export interface ChangedTool {
  readonly name: string
  readonly change: string
}

const MAX_LISTED_ITEMS = 20
const MAX_LOG_LINES = 20

export function formatReport(
  name: string,
  { serverName, serverVersion, protocolVersion, capabilities, tools, refused, log }: ServerReport,
  changedTools: readonly ChangedTool[],
  isAccepted: boolean,
): string {
  const rows: (readonly [string, string])[] = [
    ['server', `${serverName} ${serverVersion}`.trim() || 'unnamed'],
    ['protocol', protocolVersion],
    ['offers', capabilities.join(', ') || 'nothing'],
    ['tools', String(tools.length)],
    ...limitList(refused).map(({ name: tool, reason }) => ['refused', `${tool}: ${reason}`] as const),
    ...limitList(changedTools).flatMap(({ name: tool, change }) =>
      change.split('\n').map((line) => ['changed', `${tool}: ${line}`] as const),
    ),
  ]
  const advice = changedTools.length === 0 ? '' : `  ${formatApproval(name, isAccepted)}\n`
  const lines = rows.map(([key, value]) => `  ${key.padEnd(10)}${toPrintable(value)}\n`)
  return `${name} is connected.\n${lines.join('')}${advice}${formatLog(log)}`
}

/** Returns one line with the reason, and the end of the server's log. */
export function formatFailure(name: string, reason: string, log: string): string {
  const line = reason.replace(/\s*\n\s*/g, ' ').trim() || 'unknown reason'
  return `haft: cannot connect to ${name}: ${toPrintable(line.replace(/\.+$/, ''))}.\n${formatLog(log)}`
}

function formatApproval(name: string, isAccepted: boolean): string {
  return isAccepted ? 'The changes are now approved.' : `Approve the changes with haft mcp test ${name} --accept.`
}

function formatLog(log: string): string {
  const lines = log.split('\n').filter((line) => line.trim() !== '')
  return lines
    .slice(-MAX_LOG_LINES)
    .map((line) => `  log       ${toPrintable(line.trimEnd())}\n`)
    .join('')
}

function limitList<T>(all: readonly T[]): readonly T[] {
  return all.slice(0, MAX_LISTED_ITEMS)
}
