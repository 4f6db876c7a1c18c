import type { AgentsPort } from './agents.js'
import type { AskPort } from './ask.js'
import type { BrowserPort } from './browser.js'
import type { CatalogPort } from './catalog.js'
import type { CheckpointsPort } from './checkpoints.js'
import type { ClockPort } from './clock.js'
import type { FilesPort } from './files.js'
import type { HttpPort } from './http.js'
import type { LspPort } from './lsp.js'
import type { McpPort } from './mcp.js'
import type { ModelPort } from './model.js'
import type { NotifyPort } from './notify.js'
import type { SchedulePort } from './schedule.js'
import type { SearchPort } from './search.js'
import type { SettingsPort } from './settings.js'
import type { ShellPort } from './shell.js'
import type { StatePort } from './state.js'
import type { TasksPort } from './tasks.js'
import type { TerminalPort } from './terminal.js'

/** Everything outside a tool that it can ask for, by the name it puts in `needs`. */
export interface Ports {
  readonly files: FilesPort
  readonly search: SearchPort
  readonly shell: ShellPort
  readonly terminal: TerminalPort
  readonly http: HttpPort
  readonly model: ModelPort
  readonly ask: AskPort
  readonly agents: AgentsPort
  readonly tasks: TasksPort
  readonly catalog: CatalogPort
  readonly state: StatePort
  readonly settings: SettingsPort
  readonly checkpoints: CheckpointsPort
  readonly lsp: LspPort
  readonly mcp: McpPort
  readonly browser: BrowserPort
  readonly notify: NotifyPort
  readonly schedule: SchedulePort
  readonly clock: ClockPort
}

export type PortName = keyof Ports

/** The same names at run time, checked against the type so that neither can miss one. */
export const PORT_NAMES = Object.keys({
  files: true,
  search: true,
  shell: true,
  terminal: true,
  http: true,
  model: true,
  ask: true,
  agents: true,
  tasks: true,
  catalog: true,
  state: true,
  settings: true,
  checkpoints: true,
  lsp: true,
  mcp: true,
  browser: true,
  notify: true,
  schedule: true,
  clock: true,
} satisfies Record<PortName, true>) as readonly PortName[]
