import { feature } from '../contract/build-flags.js'
import type { Tools } from '../contract/tool/tool.js'
import { AgentTool } from './agent/tool.js'
import { ApplyPatchTool } from './apply-patch/tool.js'
import { AskUserQuestionTool } from './ask-user-question/tool.js'
import { BashTool } from './bash/tool.js'
import { BriefTool } from './brief/tool.js'
import { ConfigTool } from './config/tool.js'
import { CronCreateTool } from './cron-create/tool.js'
import { CronDeleteTool } from './cron-delete/tool.js'
import { CronListTool } from './cron-list/tool.js'
import { CtxInspectTool } from './ctx-inspect/tool.js'
import { EditTool } from './edit/tool.js'
import { EnterPlanModeTool } from './enter-plan-mode/tool.js'
import { EnterWorktreeTool } from './enter-worktree/tool.js'
import { ExitPlanModeTool } from './exit-plan-mode/tool.js'
import { ExitWorktreeTool } from './exit-worktree/tool.js'
import { GlobTool } from './glob/tool.js'
import { GrepTool } from './grep/tool.js'
import { ListMcpResourcesTool } from './list-mcp-resources/tool.js'
import { LspTool } from './lsp/tool.js'
import { MonitorTool } from './monitor/tool.js'
import { MultiEditTool } from './multi-edit/tool.js'
import { NotebookEditTool } from './notebook-edit/tool.js'
import { PowerShellTool } from './power-shell/tool.js'
import { PushNotificationTool } from './push-notification/tool.js'
import { ReadTool } from './read/tool.js'
import { ReadMcpResourceTool } from './read-mcp-resource/tool.js'
import { RemoteTriggerTool } from './remote-trigger/tool.js'
import { ReplTool } from './repl/tool.js'
import { SendMessageTool } from './send-message/tool.js'
import { SendUserFileTool } from './send-user-file/tool.js'
import { SkillTool } from './skill/tool.js'
import { SleepTool } from './sleep/tool.js'
import { SnipTool } from './snip/tool.js'
import { StructuredOutputTool } from './structured-output/tool.js'
import { SubscribePRTool } from './subscribe-pr/tool.js'
import { SuggestBackgroundPRTool } from './suggest-background-pr/tool.js'
import { TaskCreateTool } from './task-create/tool.js'
import { TaskGetTool } from './task-get/tool.js'
import { TaskListTool } from './task-list/tool.js'
import { TaskOutputTool } from './task-output/tool.js'
import { TaskStopTool } from './task-stop/tool.js'
import { TaskUpdateTool } from './task-update/tool.js'
import { TeamCreateTool } from './team-create/tool.js'
import { TeamDeleteTool } from './team-delete/tool.js'
import { TerminalTool } from './terminal/tool.js'
import { TodoWriteTool } from './todo-write/tool.js'
import { ToolSearchTool } from './tool-search/tool.js'
import { WebBrowserTool } from './web-browser/tool.js'
import { WebFetchTool } from './web-fetch/tool.js'
import { WebSearchTool } from './web-search/tool.js'
import { WorkflowTool } from './workflow/tool.js'
import { WriteTool } from './write/tool.js'

/** The only list of built-in tools. To add a tool, create its folder and add a line here. */
export const builtInTools: Tools = [
  AgentTool,
  ApplyPatchTool,
  AskUserQuestionTool,
  BashTool,
  BriefTool,
  ConfigTool,
  ...(feature('AGENT_TRIGGERS') ? [CronCreateTool, CronDeleteTool, CronListTool, RemoteTriggerTool] : []),
  CtxInspectTool,
  EditTool,
  EnterPlanModeTool,
  EnterWorktreeTool,
  ExitPlanModeTool,
  ExitWorktreeTool,
  GlobTool,
  GrepTool,
  ListMcpResourcesTool,
  ...(feature('MONITOR') ? [MonitorTool] : []),
  LspTool,
  MultiEditTool,
  NotebookEditTool,
  PowerShellTool,
  ...(feature('PUSH_NOTIFICATION') ? [PushNotificationTool] : []),
  ReadMcpResourceTool,
  ReadTool,
  ReplTool,
  SendMessageTool,
  ...(feature('KAIROS') ? [SendUserFileTool] : []),
  SkillTool,
  ...(feature('PROACTIVE') || feature('KAIROS') ? [SleepTool] : []),
  ...(feature('HISTORY_SNIP') ? [SnipTool] : []),
  StructuredOutputTool,
  ...(feature('PR_TOOLS') ? [SubscribePRTool, SuggestBackgroundPRTool] : []),
  TaskCreateTool,
  TaskGetTool,
  TaskListTool,
  TaskOutputTool,
  TaskStopTool,
  TaskUpdateTool,
  TeamCreateTool,
  TeamDeleteTool,
  TerminalTool,
  TodoWriteTool,
  ToolSearchTool,
  ...(feature('WEB_BROWSER_TOOL') ? [WebBrowserTool] : []),
  WebFetchTool,
  WebSearchTool,
  ...(feature('WORKFLOW') ? [WorkflowTool] : []),
  WriteTool,
]
