export type { AgentOutcome, AgentRequest, AgentsPort } from '../contract/ports/agents.js'
export type { Answer, AskPort, Elicitation, ElicitationAnswer, Question } from '../contract/ports/ask.js'
export type {
  BrowserAction,
  BrowserDownload,
  BrowserLocation,
  BrowserOptions,
  BrowserOutcome,
  BrowserPort,
  BrowserSettings,
  BrowserSnapshot,
  BrowserTab,
} from '../contract/ports/browser.js'
export type {
  CallableDefinition,
  CallableTool,
  CallsPort,
  NestedCallOptions,
  NestedOutcome,
} from '../contract/ports/calls.js'
export type { CatalogAnswer, CatalogPort } from '../contract/ports/catalog.js'
export type { CheckpointsPort, SaveCheckpointOptions } from '../contract/ports/checkpoints.js'
export type { ClockPort } from '../contract/ports/clock.js'
export { FileError, type FileErrorCode, isFileError } from '../contract/ports/file-error.js'
export type {
  EditReport,
  ExpectedContent,
  FileChange,
  FileLine,
  FileLines,
  FileReadingLimits,
  FileStat,
  FilesPort,
  GlobLimits,
  GlobOptions,
  GlobResult,
  LineOptions,
  ReadFile,
  ReadOptions,
  WriteOptions,
  WrittenFile,
} from '../contract/ports/files.js'
export type { HistoryPort, HistoryReport, HistoryStep, SnipOutcome, SnipRequest } from '../contract/ports/history.js'
export {
  HttpError,
  type HttpErrorCode,
  type HttpPort,
  type HttpRequest,
  type HttpResponse,
  type WebSocketConnection,
  type WebSocketEnd,
  type WebSocketMessage,
  type WebSocketRequest,
} from '../contract/ports/http.js'
export type {
  CodeEnd,
  CodeLimit,
  CodeLimits,
  CodeOutcome,
  CodeRequest,
  InterpreterPort,
} from '../contract/ports/interpreter.js'
export {
  LSP_OPERATIONS,
  type LspDiagnostic,
  type LspOperation,
  type LspPort,
  type LspPosition,
  type LspRequestOptions,
  type LspServerStatus,
} from '../contract/ports/lsp.js'
export type { McpPort, McpResource, McpResourceContent } from '../contract/ports/mcp.js'
export type { ModelPort } from '../contract/ports/model.js'
export type {
  Notification,
  NotificationChannel,
  NotificationDelivery,
  NotifyOptions,
  NotifyPort,
} from '../contract/ports/notify.js'
export type { ReadFileEntry, ReadFileState } from '../contract/ports/read-file-state.js'
export type {
  DuePrompt,
  MissedRunPolicy,
  NewScheduledTask,
  ScheduledRun,
  ScheduledRunState,
  ScheduledTask,
  SchedulePort,
  TriggeredRun,
  Workers,
} from '../contract/ports/schedule.js'
export {
  SearchError,
  type SearchOptions,
  type SearchPort,
  type SearchQuery,
  type SearchResult,
  type UnsearchedFile,
} from '../contract/ports/search.js'
export {
  type ConfigPort,
  type SettingChange,
  SettingError,
  type SettingsPort,
  type SettingValue,
} from '../contract/ports/settings.js'
export type { ShellOutcome, ShellPort, ShellRequest } from '../contract/ports/shell.js'
export type { AppState, AppStateUpdate, StatePort } from '../contract/ports/state.js'
export type {
  BoardTask,
  BoardTaskStatus,
  BoardTaskUpdate,
  NewBoardTask,
  TaskBoardPort,
  TaskChange,
  TaskOwner,
} from '../contract/ports/task-board.js'
export type { BackgroundTask, TaskEnd, TaskStatus, TasksPort, TaskWork, WorkEnd } from '../contract/ports/tasks.js'
export type {
  MemberStatus,
  NewTeamMessage,
  NewTeammate,
  SentMessage,
  Team,
  TeamInbox,
  TeamMember,
  TeamMessage,
  TeamsPort,
} from '../contract/ports/teams.js'
export type { TerminalPort, TerminalSession } from '../contract/ports/terminal.js'
export type { WebSearchPort, WebSearchQuery, WebSearchResult, WebSearchSettings } from '../contract/ports/web-search.js'
export type {
  JournalRecord,
  RunEnded,
  RunRecorded,
  RunResumed,
  StepEnded,
  StepIdentity,
  StepOutcome,
  StepStarted,
  WorkflowJournal,
  WorkflowsPort,
} from '../contract/ports/workflows.js'
export type { EnteredWorktree, LeftWorktree, SessionWorktree, WorktreesPort } from '../contract/ports/worktrees.js'
