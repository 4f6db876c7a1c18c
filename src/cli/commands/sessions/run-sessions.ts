import { SessionData } from '../../../inspector/data/session-data.js'
import { computeTotals } from '../../../inspector/data/totals.js'
import { deleteSession } from '../../../session/transcript/read/clean-up-sessions.js'
import { type ListedSession, listAllSessions, listSessions } from '../../../session/transcript/read/list-sessions.js'
import { SessionError } from '../../../session/transcript/storage/session-error.js'
import type { SessionPaths } from '../../../session/transcript/storage/session-paths.js'
import { renameSession } from '../../../session/transcript/write/rename-session.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { didYouMean } from '../../../shared/nearest-names.js'
import { toPrintable } from '../../../shared/printable.js'
import { quote } from '../../../shared/quote.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { asUsageError, EXIT, UsageError } from '../../io/exit.js'
import { truncateText } from '../../io/terminal-text.js'
import { parseOptions } from '../../options/parse-options.js'
import { findNamedSession } from '../inspect/find-named-session.js'

interface SessionArguments {
  readonly io: CommandIo
  readonly host: CommandHost
  readonly projectRoot: string
  readonly words: readonly string[]
  readonly values: { readonly all: boolean; readonly json: boolean; readonly cost: boolean; readonly yes: boolean }
}

const SESSION_COMMANDS: Readonly<Record<string, (args: SessionArguments) => Promise<number>>> = {
  list,
  show,
  export: exportSession,
  rename: changeTitle,
  delete: remove,
}

const MAX_TITLE_CHARS = 200
/** Below this width, only the beginning of an id is shown. It is enough to name the session. */
const WIDE_COLUMNS = 100
const SHORT_ID_CHARS = 8

/** Runs `haft sessions`: lists, shows, exports, renames and deletes sessions. */
export async function runSessions(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
    yes: { type: 'boolean', short: 'y', default: false },
  })
  const [action = 'list', ...words] = positionals
  const run = Object.hasOwn(SESSION_COMMANDS, action) ? SESSION_COMMANDS[action] : undefined
  if (run === undefined)
    throw new UsageError(
      `unknown subcommand ${quote(action)} of haft sessions.${didYouMean(action, Object.keys(SESSION_COMMANDS))} See haft sessions --help.`,
    )
  const host = await io.host()
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home: host.homeDir })
  try {
    return await run({ io, host, projectRoot, words, values })
  } catch (error) {
    throw error instanceof SessionError ? asUsageError(error) : error
  }
}

async function list({ io, projectRoot, words, values }: SessionArguments): Promise<number> {
  if (words.length > 0) throw new UsageError(`unexpected argument ${quote(words[0])}: haft sessions list.`)
  const sessions = await (values.all ? listAllSessions(io.homeDir) : listSessions(io.homeDir, projectRoot))
  const rows: SessionRow[] = []
  for (const session of sessions) rows.push({ ...session, ...(values.cost && (await readFigures(io, session))) })
  if (values.json) {
    io.out(`${JSON.stringify(rows, null, 2)}\n`)
    return EXIT.done
  }
  if (rows.length === 0) {
    io.out(`No sessions ${values.all ? 'yet' : 'in this folder; haft sessions list --all lists those of others'}.\n`)
    return EXIT.done
  }
  const columns = io.columns ?? Number.POSITIVE_INFINITY
  for (const row of rows) io.out(`${truncateText(toLine(row, columns), columns)}\n`)
  if (values.cost) io.out(`${toTotalLine(rows)}\n`)
  return EXIT.done
}

interface Figures {
  readonly tokens: number
  readonly costUsd: number
  /** Whether the price of a request is unknown. */
  readonly isCostPartial: boolean
}

type SessionRow = ListedSession & Partial<Figures>

async function readFigures(io: CommandIo, { path }: ListedSession): Promise<Figures> {
  const data = new SessionData(findNamedSession(path, { home: io.homeDir, projectRoot: '' }))
  await data.refresh()
  const { usage, costUsd, isCostPartial } = computeTotals(data.rows).total
  const { input, output, cacheRead, cacheWrite } = usage
  return { tokens: input + output + cacheRead + cacheWrite, costUsd, isCostPartial }
}

function toLine({ id, lastAt, messages, title, isOpen, tokens, costUsd }: SessionRow, columns: number): string {
  const isWide = columns >= WIDE_COLUMNS
  const time = new Date(lastAt)
    .toISOString()
    .slice(isWide ? 0 : 5, 16)
    .replace('T', ' ')
  const count = messages === undefined ? '' : `${messages} messages`
  return [
    isWide ? id : id.slice(0, SHORT_ID_CHARS),
    time,
    ...(isWide ? [count.padEnd(13)] : []),
    ...(tokens === undefined ? [] : [`${tokens} tokens  $${(costUsd ?? 0).toFixed(4)}`]),
    `${isOpen ? '(open) ' : ''}${toPrintable(title ?? '')}`,
  ]
    .join('  ')
    .trimEnd()
}

function toTotalLine(rows: readonly SessionRow[]): string {
  const sum = (read: (row: SessionRow) => number) => rows.reduce((total, row) => total + read(row), 0)
  const isPartial = rows.some(({ isCostPartial }) => isCostPartial === true)
  const cost = `$${sum(({ costUsd = 0 }) => costUsd).toFixed(4)}`
  return `Total: ${rows.length} sessions, ${sum(({ tokens = 0 }) => tokens)} tokens, ${isPartial ? 'at least ' : ''}${cost}`
}

async function show({ io, projectRoot, words }: SessionArguments): Promise<number> {
  const [name = ''] = requireWords(words, 1, 'haft sessions show ID')
  const { showTranscript } = await import('../print/show-session.js')
  return showTranscript(io, name, projectRoot)
}

async function exportSession({ io, words }: SessionArguments): Promise<number> {
  const [name = '', file = ''] = requireWords(words, 2, 'haft sessions export ID FILE.html|FILE.json')
  const { runInspect } = await import('../inspect/run-inspect.js')
  return runInspect({ ...io, args: [name, '--export', file] })
}

async function changeTitle(args: SessionArguments): Promise<number> {
  const [name = '', text = ''] = requireWords(args.words, 2, 'haft sessions rename ID "TITLE"')
  const title = text.replaceAll(/\s+/g, ' ').trim()
  if (title === '' || title.length > MAX_TITLE_CHARS)
    throw new UsageError(`a title has 1 to ${MAX_TITLE_CHARS} characters.`)
  const paths = find(args, name)
  renameSession(paths, title)
  args.io.out(`${paths.id}: ${toPrintable(title)}\n`)
  return EXIT.done
}

async function remove(args: SessionArguments): Promise<number> {
  const { io, host, words, values } = args
  const [name = ''] = requireWords(words, 1, 'haft sessions delete ID [--yes]')
  const paths = find(args, name)
  if (!values.yes && !(await confirm(host, paths.id))) return EXIT.failed
  await deleteSession(paths)
  io.out(`Session ${paths.id} was deleted.\n`)
  return EXIT.done
}

async function confirm(host: CommandHost, id: string): Promise<boolean> {
  if (!host.isInteractive)
    throw new UsageError(
      `nothing was deleted, because there is no terminal to ask in: haft sessions delete ${id} --yes.`,
    )
  const answer = await host.readLine(`Delete session ${id}? It cannot be undone. [y/N] `)
  return /^y(?:es)?$/i.test(answer?.trim() ?? '')
}

function find({ io, projectRoot }: SessionArguments, name: string): SessionPaths {
  return findNamedSession(name, { home: io.homeDir, projectRoot })
}

function requireWords(words: readonly string[], count: number, usage: string): readonly string[] {
  if (words.length === count) return words
  const problem = words.length < count ? 'missing argument' : `unexpected argument ${quote(words[count])}`
  throw new UsageError(`${problem}: ${usage}.`)
}
