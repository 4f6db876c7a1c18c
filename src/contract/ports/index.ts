import type { AgentsPort } from './agents.js'
import type { AskPort } from './ask.js'
import type { BrowserPort } from './browser.js'
import type { CallsPort } from './calls.js'
import type { CatalogPort } from './catalog.js'
import type { CheckpointsPort } from './checkpoints.js'
import type { ClockPort } from './clock.js'
import type { FilesPort } from './files.js'
import type { HistoryPort } from './history.js'
import type { HttpPort } from './http.js'
import type { InterpreterPort } from './interpreter.js'
import type { LspPort } from './lsp.js'
import type { McpPort } from './mcp.js'
import type { ModelPort } from './model.js'
import type { NotifyPort } from './notify.js'
import type { SchedulePort } from './schedule.js'
import type { SearchPort } from './search.js'
import type { ConfigPort, SettingsPort } from './settings.js'
import type { ShellPort } from './shell.js'
import type { StatePort } from './state.js'
import type { TaskBoardPort } from './task-board.js'
import type { TasksPort } from './tasks.js'
import type { TeamsPort } from './teams.js'
import type { TerminalPort } from './terminal.js'
import type { WebSearchPort } from './web-search.js'
import type { WorkflowsPort } from './workflows.js'
import type { WorktreesPort } from './worktrees.js'

/**
 * Everything outside its own code that a tool can use, by the name it lists in `needs`. The host supplies the ports.
 */
export interface Ports {
  readonly files: FilesPort
  readonly search: SearchPort
  readonly shell: ShellPort
  readonly terminal: TerminalPort
  readonly http: HttpPort
  readonly webSearch: WebSearchPort
  readonly model: ModelPort
  readonly ask: AskPort
  readonly agents: AgentsPort
  readonly tasks: TasksPort
  readonly taskBoard: TaskBoardPort
  readonly teams: TeamsPort
  readonly catalog: CatalogPort
  readonly state: StatePort
  readonly settings: SettingsPort
  readonly config: ConfigPort
  readonly checkpoints: CheckpointsPort
  readonly lsp: LspPort
  readonly mcp: McpPort
  readonly browser: BrowserPort
  readonly notify: NotifyPort
  readonly schedule: SchedulePort
  readonly workflows: WorkflowsPort
  readonly worktrees: WorktreesPort
  readonly clock: ClockPort
  readonly calls: CallsPort
  readonly interpreter: InterpreterPort
  readonly history: HistoryPort
}

/** The name of a port, as listed in `needs`. */
export type PortName = keyof Ports

/** A capability that a port gives to a call. A port without any capability uses only memory or asks the user. */
export type PortCapability =
  | 'reads files'
  | 'writes files'
  /** Runs command lines that the call names. */
  | 'runs command lines'
  /** Types into a running program. */
  | 'types keystrokes'
  /** Sends data that the call chooses to another machine. */
  | 'network'
  /** Passes work to a program, server, model or agent that decides itself what it does. */
  | 'delegates'

const ANY_FILE_ACCESS = ['reads files', 'writes files'] as const

/**
 * The capabilities of each port. This is the only such table: permissions, hooks and scheduling read it through `getCapabilities`.
 */
export const PORT_CAPABILITIES: Readonly<Record<PortName, readonly PortCapability[]>> = {
  files: ANY_FILE_ACCESS,
  search: ['reads files'],
  shell: [...ANY_FILE_ACCESS, 'runs command lines', 'delegates'],
  terminal: [...ANY_FILE_ACCESS, 'types keystrokes', 'delegates'],
  http: ['network'],
  webSearch: ['network'],
  // A host may implement the model port with an agent that has its own tools. It does not count as `network`, because
  // the provider of the model receives the conversation anyway.
  model: [...ANY_FILE_ACCESS, 'delegates'],
  ask: [],
  agents: [...ANY_FILE_ACCESS, 'delegates'],
  tasks: [...ANY_FILE_ACCESS, 'delegates'],
  // Writes only Haft's own file of tasks.
  taskBoard: [],
  // Writes only Haft's own files, and what other agents do with a message needs their own permissions.
  teams: [],
  catalog: [],
  state: [],
  // Both write only Haft's own settings, and refuse changes that the user has not approved.
  settings: [],
  config: [],
  checkpoints: ['reads files'],
  // A server only answers: Haft makes the changes of a rename through `files`. Settings and trust decide which servers start.
  lsp: ['reads files'],
  // Without file access: the rules for a server (`mcp__server`) also govern which files it accesses.
  mcp: ['network', 'delegates'],
  // Without file access: uploads and downloads pass through the tool, which uses the files port.
  browser: ['network'],
  notify: [],
  schedule: [...ANY_FILE_ACCESS, 'delegates'],
  // Writes only Haft's own journals.
  workflows: [],
  // Writes only new folders of Haft, with files that git has recorded, and deletes only such files.
  worktrees: [],
  clock: [],
  calls: [...ANY_FILE_ACCESS, 'delegates'],
  // The code itself has no access to anything. All its effects come from tool calls.
  interpreter: [],
  // Changes only what the model reads of its own answers and results.
  history: [],
}

/** The names of all ports. */
export const PORT_NAMES = Object.keys(PORT_CAPABILITIES) as readonly PortName[]
